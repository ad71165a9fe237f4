// The domains that an account's mail is signed for, with their keys. Every operation takes the account, and finds nothing of other
// accounts. A change of the signing keys increments the revision of the account's email lanes, so that their owners reopen them with the
// current keys.

import { lockAccount } from "#store/accounts/accounts.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { DkimKeysTable, SendingDomainsTable } from "#store/schema/email.ts";

/** The context in which a private key is sealed. */
export const privateKeyContext = (keyId: string) => `dkim_keys ${keyId} private_key`;

/** Sending domains of an account. */
export const maxSendingDomains = 100;

export interface DomainWithKeys {
  domain: SendingDomainsTable;
  /** Oldest first. */
  keys: DkimKeysTable[];
}

/** The account's domains by name, or the one with `id`. */
export const readSendingDomains = readOperation(
  "readSendingDomains",
  async (tx, input: { accountId: string; id: string | null }): Promise<DomainWithKeys[]> => {
    let query = tx.db.selectFrom("sending_domains").selectAll().where("account_id", "=", input.accountId);
    if (input.id !== null) query = query.where("id", "=", input.id);
    return await withKeys(tx, await query.orderBy("domain").execute());
  },
);

export const findSendingDomain = readOperation(
  "findSendingDomain",
  async (tx, input: { accountId: string; domain: string }): Promise<DomainWithKeys | null> => {
    const rows = await tx.db
      .selectFrom("sending_domains")
      .selectAll()
      .where("account_id", "=", input.accountId)
      .where("domain", "=", input.domain)
      .execute();
    return (await withKeys(tx, rows))[0] ?? null;
  },
);

async function withKeys(tx: Tx, domains: SendingDomainsTable[]): Promise<DomainWithKeys[]> {
  if (domains.length === 0) return [];
  const ids = domains.map(({ id }) => id);
  const keys = await tx.db
    .selectFrom("dkim_keys")
    .selectAll()
    .where("domain_id", "in", ids)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return domains.map((domain) => ({ domain, keys: keys.filter(({ domain_id }) => domain_id === domain.id) }));
}

/** The active keys of the most specific of these domains that has any. `domains`: most specific first. */
export const findSigningKeys = readOperation(
  "findSigningKeys",
  async (tx, input: { accountId: string; domains: string[] }) => {
    const rows = await tx.db
      .selectFrom("dkim_keys")
      .innerJoin("sending_domains", "sending_domains.id", "dkim_keys.domain_id")
      .select(["dkim_keys.id", "domain", "selector", "algorithm", "private_key"])
      .where("sending_domains.account_id", "=", input.accountId)
      .where("domain", "in", input.domains)
      .where("state", "=", "active")
      .orderBy("algorithm", "desc")
      .orderBy("dkim_keys.id")
      .execute();
    const signing = input.domains.find((domain) => rows.some((row) => row.domain === domain));
    return rows.filter(({ domain }) => domain === signing);
  },
);

/** Creates a domain with its keys, unless the account already has it or has the maximum number of domains. */
export const createSendingDomain = writeOperation(
  "createSendingDomain",
  async (tx, { domain, keys }: DomainWithKeys): Promise<"created" | "taken" | "too_many"> => {
    // Two concurrent calls would not see each other.
    await lockAccount(tx, domain.account_id);
    const all = await tx.db
      .selectFrom("sending_domains")
      .select("domain")
      .where("account_id", "=", domain.account_id)
      .execute();
    if (all.some((existing) => existing.domain === domain.domain)) return "taken";
    if (all.length >= maxSendingDomains) return "too_many";
    await tx.db.insertInto("sending_domains").values(domain).execute();
    if (keys.length > 0) await tx.db.insertInto("dkim_keys").values(keys).execute();
    tx.changes.topic(domain.account_id, "domains");
    if (keys.some(({ state }) => state === "active")) await reopenLanes(tx, domain.account_id);
    return "created";
  },
);

interface Whose {
  accountId: string;
  domainId: string;
  at: number;
}

