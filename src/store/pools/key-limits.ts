// Limits of pool keys that several processes share: requests and tokens a minute as buckets that refill continuously, and concurrent
// requests as leased slots. The rules are those of `KeyMeter` (src/ai/limits/limits.ts), in thousandths. A key's row is the lock: a process
// holds it to admit or end requests, so that a hundred requests in ten processes get exactly as many slots as there are. A refusal writes
// nothing. Nothing here needs a flush to disk: after a crash of the database a bucket may briefly be fuller.

import { sql } from "kysely";
import type { KeyRules } from "#contract/manage/pools/keys.ts";
import { batchedOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";

export interface CallToAdmit {
  keyId: string;
  limits: KeyRules["limits"];
  /** The estimate of its tokens. */
  tokens: number;
  /** Identifies its slot among the requests under way. */
  slot: string;
  /** When its slot is freed if its process dies; see `renewSlots`. */
  until: number;
  now: number;
}

interface Left {
  limit: number;
  remaining: number;
  resetMs: number;
}

interface Levels {
  requests: Left | null;
  tokens: Left | null;
}

/** Like `Admission` of src/ai/limits/limits.ts. `gone`: the key was removed or revoked. */
export type SharedAdmission =
  | { kind: "admitted"; levels: Levels }
  | { kind: "refused"; by: "requests" | "tokens" | "concurrency"; retryAfterMs: number; levels: Levels }
  | { kind: "gone" };

const minute = 60_000;
const thousandths = 1_000;
/** How long to wait for a slot when all are taken, since it is unknown when a request ends. */
const concurrencyRetryMs = 1_000;

type Kind = "requests" | "tokens";

interface Bucket {
  used: number;
  at: number;
}

interface KeyState {
  buckets: Partial<Record<Kind, Bucket>>;
  underWay: number;
  /** Slots whose lease has expired but whose rows still exist. */
  expired: number;
  changed: Set<Kind>;
}

/** Admits, in order, each call that fits into the limits of its key. */
export const admitCalls = batchedOperation("admitCalls", async (tx, calls: readonly CallToAdmit[]) => {
  const keys = await lockKeys(
    tx,
    calls.map(({ keyId }) => keyId),
  );
  const now = Math.max(...calls.map((call) => call.now));
  const states = await readStates(tx, [...keys], now);
  const admitted: CallToAdmit[] = [];
  const results = calls.map((call): SharedAdmission => {
    const state = states.get(call.keyId);
    if (!state) return { kind: "gone" };
    const admission = admit(state, call);
    if (admission.kind === "admitted") admitted.push(call);
    return admission;
  });
  await writeBuckets(tx, states);
  const taking = admitted.filter(({ limits }) => limits.concurrency !== null);
  const littered = [...states].flatMap(([key, { expired }]) => (expired > 0 ? [key] : []));
  if (taking.length > 0 && littered.length > 0)
    await tx.db.deleteFrom("key_slots").where("key_id", "in", littered).where("until", "<=", now).execute();
  await writeSlots(tx, taking);
  return results;
});

/** The remaining limits of a key. `underWay`: concurrent requests, counted if the key limits them. */
export interface KeyLevels extends Levels {
  underWay: number;
}

/** The remaining limits of each of these keys, in the same order. */
export const readKeyLevels = readOperation(
  "readKeyLevels",
  async (
    tx,
    { keys, now }: { keys: readonly Pick<CallToAdmit, "keyId" | "limits">[]; now: number },
  ): Promise<KeyLevels[]> => {
    if (keys.length === 0) return [];
    const states = await readStates(tx, [...new Set(keys.map(({ keyId }) => keyId))], now);
    return keys.map(({ keyId, limits }) => {
      const { buckets, underWay } = states.get(keyId)!;
      const requests = refilled(buckets.requests, limits.requests_per_minute, now);
      const tokens = refilled(buckets.tokens, limits.tokens_per_minute, now);
      return { requests: requests && leftOf(requests), tokens: tokens && leftOf(tokens), underWay };
    });
  },
);

export interface CallToEnd {
  keyId: string;
  slot: string;
  /** The tokens that were estimated on admission, and those really used. */
  estimatedTokens: number;
  usedTokens: number;
}

/** Frees the slots of calls that have ended, and replaces their estimates with real usage. */
export const endCalls = batchedOperation("endCalls", async (tx, calls: readonly CallToEnd[]) => {
  await lockKeys(
    tx,
    calls.map(({ keyId }) => keyId),
  );
  const ended = tx.rows(
    "ended",
    { key_id: "text", slot: "text" },
    calls.map(({ keyId, slot }) => ({ key_id: keyId, slot })),
  );
  await sql`delete from key_slots where (key_id, slot) in (select key_id, slot from ${ended})`.execute(tx.db);
  const more = new Map<string, number>();
  for (const { keyId, estimatedTokens: reckoned, usedTokens: used } of calls)
    more.set(keyId, (more.get(keyId) ?? 0) + (used - reckoned) * thousandths);
  const settled = [...more].flatMap(([key_id, used]) => (used === 0 ? [] : [{ key_id, used }]));
  if (settled.length > 0) {
    await tx.update("key_buckets", { key_id: "text", used: "bigint" }, settled, (of) => ({
      set: sql`used = key_buckets.used + ${of("used")}`,
      where: sql`key_buckets.key_id = ${of("key_id")} and key_buckets.kind = 'tokens'`,
    }));
  }
  return calls.map(() => null);
});

/** Renews the slots of calls that are still under way. */
export const renewSlots = writeOperation(
  "renewSlots",
  async (tx, input: { slots: readonly { keyId: string; slot: string }[]; until: number }) => {
    const keys = await lockKeys(
      tx,
      input.slots.map(({ keyId }) => keyId),
    );
    const held = input.slots.filter(({ keyId }) => keys.has(keyId));
    await writeSlots(
      tx,
      held.map((slot) => ({ ...slot, until: input.until })),
    );
  },
);

/** Locks the existing keys in one fixed order, so that two transactions never deadlock. */
async function lockKeys(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  // Part of a statement that runs first anyway: a separate one would cost another round trip.
  const unflushed =
    tx.engine === "postgres" ? sql`, set_config('synchronous_commit', 'off', true) as unflushed` : sql``;
  const { rows } = await sql<{ id: string }>`
    select id${unflushed} from pool_keys
    where id in ${tx.list([...new Set(ids)])} and revoked_at is null order by id ${tx.lock("update")}
  `.execute(tx.db);
  return new Set(rows.map(({ id }) => id));
}

/** The state of these keys. A separate statement, after the lock: a statement that waited for the lock would see old rows. */
async function readStates(tx: Tx, ids: readonly string[], now: number): Promise<Map<string, KeyState>> {
  const states = new Map<string, KeyState>(
    ids.map((id) => [id, { buckets: {}, underWay: 0, expired: 0, changed: new Set() }]),
  );
  const keys = tx.list(ids);
  const { rows } = await sql<{ key_id: string; kind: Kind | "slots"; used: number; at: number }>`
    select key_id, kind, used, at from key_buckets where key_id in ${keys}
    union all
    select key_id, 'slots', sum(case when until > ${now} then 1 else 0 end),
      sum(case when until > ${now} then 0 else 1 end)
    from key_slots where key_id in ${keys} group by key_id
  `.execute(tx.db);
  for (const { key_id, kind, used, at } of rows) {
    const state = states.get(key_id)!;
    if (kind === "slots") Object.assign(state, { underWay: Number(used), expired: Number(at) });
    else state.buckets[kind] = { used: Number(used), at: Number(at) };
  }
  return states;
}

function admit(state: KeyState, { limits, tokens, now }: CallToAdmit): SharedAdmission {
  const requests = refilled(state.buckets.requests, limits.requests_per_minute, now);
  const spent = refilled(state.buckets.tokens, limits.tokens_per_minute, now);
  const levels = () => ({ requests: requests && leftOf(requests), tokens: spent && leftOf(spent) });
  const refused = (by: Kind | "concurrency", retryAfterMs: number): SharedAdmission => ({
    kind: "refused",
    by,
    retryAfterMs,
    levels: levels(),
  });
  if (limits.concurrency !== null && state.underWay >= limits.concurrency)
    return refused("concurrency", concurrencyRetryMs);
  const forRequest = requests ? waitMs(requests, 1) : 0;
  if (forRequest > 0) return refused("requests", forRequest);
  const forTokens = spent ? waitMs(spent, tokens) : 0;
  if (forTokens > 0) return refused("tokens", forTokens);
  take(state, "requests", requests, 1);
  take(state, "tokens", spent, tokens);
  state.underWay += 1;
  return { kind: "admitted", levels: levels() };
}

interface Refilled extends Bucket {
  limit: number;
}

/** The state of a bucket at `now`; a clock that runs backwards refills nothing. */
function refilled(bucket: Bucket | undefined, limit: number | null, now: number): Refilled | null {
  if (limit === null) return null;
  const { used, at } = bucket ?? { used: 0, at: now };
  // A limit of n requests a minute refills n thousandths of one in 60 ms. Rounded against the caller, by less than a thousandth.
  const gained = Math.floor((Math.max(0, now - at) * limit * thousandths) / minute);
  return { limit, used: Math.max(0, used - gained), at: Math.max(at, now) };
}

/** How long until `amount` is available, ms; 0 if it is. More than the bucket holds counts as all of it. */
function waitMs({ limit, used }: Refilled, amount: number): number {
  const short = Math.min(amount, limit) * thousandths - (limit * thousandths - used);
  return short <= 0 ? 0 : Math.ceil((short * minute) / (limit * thousandths));
}

function leftOf({ limit, used }: Refilled): Left {
  return {
    limit,
    remaining: Math.max(0, Math.floor((limit * thousandths - used) / thousandths)),
    resetMs: Math.max(0, Math.ceil((used * minute) / (limit * thousandths))),
  };
}

function take(state: KeyState, kind: Kind, bucket: Refilled | null, amount: number): void {
  if (!bucket) return;
  bucket.used += amount * thousandths;
  state.buckets[kind] = bucket;
  state.changed.add(kind);
}

async function writeBuckets(tx: Tx, states: ReadonlyMap<string, KeyState>): Promise<void> {
  const records = [...states].flatMap(([key_id, { buckets, changed }]) =>
    [...changed].map((kind) => ({ key_id, kind, used: buckets[kind]!.used, at: buckets[kind]!.at })),
  );
  if (records.length === 0) return;
  const columns = { key_id: "text", kind: "text", used: "bigint", at: "bigint" } as const;
  await sql`
    insert into key_buckets (key_id, kind, used, at)
    select key_id, kind, used, at from ${tx.rows("written", columns, records)} where true
    on conflict (key_id, kind) do update set used = excluded.used, at = excluded.at
  `.execute(tx.db);
}

async function writeSlots(
  tx: Tx,
  slots: readonly { keyId: string; slot: string; until: number }[],
): Promise<void> {
  if (slots.length === 0) return;
  const rows = tx.rows(
    "taken",
    { key_id: "text", slot: "text", until: "bigint" },
    slots.map(({ keyId, slot, until }) => ({ key_id: keyId, slot, until })),
  );
  await sql`
    insert into key_slots (key_id, slot, until) select key_id, slot, until from ${rows} where true
    on conflict (key_id, slot) do update set until = excluded.until
  `.execute(tx.db);
}
