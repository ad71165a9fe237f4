// Partial changes of settings that contain secrets: the fields of the change replace the stored ones. A mask keeps the
// stored secret, except when the address changes: a stored secret must not be sent to another server.

import type { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { keptSecrets, unmasked } from "#settings/secrets.ts";

/** A gateway adapter or a provider. */
interface Kind {
  settings: z.ZodObject;
  /** The URLs in settings that are valid by the schema. */
  urls(settings: unknown): string[];
}

/** The issues of masks in the settings of a new gateway or member: no secret is stored for them. */
export function maskIssues(settings: unknown): Issue[] {
  return unmasked(settings, undefined).missing.map(notStored);
}

/**
 * The settings after a change: each field of the change replaces the stored one, null removes it. The result is not yet
 * checked by the schema of the kind. `stored`: null when the kind changes, so that no old setting is kept. `owner`:
 * `gateway` or `member`, for the messages. The paths of the issues begin with `settings`.
 */
export function mergeSettings(
  kind: Kind | null,
  owner: string,
  stored: Record<string, unknown> | null,
  changes: Record<string, unknown>,
): { settings: Record<string, unknown>; issues: Issue[] } {
  const { value, missing } = unmasked(changes, stored ?? {});
  if (missing.length > 0) return { settings: {}, issues: missing.map(notStored) };
  const merged = Object.entries({ ...stored, ...(value as Record<string, unknown>) });
  const settings = Object.fromEntries(merged.filter(([, setting]) => setting !== null));
  const issues =
    kind === null || stored === null ? [] : secretsToReenter(kind, owner, stored, settings, changes);
  return { settings, issues };
}

/**
 * Secrets are write-only. A user who can change the address but does not know the secrets must not be able to send them
 * to another server, so a new address requires the secrets again.
 */
function secretsToReenter(
  kind: Kind,
  owner: string,
  before: unknown,
  after: unknown,
  changes: unknown,
): Issue[] {
  const parsed = kind.settings.safeParse(after);
  if (!parsed.success) return [];
  const origins = (settings: unknown) => kind.urls(settings).map((url) => URL.parse(url)?.origin ?? url);
  const knownOrigins = new Set(origins(before));
  if (origins(parsed.data).every((origin) => knownOrigins.has(origin))) return [];
  return keptSecrets(kind.settings, after, changes).map((path) => ({
    path: ["settings", ...path],
    message: `must be given again, since the ${owner}'s address changes`,
  }));
}

function notStored(path: readonly (string | number)[]): Issue {
  return { path: ["settings", ...path], message: "is a mask, and nothing is stored that it could stand for" };
}