/** Locks the account, so that changes of a domain are serialised, and returns whether it has the domain. */
async function lockDomain(tx: Tx, { accountId, domainId }: Omit<Whose, "at">): Promise<boolean> {
  await lockAccount(tx, accountId);
  const row = await tx.db
    .selectFrom("sending_domains")
    .select("id")
    .where("id", "=", domainId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds keys that wait for their DNS records. `pending`: other keys already wait, and `replace` does not allow these to replace them. Keys
 * that were retired before `forgetBefore` (epoch ms) are deleted.
 */
export const addPendingKeys = writeOperation(
  "addPendingKeys",
  async (
    tx,
    input: Whose & { keys: DkimKeysTable[]; replace: boolean; deleteRetiredBefore: number },
  ): Promise<"added" | "pending" | "not_found"> => {
    if (!(await lockDomain(tx, input))) return "not_found";
    const ofDomain = tx.db.deleteFrom("dkim_keys").where("domain_id", "=", input.domainId);
    if (input.replace) await ofDomain.where("state", "=", "pending").execute();
    const waiting = await tx.db
      .selectFrom("dkim_keys")
      .select("id")
      .where("domain_id", "=", input.domainId)
      .where("state", "=", "pending")
      .executeTakeFirst();
    if (waiting) return "pending";
    await ofDomain
      .where("state", "=", "retired")
      .where("updated_at", "<", input.deleteRetiredBefore)
      .execute();
    await tx.db.insertInto("dkim_keys").values(input.keys).execute();
    await touch(tx, input);
    return "added";
  },
);

/**
 * Activates pending keys, those with `ids` or all (null), and retires the former keys of the same algorithm. Returns the ids of the keys
 * that became active; null if the account has no such domain.
 */
export const activateKeys = writeOperation(
  "activateKeys",
  async (tx, input: Whose & { ids: string[] | null }): Promise<string[] | null> => {
    if (!(await lockDomain(tx, input))) return null;
    const pending = await tx.db
      .selectFrom("dkim_keys")
      .select(["id", "algorithm"])
      .where("domain_id", "=", input.domainId)
      .where("state", "=", "pending")
      .orderBy("id")
      .execute();
    const chosen = pending.filter(({ id }) => input.ids === null || input.ids.includes(id));
    if (chosen.length === 0) return [];
    const ids = chosen.map(({ id }) => id);
    await retire(
      tx,
      input,
      chosen.map(({ algorithm }) => algorithm),
    );
    await tx.db
      .updateTable("dkim_keys")
      .set({ state: "active", updated_at: input.at })
      .where("id", "in", ids)
      .execute();
    await touch(tx, input);
    await reopenLanes(tx, input.accountId);
    return ids;
  },
);

/**
 * Activates given keys whose records are already in DNS: each replaces the one with its selector, and those of its algorithm are retired.
 * False if the account has no such domain.
 */
export const putActiveKeys = writeOperation(
  "putActiveKeys",
  async (tx, input: Whose & { keys: DkimKeysTable[] }): Promise<boolean> => {
    if (!(await lockDomain(tx, input))) return false;
    const selectors = input.keys.map(({ selector }) => selector);
    await tx.db
      .deleteFrom("dkim_keys")
      .where("domain_id", "=", input.domainId)
      .where("selector", "in", selectors)
      .execute();
    await retire(
      tx,
      input,
      input.keys.map(({ algorithm }) => algorithm),
    );
    await tx.db.insertInto("dkim_keys").values(input.keys).execute();
    await touch(tx, input);
    await reopenLanes(tx, input.accountId);
    return true;
  },
);

/** Removes a domain with its keys; its mail is no longer signed. False if the account has no such domain. */
export const removeSendingDomain = writeOperation(
  "removeSendingDomain",
  async (tx, input: { accountId: string; domainId: string }): Promise<boolean> => {
    if (!(await lockDomain(tx, input))) return false;
    await tx.db.deleteFrom("dkim_keys").where("domain_id", "=", input.domainId).execute();
    await tx.db.deleteFrom("sending_domains").where("id", "=", input.domainId).execute();
    tx.changes.topic(input.accountId, "domains");
    await reopenLanes(tx, input.accountId);
    return true;
  },
);

/** Deletes the private half: a retired key never signs again. */
async function retire(tx: Tx, { domainId, at }: Whose, algorithms: DkimKeysTable["algorithm"][]) {
  await tx.db
    .updateTable("dkim_keys")
    .set({ state: "retired", private_key: "", updated_at: at })
    .where("domain_id", "=", domainId)
    .where("state", "=", "active")
    .where("algorithm", "in", algorithms)
    .execute();
}

async function touch(tx: Tx, { accountId, domainId, at }: Whose): Promise<void> {
  tx.changes.topic(accountId, "domains");
  await tx.db.updateTable("sending_domains").set({ updated_at: at }).where("id", "=", domainId).execute();
}

async function reopenLanes(tx: Tx, accountId: string): Promise<void> {
  tx.changes.add("lanes");
  const lanes = await tx.db
    .selectFrom("lanes")
    .select("id")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("gateways")
        .select("id")
        .where("account_id", "=", accountId)
        .where("channel", "=", "email"),
    )
    // In the order in which all transactions lock lanes.
    .orderBy("id")
    .modifyEnd(tx.lock("update"))
    .execute();
  for (const { id } of lanes)
    await tx.db
      .updateTable("lanes")
      .set((eb) => ({ revision: eb("revision", "+", 1) }))
      .where("id", "=", id)
      .execute();
}
