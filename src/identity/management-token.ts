// Management tokens: the credentials of programs that manage an installation (operator) or one account (member).

import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";
import type { Core } from "#core/core.ts";
import type { Clock, Random } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import {
  findManagementToken,
  insertManagementToken,
  listManagementTokens,
  noteTokenUse,
  revokeManagementToken,
} from "#store/identity/tokens.ts";
import type { ManagementTokensTable, Role } from "#store/schema/identity.ts";
import type { Principal } from "./principal.ts";
import { readScopes, storedScopes } from "./scopes.ts";

export type ManagementTokenRow = ManagementTokensTable;

/** The properties of a new token. `scopes`: null or absent for all that the role allows. */
interface TokenDetails {
  name: string;
  role: Role;
  accountId: string | null;
  scopes?: readonly TokenScope[] | null;
  /** Epoch ms; null or absent if it does not end. */
  expiresAt?: number | null;
}

/** How old the recorded time of last use may get while the token is in use. */
const useIsNotedMs = 60_000;

/** Generated tokens have 47 characters; those of the provisioning file may be longer. Longer texts are not hashed. */
export const maxTokenLength = 512;

/** A new token, `tlm_` and 43 characters. */
function newManagementToken(random: Random): string {
  return `tlm_${newSecret(random)}`;
}

/** The row of a token. Its hint, both ends of the token, is at most a quarter of the shortest allowed token. */
export function tokenRow(
  id: string,
  token: string,
  details: TokenDetails & { at: number },
): ManagementTokensTable {
  return {
    id,
    hash: hashSecret(token),
    name: details.name,
    hint: `${token.slice(0, 4)}…${token.slice(-4)}`,
    role: details.role,
    account_id: details.accountId,
    scopes: storedScopes(details.scopes ?? null),
    expires_at: details.expiresAt ?? null,
    last_used_at: null,
    created_at: details.at,
    revoked_at: null,
  };
}

/**
 * The principal of a token; `expired`: when a token that is not revoked ended. Null if it is unknown or revoked. Not cached, so a revoked
 * token is invalid in every process at once. `unattended`: the token was not presented by a request, so this does not count as use.
 */
export async function authenticateToken(
  { database, clock }: Pick<Core, "database" | "clock">,
  token: string,
  { unattended = false } = {},
): Promise<Principal | { kind: "expired"; at: number } | null> {
  if (token.length > maxTokenLength) return null;
  const row = await database.run(findManagementToken, hashSecret(token));
  if (row === null) return null;
  const now = clock.now();
  const { expires_at: endsAt, last_used_at: noted } = row;
  if (endsAt !== null && endsAt <= now) return { kind: "expired", at: endsAt };
  // No request waits for this; uses that are not recorded while storage is away are recorded with the next request.
  if (!unattended && (noted === null || Math.abs(now - noted) >= useIsNotedMs))
    database.run(noteTokenUse, { id: row.id, at: now, noted }).catch(() => {});
  return {
    kind: "token",
    id: row.id,
    name: row.name,
    role: row.role,
    accountId: row.account_id,
    scopes: readScopes(row.scopes),
    endsAt,
  };
}

type TokenDeps = Pick<Core, "clock" | "database" | "newId" | "random">;

/** Creates a token. Null if a valid token has the name. The text of the token is returned and not stored. */
export async function createManagementToken(
  deps: TokenDeps,
  input: TokenDetails,
): Promise<{ token: string; row: ManagementTokensTable } | null> {
  const token = newManagementToken(deps.random);
  const row = tokenRow(deps.newId("tok"), token, { ...input, at: deps.clock.now() });
  return (await deps.database.run(insertManagementToken, row)) ? { token, row } : null;
}

/** A page of tokens, newest first, including revoked ones. */
export function managementTokens(
  database: Database,
  page: { before: string | null; limit: number },
): Promise<ManagementTokensTable[]> {
  return database.run(listManagementTokens, page);
}

/** Revokes a token. A second call has no effect. Null if the token does not exist. */
export function revokeToken(
  deps: { database: Database; clock: Clock },
  id: string,
): Promise<ManagementTokensTable | null> {
  return deps.database.run(revokeManagementToken, { id, at: deps.clock.now() });
}
