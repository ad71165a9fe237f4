// Looks up records of many kinds by their ids, and gateways by their identifiers.

import { sql } from "kysely";
import type { recordKinds } from "#contract/manage/find.ts";
import { readOperation, type Tx } from "./database.ts";

type RecordKind = (typeof recordKinds)[number];

/** The kind of a record and its table. `title`: the column by which people know it. */
const places = [
  { kind: "account", prefix: "acc", table: "accounts", account: "id", title: "name", at: "created_at" },
  {
    kind: "message",
    prefix: "msg",
    table: "messages",
    account: "account_id",
    title: "recipient",
    at: "created_at",
  },
  {
    kind: "request",
    prefix: "req",
    table: "requests",
    account: "account_id",
    title: "channel",
    at: "created_at",
  },
  { kind: "call", prefix: "req", table: "completions", account: "account_id", title: "model", at: "at" },
  {
    kind: "received",
    prefix: "in",
    table: "inbound_messages",
    account: "account_id",
    title: "sender",
    at: "received_at",
  },
  { kind: "pool", prefix: "pool", table: "pools", account: "account_id", title: "name", at: "created_at" },
  {
    kind: "member",
    prefix: "mem",
    table: "pool_members",
    account: "account_id",
    title: "name",
    at: "created_at",
  },
  {
    kind: "pool_key",
    prefix: "key",
    table: "pool_keys",
    account: "account_id",
    title: "name",
    at: "created_at",
  },
  {
    kind: "domain",
    prefix: "dom",
    table: "sending_domains",
    account: "account_id",
    title: "domain",
    at: "created_at",
  },
] as const satisfies readonly (Record<string, string> & { kind: RecordKind })[];

export interface FoundRecord {
  kind: RecordKind;
  account_id: string;
  account_name: string;
  id: string;
  title: string | null;
  /** For a call, a member or a pool key: its pool. */
  pool_id: string | null;
  /** When it was created, epoch ms. */
  at: number;
}

/** `accountId` null: of every account. */
interface Names {
  accountId: string | null;
  ids: readonly string[];
  /** May be the identifier of a gateway. */
  identifier: string;
}

/** The prefixes of ids that can be found. */
export const idPrefixes: ReadonlySet<string> = new Set(places.map(({ prefix }) => prefix));

const inPool: ReadonlySet<RecordKind> = new Set(["call", "member", "pool_key"]);

async function foundIn(tx: Tx, place: (typeof places)[number], { accountId, ids }: Names) {
  const { kind, prefix, table, account, title, at } = place;
  const own = ids.filter((id) => id.startsWith(`${prefix}_`));
  if (own.length === 0) return [];
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const { rows } = await sql<FoundRecord>`
    select ${sql.lit(kind)} as kind, ${column(account)} as account_id,
      (select name from accounts as owner where owner.id = ${column(account)}) as account_name,
      ${column("id")} as id, ${column(title)} as title,
      ${inPool.has(kind) ? column("pool_id") : sql`null`} as pool_id, ${column(at)} as at
    from ${sql.table(table)}
    where ${column("id")} in (${sql.join(own)}) ${accountId === null ? sql`` : sql`and ${column(account)} = ${accountId}`}
  `.execute(tx.db);
  return rows;
}

/** The records with these names. */
export const findRecords = readOperation("findRecords", async (tx, names: Names): Promise<FoundRecord[]> => {
  const found: FoundRecord[] = [];
  for (const place of places) found.push(...(await foundIn(tx, place, names)));
  const { accountId, identifier } = names;
  const { rows } = await sql<FoundRecord>`
    select 'gateway' as kind, account_id,
      (select name from accounts as owner where owner.id = gateways.account_id) as account_name,
      identifier as id, kind as title, null as pool_id, created_at as at
    from ${tx.indexed("gateways")}
    where identifier = ${identifier} ${accountId === null ? sql`` : sql`and account_id = ${accountId}`}
  `.execute(tx.db);
  return [...found, ...rows].map((row) => ({ ...row, at: Number(row.at) }));
});
