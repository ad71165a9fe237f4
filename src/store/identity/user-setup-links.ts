// One-time links with which users choose their passwords. A user has at most one, so a new one replaces the one before.

import { readOperation, writeOperation } from "#store/database.ts";
import type { UserSetupLinksTable } from "#store/schema/identity.ts";
import { endAccess } from "./users.ts";

/** Stores the hash of a user's link in place of an earlier one. `off`: the user is disabled, so nothing is stored. */
export const storeUserSetupLink = writeOperation(
  "storeUserSetupLink",
  async (tx, link: UserSetupLinksTable): Promise<"stored" | "off" | "not_found"> => {
    const user = await tx.db
      .selectFrom("users")
      .select("active")
      .where("id", "=", link.user_id)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (user === undefined) return "not_found";
    if (user.active === 0) return "off";
    const { user_id: _user, ...values } = link;
    await tx.db
      .insertInto("user_setup_links")
      .values(link)
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
      .execute();
    return "stored";
  },
);

/** The user of the link with this hash, if it is valid and the user is active; null otherwise. */
export const findUserOfSetupLink = readOperation(
  "findUserOfSetupLink",
  async (tx, input: { hash: string; now: number }) => {
    const link = await tx.db
      .selectFrom("user_setup_links")
      .select("user_id")
      .where("hash", "=", input.hash)
      .where("expires_at", ">", input.now)
      .executeTakeFirst();
    if (link === undefined) return null;
    const user = await tx.db
      .selectFrom("users")
      .selectAll()
      .where("id", "=", link.user_id)
      .executeTakeFirst();
    return user?.active === 1 ? user : null;
  },
);

/**
 * Consumes a user's link and sets this password, or does neither. The user's old sessions end. False if the link was used, replaced or has
 * expired, or the user is disabled.
 */
export const consumeUserSetupLink = writeOperation(
  "consumeUserSetupLink",
  async (tx, input: { userId: string; hash: string; password: string; at: number }): Promise<boolean> => {
    const { userId, hash, password, at } = input;
    // The user's row first, as every change of a user locks it.
    const user = await tx.db
      .selectFrom("users")
      .select("active")
      .where("id", "=", userId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (user?.active !== 1) return false;
    const consumed = await tx.db
      .deleteFrom("user_setup_links")
      .where("user_id", "=", userId)
      .where("hash", "=", hash)
      .where("expires_at", ">", at)
      .returning("user_id")
      .execute();
    if (consumed.length === 0) return false;
    await tx.db
      .updateTable("users")
      .set((eb) => ({ password, revision: eb("revision", "+", 1), updated_at: at }))
      .where("id", "=", userId)
      .execute();
    await endAccess(tx, userId);
    return true;
  },
);
