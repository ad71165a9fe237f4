// The users who manage an installation, their sessions, and the one-time codes that create the first user.

import { sql } from "kysely";
import { searched } from "#store/accounts/changes.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { SessionsTable, UsersTable } from "#store/schema/identity.ts";

/** What is stored for a user who has not chosen a password yet. No password matches it, so the user cannot sign in. */
export const noPassword = "";

/** `email` in lower case. Null: no user has this address. */
export const findUserByEmail = readOperation("findUserByEmail", async (tx, email: string) => {
  const user = await tx.db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
  return user ?? null;
});

export const findUser = readOperation("findUser", async (tx, id: string) => {
  const user = await tx.db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  return user ?? null;
});

/** Which users; null for all. `search`: part of a name or address, in either case. `before`: an id that they come after, newest first. */
export interface UsersFilter {
  accountId: string | null;
  search: string | null;
  before: string | null;
  limit: number;
}

/**
 * `account_name`: of the account that a member manages; null of an operator. `setup_link_expires_at`: of the link with which the user
 * may choose a password; null if the user has no link.
 */
export type ListedUser = UsersTable & { account_name: string | null; setup_link_expires_at: number | null };

/** The users that match, newest first. */
export const listUsers = readOperation("listUsers", async (tx, input: UsersFilter): Promise<ListedUser[]> => {
  let query = tx.db.selectFrom("users").selectAll();
  if (input.before !== null) query = query.where("id", "<", input.before);
  if (input.accountId !== null) query = query.where("account_id", "=", input.accountId);
  if (input.search !== null) {
    const part = searched(input.search);
    query = query.where(
      sql<boolean>`(lower(name) like ${part} escape '!' or lower(email) like ${part} escape '!')`,
    );
  }
  const users = await query.orderBy("id", "desc").limit(input.limit).execute();
  if (users.length === 0) return [];
  const links = await tx.db
    .selectFrom("user_setup_links")
    .select(["user_id", "expires_at"])
    .where(
      "user_id",
      "in",
      users.map(({ id }) => id),
    )
    .execute();
  const linkEnds = new Map(links.map(({ user_id, expires_at }) => [user_id, expires_at]));
  const ids = [...new Set(users.flatMap(({ account_id }) => account_id ?? []))];
  const accounts =
    ids.length === 0
      ? []
      : await tx.db.selectFrom("accounts").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return users.map((user) => ({
    ...user,
    account_name: names.get(user.account_id ?? "") ?? null,
    setup_link_expires_at: linkEnds.get(user.id) ?? null,
  }));
});

/** False: the email address is another user's. */
export const insertUser = writeOperation("insertUser", async (tx, user: UsersTable) => insertNew(tx, user));

async function insertNew(tx: Tx, user: UsersTable): Promise<boolean> {
  const inserted = await tx.db
    .insertInto("users")
    .values(user)
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .execute();
  return inserted.length > 0;
}

export type UserChange = Partial<Pick<UsersTable, "name" | "role" | "account_id" | "password" | "active">>;

/**
 * Changes a user. A new password, or being switched off, ends all the user's access in the same transaction. `last_operator`: the
 * change would take the last operator who can sign in, or the last active one, so nothing was changed. `revision`: of the user from
 * which the change was computed.
 */
export const changeUser = writeOperation(
  "changeUser",
  async (tx, input: { id: string; revision: number; change: UserChange; at: number }) => {
    const { id, revision, change, at } = input;
    // All active operators are locked, in one order: two of them who switch each other off must come one after the other.
    const operators = await tx.db
      .selectFrom("users")
      .select(["id", "password"])
      .where("role", "=", "operator")
      .where("active", "=", 1)
      .orderBy("id")
      .modifyEnd(tx.lock("update"))
      .execute();
    const leaves = change.active === 0 || change.role === "member";
    if (leaves && isLastOperator(operators, id)) return { kind: "last_operator" as const };
    const [user] = await tx.db
      .updateTable("users")
      .set({ ...change, revision: revision + 1, updated_at: at })
      .where("id", "=", id)
      .where("revision", "=", revision)
      .returningAll()
      .execute();
    if (user === undefined) return { kind: "overtaken" as const };
    if (change.password !== undefined || change.active === 0) {
      await endAccess(tx, id);
    }
    return { kind: "changed" as const, user };
  },
);

/**
 * Whether the installation needs this operator: no other active one can sign in, or there is no other. Who was invited and has no
 * password does not count for one who has; such an invitation can be withdrawn while another operator is active.
 */
function isLastOperator(active: readonly Pick<UsersTable, "id" | "password">[], id: string): boolean {
  const leaving = active.find((operator) => operator.id === id);
  if (leaving === undefined) return false;
  const others = active.filter((operator) => operator !== leaving);
  const needed =
    leaving.password === noPassword ? others : others.filter((other) => other.password !== noPassword);
  return needed.length === 0;
}

