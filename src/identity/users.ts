// Users as operators manage them. Only what is named here can be changed, and by whom: a body's other fields
// never get this far.

import type { Core } from "#core/core.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import { changeUser, findUser, insertUser, listUsers, type UserChange } from "#store/identity/users.ts";
import type { Role, UsersTable } from "#store/schema/identity.ts";
import { type HashingBusy, type PasswordHasher, passwordIssue } from "./password.ts";
import { normaliseEmail } from "./sign-in.ts";

export type UserRow = UsersTable;

interface UserParts extends Pick<Core, "clock" | "database" | "newId"> {
  passwords: PasswordHasher;
}

export type SaveUserResult =
  | { kind: "saved"; user: UsersTable }
  | { kind: "invalid"; field: "account" | "password"; message: string }
  | { kind: "taken" }
  | { kind: "last_operator" }
  | { kind: "not_found" }
  | { kind: HashingBusy };

const needsAccount = "is needed for a member, and only for one";

/** Why a role cannot go with this account; null: it can. Members have one account, operators none. */
export async function roleAccountIssue(
  database: Database,
  role: Role,
  accountId: string | null,
): Promise<string | null> {
  if ((role === "member") !== (accountId !== null)) return needsAccount;
  if (accountId !== null && (await database.run(findAccount, accountId)) === null) return "does not exist";
  return null;
}

export async function createUser(
  parts: UserParts,
  given: { email: string; name: string; role: Role; accountId: string | null; password: string },
): Promise<SaveUserResult> {
  const { database, clock, passwords, newId } = parts;
  const email = normaliseEmail(given.email);
  const place = await roleAccountIssue(database, given.role, given.accountId);
  if (place !== null) return { kind: "invalid", field: "account", message: place };
  const fault = passwordIssue(given.password, email);
  if (fault !== null) return { kind: "invalid", field: "password", message: fault };
  const password = await passwords.hash(given.password);
  if (password === "busy") return { kind: "busy" };
  const now = clock.now();
  const user: UsersTable = {
    id: newId("usr"),
    email,
    name: given.name,
    role: given.role,
    account_id: given.accountId,
    password,
    active: 1,
    created_at: now,
    updated_at: now,
    signed_in_at: null,
  };
  return (await database.run(insertUser, user)) ? { kind: "saved", user } : { kind: "taken" };
}

/** What an operator may change of a user; what is absent stays. A new password, or being switched off, ends their sessions. */
export interface UserChanges {
  name?: string | undefined;
  active?: boolean | undefined;
  role?: Role | undefined;
  /** Null: none, as operators have. */
  accountId?: string | null | undefined;
  password?: string | undefined;
}

export async function updateUser(parts: UserParts, id: string, given: UserChanges): Promise<SaveUserResult> {
  const { database, clock, passwords } = parts;
  const user = await database.run(findUser, id);
  if (user === null) return { kind: "not_found" };
  const change: UserChange = {};
  if (given.name !== undefined) change.name = given.name;
  if (given.active !== undefined) change.active = given.active ? 1 : 0;
  if (given.role !== undefined || given.accountId !== undefined) {
    const role = given.role ?? user.role;
    // Becoming an operator leaves the account behind by itself.
    const kept = role === "operator" ? null : user.account_id;
    const accountId = given.accountId === undefined ? kept : given.accountId;
    const place = await roleAccountIssue(database, role, accountId);
    if (place !== null) return { kind: "invalid", field: "account", message: place };
    change.role = role;
    change.account_id = accountId;
  }
  if (given.password !== undefined) {
    const fault = passwordIssue(given.password, user.email);
    if (fault !== null) return { kind: "invalid", field: "password", message: fault };
    const password = await passwords.hash(given.password);
    if (password === "busy") return { kind: "busy" };
    change.password = password;
  }
  const changed = await database.run(changeUser, { id, change, at: clock.now() });
  return changed.kind === "changed" ? { kind: "saved", user: changed.user } : changed;
}

/** A page of users, newest first. */
export function userPage(
  database: Database,
  page: { before: string | null; limit: number },
): Promise<UsersTable[]> {
  return database.run(listUsers, page);
}
