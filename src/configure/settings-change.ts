// Settings with secrets in them, changed in part: what is given is laid over what is stored. A mask keeps what it
// stands for, but no secret goes to another server because somebody changed the address alone.

import type { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { keptSecrets, unmasked } from "#gateways/secrets.ts";

/** A gateway's adapter or a provider. */
interface Kind {
  settings: z.ZodObject;
  /** The URLs inside settings that have passed the schema. */
  urls(settings: unknown): string[];
}

/** Faults of settings in which a mask stands for nothing: those of something new. */
export function maskIssues(given: unknown): Issue[] {
  return unmasked(given, undefined).missing.map(notStored);
}

/**
 * The settings that a change makes: each given field replaces the stored one, null removes it. Not yet checked by
 * the kind's schema. `stored`: null where the kind changes, so that nothing of the old one is kept. `what`: whose
 * settings they are, for the words of a fault. Issues have paths that begin with `settings`.
 */
export function mergeSettings(
  kind: Kind | null,
  what: string,
  stored: Record<string, unknown> | null,
  given: Record<string, unknown>,
): { settings: Record<string, unknown>; issues: Issue[] } {
  const { value, missing } = unmasked(given, stored ?? {});
  if (missing.length > 0) return { settings: {}, issues: missing.map(notStored) };
  const laid = Object.entries({ ...stored, ...(value as Record<string, unknown>) });
  const settings = Object.fromEntries(laid.filter(([, setting]) => setting !== null));
  const issues =
    kind === null || stored === null ? [] : secretsToReenter(kind, what, stored, settings, given);
  return { settings, issues };
}

/**
 * Secrets are write-only, so they must not be taken to another server by whoever may change the address alone:
 * with a new one, they are given again.
 */
function secretsToReenter(
  kind: Kind,
  what: string,
  before: unknown,
  after: unknown,
  given: unknown,
): Issue[] {
  const parsed = kind.settings.safeParse(after);
  if (!parsed.success) return [];
  const origins = (settings: unknown) => kind.urls(settings).map((url) => URL.parse(url)?.origin ?? url);
  const known = new Set(origins(before));
  if (origins(parsed.data).every((origin) => known.has(origin))) return [];
  return keptSecrets(kind.settings, after, given).map((path) => ({
    path: ["settings", ...path],
    message: `must be given again, since the ${what}'s address changes`,
  }));
}

function notStored(path: readonly (string | number)[]): Issue {
  return { path: ["settings", ...path], message: "is a mask, and nothing is stored that it could stand for" };
}
