// Searches an account's messages, newest first unless asked otherwise. Each search walks the one index that fits its filters best and reads a bounded range of it:
// finding a rare status among millions of messages takes several short reads rather than one long one, which on SQLite would block every
// other reader.

import { type RawBuilder, sql } from "kysely";
import { type Channel, statuses as everyStatus, type Status } from "#contract/messages/channel.ts";
import { readOperation, type Tx } from "#store/database.ts";
import { readNames } from "#store/gateways/names.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { withContentColumns, withContents } from "./contents.ts";
import { identifierOfGateway, type MessageRow } from "./lookup.ts";

export interface SearchInput {
  accountId: string;
  /** Never empty. */
  channels: readonly Channel[];
  /** Any of these; null for every status. */
  statuses: readonly Status[] | null;
  gatewayId: string | null;
  recipient: string | null;
  /** Bounds of the id: at least `from`, below `before`. */
  from: string;
  before: string;
  /** Exact bounds of the time of acceptance, epoch ms: at or after the first, before the second. */
  acceptedFrom: number | null;
  acceptedBefore: number | null;
  limit: number;
  /** Most rows to read of each channel that is walked, if not every row matches. */
  maxScanned: number;
  /** Most bytes of email bodies in the result; the first one found may be larger. */
  bytes: number;
  narrowing?: Narrowing;
  /** Rows come without the bodies of emails. */
  brief?: boolean;
  /** The oldest of the bounds first. */
  ascending?: boolean;
}

/** Filters without an index of their own, and two that name their rows. An absent one filters nothing. */
export interface Narrowing {
  requestId?: string;
  test?: boolean;
  errorCode?: string;
  /** Whether a restored installation holds them. */
  held?: boolean;
  /** Only these messages. */
  ids?: readonly string[];
}

export interface SearchPage {
  rows: MessageRow[];
  /** Where the search stopped before it found enough: continue before this id (after it, if ascending). Null if there is nothing more. */
  lookedTo: string | null;
  /** What remains of `bytes`. If not above 0, the search stopped because they were used up. */
  bytesLeft: number;
}

/** Statuses that nearly all messages reach, for which the index of statuses is not selective. */
const commonStatuses: ReadonlySet<Status> = new Set(["sent", "delivered", "read"]);

const orderOf = ({ ascending }: SearchInput) => (ascending === true ? sql`asc` : sql`desc`);

type Walk = { rows: RawBuilder<unknown>; exact: boolean };

/**
 * One range of an index, in the order of the search. `exact`: every row of it matches, except perhaps for its time. The branches of a union are written
 * out, so that each is a walk of its own.
 */
function walk(tx: Tx, input: SearchInput): Walk {
  const { accountId, channels, statuses, gatewayId, recipient, from, before, maxScanned } = input;
  const { narrowing } = input;
  const narrow = narrowing === undefined ? sql`` : sql`, request_id, test, error_code, held_due_at`;
  const along = (index: string | undefined, where: RawBuilder<unknown>) => sql`
    select id, channel, status, gateway_id, account_id, created_at${narrow} from ${tx.indexed("messages", index)}
    where ${where} and id >= ${from} and id < ${before} order by id ${orderOf(input)} limit ${maxScanned}
  `;
  if (narrowing?.ids !== undefined)
    return { rows: along(undefined, sql`id in ${tx.list(narrowing.ids)}`), exact: false };
  if (narrowing?.held === true)
    return { rows: along("messages_held", sql`held_due_at is not null`), exact: false };
  if (recipient !== null) {
    const exact = channels.length > 1 && statuses === null && gatewayId === null;
    const ofRecipient = sql`account_id = ${accountId} and recipient = ${recipient}`;
    return { rows: along("messages_recipient", ofRecipient), exact };
  }
  if (gatewayId !== null && (statuses?.some((status) => commonStatuses.has(status)) ?? true)) {
    // A gateway belongs to one account and one channel; the caller has checked both.
    return { rows: along("messages_gateway", sql`gateway_id = ${gatewayId}`), exact: statuses === null };
  }
  // The newest of all statuses are a merge of the newest of each, which saves an index of their own.
  const stretches = channels.flatMap((channel) =>
    (statuses ?? everyStatus).map((status) =>
      along(
        "messages_status",
        sql`account_id = ${accountId} and channel = ${channel} and status = ${status}`,
      ),
    ),
  );
  const exact = gatewayId === null;
  if (stretches.length === 1) return { rows: stretches[0]!, exact };
  const branches = stretches.map(
    (branch, at) => sql`select * from (${branch}) as ${sql.ref(`branch_${at}`)}`,
  );
  return {
    rows: sql`${sql.join(branches, sql` union all `)} order by id ${orderOf(input)} limit ${maxScanned}`,
    exact,
  };
}