/** Ends what a user's old password or an earlier link opens: all sessions and the set-up link. */
export async function endAccess(tx: Tx, userId: string): Promise<void> {
  await tx.db.deleteFrom("sessions").where("user_id", "=", userId).execute();
  await tx.db.deleteFrom("user_setup_links").where("user_id", "=", userId).execute();
}

/**
 * Starts a session in place of the one whose hash is `replaces`, and deletes expired ones. False: the
 * user was switched off or got another password since the `password` that was checked.
 */
export const startSession = writeOperation(
  "startSession",
  async (
    tx,
    input: { session: SessionsTable; password: string; replaces: string | null; idleSince: number },
  ) => {
    const { session, password, replaces, idleSince } = input;
    if (replaces !== null) await tx.db.deleteFrom("sessions").where("hash", "=", replaces).execute();
    await tx.db
      .deleteFrom("sessions")
      .where((eb) => eb.or([eb("expires_at", "<=", session.created_at), eb("seen_at", "<=", idleSince)]))
      .execute();
    const signedIn = await tx.db
      .updateTable("users")
      .set({ signed_in_at: session.created_at })
      .where("id", "=", session.user_id)
      .where("active", "=", 1)
      .where("password", "=", password)
      .returning("id")
      .execute();
    if (signedIn.length === 0) return false;
    await tx.db.insertInto("sessions").values(session).execute();
    return true;
  },
);

/** The session with this hash and its user, while both are good. */
export const findSession = readOperation(
  "findSession",
  async (tx, input: { hash: string; now: number; idleSince: number }) => {
    const row = await tx.db
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.user_id")
      .select([
        "users.id",
        "users.email",
        "users.name",
        "users.role",
        "users.account_id",
        "sessions.created_at",
        "sessions.seen_at",
        "sessions.expires_at",
      ])
      .where("sessions.hash", "=", input.hash)
      .where("sessions.expires_at", ">", input.now)
      .where("sessions.seen_at", ">", input.idleSince)
      .where("users.active", "=", 1)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** The session is in use. */
export const touchSession = writeOperation(
  "touchSession",
  async (tx, input: { hash: string; at: number }) => {
    await tx.db
      .updateTable("sessions")
      .set({ seen_at: input.at })
      .where("hash", "=", input.hash)
      .where("seen_at", "<", input.at)
      .execute();
  },
);

export const endSession = writeOperation("endSession", async (tx, hash: string) => {
  await tx.db.deleteFrom("sessions").where("hash", "=", hash).execute();
});

/** Whether an operator can sign in. */
export const hasOperator = readOperation("hasOperator", async (tx, _input: null) => {
  const operator = await tx.db
    .selectFrom("users")
    .select("id")
    .where("role", "=", "operator")
    .where("active", "=", 1)
    .where("password", "!=", noPassword)
    .limit(1)
    .executeTakeFirst();
  return operator !== undefined;
});

/** Stores a set-up code's hash, and deletes expired codes. */
export const storeSetupCode = writeOperation(
  "storeSetupCode",
  async (tx, code: { hash: string; created_at: number; expires_at: number }) => {
    await tx.db.deleteFrom("setup_codes").where("expires_at", "<=", code.created_at).execute();
    await tx.db.insertInto("setup_codes").values(code).execute();
  },
);

/** Which of these hashes is a code that still works; null if none is. */
export const findSetupCode = readOperation(
  "findSetupCode",
  async (tx, input: { hashes: string[]; now: number }) => {
    const row = await tx.db
      .selectFrom("setup_codes")
      .select("hash")
      .where("hash", "in", input.hashes)
      .where("expires_at", ">", input.now)
      .executeTakeFirst();
    return row?.hash ?? null;
  },
);

/**
 * Consumes the code and creates its operator, or does neither. `recovers`: the code was made for this email address,
 * so it may also give the user with this address a new password and the role again; the user's old sessions and set-up link end.
 */
export const consumeSetupCode = writeOperation(
  "consumeSetupCode",
  async (tx, input: { hash: string; user: UsersTable; recovers: boolean; at: number }) => {
    const { hash, user, recovers, at } = input;
    const spent = await tx.db
      .deleteFrom("setup_codes")
      .where("hash", "=", hash)
      .where("expires_at", ">", at)
      .returning(["created_at", "expires_at"])
      .execute();
    const [code] = spent;
    if (code === undefined) return { kind: "wrong_code" as const };
    if (await insertNew(tx, user)) return { kind: "made" as const, id: user.id };
    const {
      id: _id,
      email,
      revision: _revision,
      created_at: _created,
      signed_in_at: _signedIn,
      ...change
    } = user;
    if (!recovers) {
      await tx.db
        .insertInto("setup_codes")
        .values({ hash, ...code })
        .execute();
      return { kind: "taken" as const };
    }
    const { id } = await tx.db
      .updateTable("users")
      .set((eb) => ({ ...change, revision: eb("revision", "+", 1) }))
      .where("email", "=", email)
      .returning("id")
      .executeTakeFirstOrThrow();
    await endAccess(tx, id);
    return { kind: "made" as const, id };
  },
);
