// Users as operators manage them: create, change, list. Only the fields named here can be changed.

import type { Issue } from "#contract/issue.ts";
import type { Core } from "#core/core.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import type { Database } from "#store/database.ts";
import {
  changeUser,
  findUser,
  insertUser,
  type ListedUser,
  listUsers,
  noPassword,
  type UserChange,
  type UsersFilter,
} from "#store/identity/users.ts";
import { changeRow, type Overtaken } from "#store/revision.ts";
import type { Role, UsersTable } from "#store/schema/identity.ts";
import { type HashingBusy, type PasswordHasher, passwordIssue } from "./password.ts";
import { normaliseEmail } from "./sign-in.ts";

export type UserRow = UsersTable;

interface UserDeps extends Pick<Core, "clock" | "database" | "newId"> {
  passwords: PasswordHasher;
}

export type SaveUserResult =
  | { kind: "saved"; user: UsersTable }
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "last_operator" }
  | { kind: "not_found" }
  /** Other changes were stored first, or the caller has seen an older revision. */
  | { kind: Overtaken }
  | { kind: HashingBusy };

const invalid = (field: "account" | "email" | "password", message: string): SaveUserResult => ({
  kind: "invalid",
  issues: [{ path: [field], message }],
});

const accountRule = "is needed for a member, and only for one";

/** Why a role cannot have this account; null if it can. Members have one account, operators have none. */
export async function roleAccountIssue(
  database: Database,
  role: Role,
  accountId: string | null,
): Promise<string | null> {
  if ((role === "member") !== (accountId !== null)) return accountRule;
  if (accountId !== null && (await database.run(findAccount, accountId)) === null) return "does not exist";
  return null;
}

/** Creates a user. A user without a password can sign in only after using a set-up link. */
export async function createUser(
  deps: UserDeps,
  input: { email: string; name: string; role: Role; accountId: string | null; password?: string | undefined },
): Promise<SaveUserResult> {
  const { database, clock, passwords, newId } = deps;
  const email = normaliseEmail(input.email);
  const accountIssue = await roleAccountIssue(database, input.role, input.accountId);
  if (accountIssue !== null) return invalid("account", accountIssue);
  const issue = input.password === undefined ? null : passwordIssue(input.password, email);
  if (issue !== null) return invalid("password", issue);
  const password: string = input.password === undefined ? noPassword : await passwords.hash(input.password);
  if (password === "busy") return { kind: "busy" };
  const now = clock.now();
  const user: UsersTable = {
    id: newId("usr"),
    email,
    name: input.name,
    role: input.role,
    account_id: input.accountId,
    password,
    active: 1,
    revision: 1,
    created_at: now,
    updated_at: now,
    signed_in_at: null,
  };
  return (await database.run(insertUser, user)) ? { kind: "saved", user } : invalid("email", "is taken");
}

/** What an operator may change about a user; absent fields are unchanged. A new password, or `active: false`, ends the user's sessions. */
interface UserChanges {
  name?: string | undefined;
  active?: boolean | undefined;
  role?: Role | undefined;
  /** Null for no account, as for operators. */
  accountId?: string | null | undefined;
  password?: string | undefined;
  /** The revision that the caller has seen. With another one nothing changes. */
  revision?: number | undefined;
}

export async function updateUser(deps: UserDeps, id: string, changes: UserChanges): Promise<SaveUserResult> {
  const { database, clock, passwords } = deps;
  // Hashed once, even if the change is computed several times.
  let hash: string | null = null;
  const read = () => database.run(findUser, id);
  return await changeRow(changes.revision, read, async (user): Promise<SaveUserResult | Overtaken> => {
    const change: UserChange = {};
    if (changes.name !== undefined) change.name = changes.name;
    if (changes.active !== undefined) change.active = changes.active ? 1 : 0;
    if (changes.role !== undefined || changes.accountId !== undefined) {
      const role = changes.role ?? user.role;
      // A member who becomes an operator loses the account.
      const currentAccountId = role === "operator" ? null : user.account_id;
      const accountId = changes.accountId === undefined ? currentAccountId : changes.accountId;
      const issue = await roleAccountIssue(database, role, accountId);
      if (issue !== null) return invalid("account", issue);
      change.role = role;
      change.account_id = accountId;
    }
    if (changes.password !== undefined) {
      const issue = passwordIssue(changes.password, user.email);
      if (issue !== null) return invalid("password", issue);
      const password: string = hash ?? (await passwords.hash(changes.password));
      if (password === "busy") return { kind: "busy" };
      hash = password;
      change.password = password;
    }
    const { revision } = user;
    const changed = await database.run(changeUser, { id, revision, change, at: clock.now() });
    if (changed.kind === "overtaken") return "overtaken";
    return changed.kind === "changed" ? { kind: "saved", user: changed.user } : changed;
  });
}

/** A page of users, newest first. */
export function userPage(database: Database, page: UsersFilter): Promise<ListedUser[]> {
  return database.run(listUsers, page);
}
