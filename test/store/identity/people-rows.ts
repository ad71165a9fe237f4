// Rows of users, sessions and tokens for tests.

import type { ManagementTokensTable, SessionsTable, UsersTable } from "#store/schema/identity.ts";
import { fresh, now } from "../rows.ts";

export function userRow(columns: Partial<UsersTable> = {}): UsersTable {
  const id = columns.id ?? fresh("usr");
  return {
    id,
    email: `${id}@acme.test`,
    name: id,
    role: "operator",
    account_id: null,
    password: `password of ${id}`,
    active: 1,
    revision: 1,
    created_at: now,
    updated_at: now,
    signed_in_at: null,
    ...columns,
  };
}

export function sessionRow(userId: string, columns: Partial<SessionsTable> = {}): SessionsTable {
  return {
    hash: fresh("hash"),
    user_id: userId,
    created_at: now,
    seen_at: now,
    expires_at: now + 1_000,
    ...columns,
  };
}

export function managementTokenRow(columns: Partial<ManagementTokensTable> = {}): ManagementTokensTable {
  const id = columns.id ?? fresh("tok");
  return {
    id,
    hash: `hash of ${id}`,
    name: `name of ${id}`,
    hint: "tlm_…1234",
    role: "operator",
    account_id: null,
    scopes: null,
    expires_at: null,
    last_used_at: null,
    created_at: now,
    revoked_at: null,
    ...columns,
  };
}