function narrowed({ requestId, test, errorCode, held }: Narrowing): RawBuilder<unknown>[] {
  const fits: RawBuilder<unknown>[] = [];
  if (requestId !== undefined) fits.push(sql`request_id = ${requestId}`);
  if (test !== undefined) fits.push(sql`test = ${test ? 1 : 0}`);
  if (errorCode !== undefined) fits.push(sql`error_code = ${errorCode}`);
  if (held !== undefined) fits.push(held ? sql`held_due_at is not null` : sql`held_due_at is null`);
  return fits;
}

/** One bounded search. Rows include their gateways' identifiers. */
export const searchMessages = readOperation(
  "searchMessages",
  async (tx, input: SearchInput): Promise<SearchPage> => {
    const { accountId, channels, statuses, gatewayId, acceptedFrom, acceptedBefore, limit } = input;
    const timed = acceptedFrom !== null || acceptedBefore !== null;
    const exact = walk(tx, input).exact && !timed && input.narrowing === undefined;
    const { rows: walked } = walk(tx, exact ? { ...input, maxScanned: limit } : input);
    const fits = [sql`account_id = ${accountId}`, sql`channel in (${sql.join(channels)})`];
    if (statuses !== null) fits.push(sql`status in (${sql.join(statuses)})`);
    if (gatewayId !== null) fits.push(sql`gateway_id = ${gatewayId}`);
    if (acceptedFrom !== null) fits.push(sql`created_at >= ${acceptedFrom}`);
    if (acceptedBefore !== null) fits.push(sql`created_at < ${acceptedBefore}`);
    fits.push(...narrowed(input.narrowing ?? {}));
    const { rows: found } = await sql<{ id: string }>`
      select id from (${walked}) as walked where ${sql.join(fits, sql` and `)} order by id ${orderOf(input)} limit ${limit}
    `.execute(tx.db);
    let lookedTo: string | null = null;
    if (!exact && found.length < limit) {
      const last = input.ascending === true ? sql`max(id)` : sql`min(id)`;
      const { rows } = await sql<{ count: number; last: string | null }>`
        select count(*) as count, ${last} as last from (${walked}) as walked
      `.execute(tx.db);
      if (Number(rows[0]?.count) >= input.maxScanned) lookedTo = rows[0]!.last;
    }
    if (found.length === 0) return { rows: [], lookedTo, bytesLeft: input.bytes };
    const ids = tx.list(found.map(({ id }) => id));
    const rows = await tx.db
      .selectFrom(tx.indexed("messages"))
      .selectAll("messages")
      .select(identifierOfGateway)
      .where("messages.id", "in", ids)
      .orderBy("messages.id", input.ascending === true ? "asc" : "desc")
      .execute();
    if (input.brief === true)
      return {
        rows: (await withContentColumns(tx, rows)) as MessageRow[],
        lookedTo,
        bytesLeft: input.bytes,
      };
    const whole = await withContents(tx, rows, input.bytes);
    const fitting = whole.rows as MessageRow[];
    if (fitting.length < rows.length) return { rows: fitting, lookedTo: fitting.at(-1)!.id, bytesLeft: 0 };
    return { rows: fitting, lookedTo, bytesLeft: whole.bytesLeft };
  },
);

/** The account's gateway of this name, for a filter; otherwise the deleted one that had it last. */
export const findAccountGateway = readOperation(
  "findAccountGateway",
  async (
    tx,
    input: { accountId: string; identifier: string },
  ): Promise<Pick<GatewaysTable, "id" | "channel"> | null> => {
    const gateway = await tx.db
      .selectFrom("gateways")
      .select(["id", "channel"])
      .where("identifier", "=", input.identifier)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    if (gateway) return gateway;
    const gone = await tx.db
      .selectFrom(tx.indexed("deleted_gateways", "deleted_gateways_account"))
      .select(["id", "channel"])
      .where("account_id", "=", input.accountId)
      .where("identifier", "=", input.identifier)
      .orderBy("deleted_at", "desc")
      .executeTakeFirst();
    return gone ?? null;
  },
);

/** The ids of the account's messages with this reference, given by a caller or a provider, at most `limit` of each. */
export const findReferenced = readOperation(
  "findReferenced",
  async (tx, input: { accountId: string; reference: string; limit: number }): Promise<string[]> => {
    const own = await tx.db
      .selectFrom(tx.indexed("messages", "messages_reference"))
      .select("id")
      .where("account_id", "=", input.accountId)
      .where("reference", "=", input.reference)
      .orderBy("id", "desc")
      .limit(input.limit)
      .execute();
    const ids = own.map(({ id }) => id);
    const gateways = await readNames(tx, input.accountId);
    if (gateways.length === 0) return ids;
    const found = await tx.db
      .selectFrom(tx.indexed("message_references"))
      .select("message_id")
      .where("gateway_id", "in", tx.list(gateways.map(([id]) => id)))
      .where("reference", "=", input.reference)
      .limit(input.limit)
      .execute();
    return [...new Set([...ids, ...found.flatMap(({ message_id }) => message_id ?? [])])];
  },
);
