// The tables of the users and tokens that manage an installation, and of the audit log.

import type { Revised } from "#store/revision.ts";

type Flag = 0 | 1;

export type Role = "operator" | "member";

export interface UsersTable extends Revised {
  id: string;
  /** Lower case. */
  email: string;
  name: string;
  role: Role;
  /** The member's account; null for an operator. */
  account_id: string | null;
  /** argon2id, in PHC form; empty if the user has not chosen one yet. */
  password: string;
  active: Flag;
  created_at: number;
  updated_at: number;
  signed_in_at: number | null;
}

export interface SessionsTable {
  /** SHA-256 of the cookie's value, hex. */
  hash: string;
  user_id: string;
  /** When the password was given. */
  created_at: number;
  seen_at: number;
  expires_at: number;
}

export interface ManagementTokensTable {
  id: string;
  /** SHA-256 of the token, hex. */
  hash: string;
  name: string;
  /** Its first and last characters, for recognition. */
  hint: string;
  role: Role;
  account_id: string | null;
  /** JSON: the token's scopes; null for all that its role allows. */
  scopes: string | null;
  /** Null if it does not end. */
  expires_at: number | null;
  /** To the minute. Null if it was never used. */
  last_used_at: number | null;
  created_at: number;
  revoked_at: number | null;
}

export interface SetupCodesTable {
  /** SHA-256 of the code, hex. */
  hash: string;
  created_at: number;
  expires_at: number;
}

export interface UserSetupLinksTable {
  user_id: string;
  /** SHA-256 of the code in the link, hex. */
  hash: string;
  created_at: number;
  expires_at: number;
}

export interface AuditEntriesTable {
  id: string;
  at: number;
  actor_kind: "user" | "token" | "provisioning" | "command_line" | "anonymous";
  actor_id: string | null;
  actor_name: string;
  account_id: string | null;
  /** The operation's name, such as `updateGateway`. */
  action: string;
  target: string | null;
  /** JSON: which fields were given; never their values where they may be secret. */
  detail: string;
  /** `started` only when the process died before the answer. */
  outcome: string;
}
