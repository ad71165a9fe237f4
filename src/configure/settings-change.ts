// Settings of gateways and members, which contain secrets: whole ones, and partial changes, whose fields replace the stored
// ones. A mask keeps the stored secret, except when the address changes: a stored secret must not be sent to another server.

import type { z } from "zod";
import { faultWords } from "#contract/fault-words.ts";
import { type Issue, issuesOf } from "#contract/issue.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { keptSecrets, unmasked } from "#settings/secrets.ts";
import { urlFieldPath } from "#settings/url.ts";

/** A gateway adapter or a provider. */
export interface Kind {
  settings: z.ZodObject;
  /** The URLs in settings that are valid by the schema. */
  urls(settings: unknown): string[];
}

/** The issues of masks in the settings of a new gateway or member: no secret is stored for them. */
export function maskIssues(settings: unknown): Issue[] {
  return unmasked(settings, undefined).missing.map(notStored);
}

/**
 * The settings after a change, before their kind has parsed them: each field of the change replaces the stored one, null removes it, a mask
 * keeps it. `stored`: null if the kind changes, so that no old setting is kept.
 */
export function mergeSettings(
  stored: Record<string, unknown> | null,
  changes: Record<string, unknown>,
): { settings: Record<string, unknown>; issues: Issue[] } {
  const { value, missing } = unmasked(changes, stored ?? {});
  const merged = Object.entries({ ...stored, ...(value as Record<string, unknown>) });
  const settings = Object.fromEntries(merged.filter(([, setting]) => setting !== null));
  return { settings, issues: missing.map(notStored) };
}

/** A change of stored settings. `owner`: `gateway` or `member`, for the messages. */
export interface SettingsChange {
  owner: string;
  stored: Record<string, unknown>;
  changes: Record<string, unknown>;
}

/**
 * Parses settings by the schema of their kind, and checks their addresses with the outbound guard. The paths of the issues begin with
 * `settings`. `change`: the origin of the settings, unless they were given as a whole.
 */
export function parseSettings(
  kind: Kind,
  outbound: Pick<Outbound, "rejectReason">,
  settings: Record<string, unknown>,
  change: SettingsChange | null,
): { parsed: unknown; issues: Issue[] } {
  const { success, data, error } = kind.settings.safeParse(settings, faultWords);
  if (!success) return { parsed: null, issues: issuesOf(error, ["settings"]) };
  const addresses = kind.urls(data).flatMap((url): Issue[] => {
    const message = outbound.rejectReason(url);
    return message === null
      ? []
      : [{ path: ["settings", ...urlFieldPath(kind.settings, data, url)], message }];
  });
  const secrets = change === null ? [] : secretsToReenter(kind, settings, data, change);
  return { parsed: data, issues: [...secrets, ...addresses] };
}

/**
 * Secrets are write-only. A user who can change the address but does not know the secrets must not be able to send them
 * to another server, so a new address requires the secrets again.
 */
function secretsToReenter(
  kind: Kind,
  settings: Record<string, unknown>,
  parsed: unknown,
  { owner, stored, changes }: SettingsChange,
): Issue[] {
  const origins = (of: unknown) => kind.urls(of).map((url) => URL.parse(url)?.origin ?? url);
  // Each address is compared separately: a server that received only the requests for one must not receive the secret of the other.
  const known = origins(stored);
  if (origins(parsed).every((origin, at) => origin === known[at])) return [];
  return keptSecrets(kind.settings, settings, changes).map((path) => ({
    path: ["settings", ...path],
    message: `must be given again, since the ${owner}'s address changes`,
  }));
}

function notStored(path: readonly (string | number)[]): Issue {
  return { path: ["settings", ...path], message: "is a mask, and nothing is stored that it could stand for" };
}
