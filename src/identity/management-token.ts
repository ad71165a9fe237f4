// Management tokens: what programs show to manage an installation (operator) or one account (member).

import type { Core } from "#core/core.ts";
import type { Clock, Random } from "#runtime/runtime.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import type { Database } from "#store/database.ts";
import {
  findManagementToken,
  insertManagementToken,
  listManagementTokens,
  revokeManagementToken,
} from "#store/identity/tokens.ts";
import type { ManagementTokensTable, Role } from "#store/schema/identity.ts";
import type { Principal } from "./principal.ts";

export type ManagementTokenRow = ManagementTokensTable;

/** Ours have 47 characters; given ones may be longer, but nothing beyond this is worth hashing. */
export const maxTokenLength = 512;

/** A new token, `tlm_` and 43 characters. */
export function newManagementToken(random: Random): string {
  return `tlm_${newSecret(random)}`;
}

/** The row of a token. What it shows of the token, its ends, is at most a quarter of the shortest one that is taken. */
export function tokenRow(
  id: string,
  token: string,
  about: { name: string; role: Role; accountId: string | null; at: number },
): ManagementTokensTable {
  return {
    id,
    hash: hashSecret(token),
    name: about.name,
    hint: `${token.slice(0, 4)}…${token.slice(-4)}`,
    role: about.role,
    account_id: about.accountId,
    created_at: about.at,
    revoked_at: null,
  };
}

/**
 * Who holds this token; null: nobody, or it was revoked. Never cached, so that a revoked token is dead for every
 * process on its next request.
 */
export async function authenticateToken(database: Database, token: string): Promise<Principal | null> {
  if (token.length > maxTokenLength) return null;
  const row = await database.run(findManagementToken, hashSecret(token));
  if (row === null) return null;
  return { kind: "token", id: row.id, name: row.name, role: row.role, accountId: row.account_id };
}

type TokenParts = Pick<Core, "clock" | "database" | "newId" | "random">;

/** Makes a token. Null: a token that works has the name. The token's text is nowhere but in the answer. */
export async function makeManagementToken(
  parts: TokenParts,
  input: { name: string; role: Role; accountId: string | null },
): Promise<{ token: string; row: ManagementTokensTable } | null> {
  const token = newManagementToken(parts.random);
  const row = tokenRow(parts.newId("tok"), token, { ...input, at: parts.clock.now() });
  return (await parts.database.run(insertManagementToken, row)) ? { token, row } : null;
}

/** A page of tokens, newest first, revoked ones too. */
export function managementTokens(
  database: Database,
  page: { before: string | null; limit: number },
): Promise<ManagementTokensTable[]> {
  return database.run(listManagementTokens, page);
}

/** Revokes a token; again is fine. Null: there is none. */
export function revokeToken(
  parts: { database: Database; clock: Clock },
  id: string,
): Promise<ManagementTokensTable | null> {
  return parts.database.run(revokeManagementToken, { id, at: parts.clock.now() });
}
