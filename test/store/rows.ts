// Small builders of rows for the store's tests. Every row is made through the store itself.

import assert from "node:assert/strict";
import type { Channel } from "#contract/messages/channel.ts";
import { xorshift32 } from "#runtime/random.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { changeAccount, createAccount, type NewAllowance } from "#store/accounts/changes.ts";
import type { Database } from "#store/database.ts";
import type { IncomingReceipt } from "#store/feedback/receipts.ts";
import { findGateway, saveGateway } from "#store/gateways/gateways.ts";
import { claimLanes } from "#store/lanes/lanes.ts";
import { beginAttempts, type Settlement, settleMessages } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { messageColumns, type NewMessage, type SendInput } from "#store/messages/send.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import type { AccountsTable, EventsTable, GatewaysTable, MessagesTable } from "#store/schema/schema.ts";
import type { Store } from "./conformance.ts";

/** Any instant, as the tests' present. */
export const now = 1_800_000_000_000;

let made = 0;
/** An id that no other row of this file has; later ones sort behind earlier ones, as real ids do. */
export const fresh = (prefix: string) => `${prefix}_${String(++made).padStart(8, "0")}`;

export async function makeAccount(
  database: Database,
  options: { sms?: number; renews?: "monthly" | null } & Partial<AccountsTable> = {},
): Promise<string> {
  const { sms, renews = null, ...columns } = options;
  const id = columns.id ?? fresh("acc");
  const account: AccountsTable = {
    id,
    name: `name of ${id}`,
    time_zone: "UTC",
    country: null,
    plan_name: "unlimited",
    plan_expires_at: null,
    requests_per_minute: null,
    lateness_ms: 259_200_000,
    channel_failover: 0,
    attachment_files: 10,
    attachment_bytes: 10_485_760,
    ai_budget: null,
    revision: 1,
    created_at: now,
    updated_at: now,
    ...columns,
  };
  const allowances: NewAllowance[] =
    sms === undefined ? [] : [{ channel: "sms", allowance: sms, id: fresh("ce") }];
  assert.equal(await database.run(createAccount, { account, allowances, renews }), "created");
  return id;
}

/** Makes a gateway, or changes the one with the id in `columns`. */
/** Gives the account's channel an allowance (null: unlimited) as a change of the account does: again where another one overtakes it. */
export async function setAllowance(
  database: Database,
  id: string,
  channel: Channel,
  allowance: number | null,
  { renews = null, at = now }: { renews?: "monthly" | null; at?: number } = {},
): Promise<void> {
  const allowances: NewAllowance[] = [{ channel, allowance, id: fresh("ce") }];
  for (let tries = 0; tries < 10; tries += 1) {
    const { revision } = (await database.run(findAccount, id))!;
    const change = { id, revision, columns: {}, allowances, renews, at };
    if ((await database.run(changeAccount, change)) === "changed") return;
  }
  assert.fail("Other changes overtook this one ten times.");
}

export async function makeGateway(
  database: Database,
  accountId: string,
  columns: Partial<GatewaysTable> = {},
): Promise<string> {
  const id = columns.id ?? fresh("gw");
  const stored = columns.id === undefined ? null : await database.run(findGateway, id);
  await database.run(saveGateway, {
    id,
    account_id: accountId,
    identifier: `identifier-${id}`,
    channel: "sms",
    kind: "http-api",
    active: 1,
    is_default: 0,
    test: 0,
    settings: "sealed",
    rules: "{}",
    counting: null,
    draining_at: null,
    revision: stored?.revision ?? 0,
    created_at: now,
    updated_at: now,
    ...columns,
  });
  return id;
}

/** The messages of a send by column. */
export function columnsOf(messages: readonly NewMessage[]): { [C in keyof NewMessage]: NewMessage[C][] } {
  const entries = messageColumns.map((column) => [column, messages.map((message) => message[column])]);
  return Object.fromEntries(entries);
}

/** A send of `count` messages to one gateway; `each` changes columns of all its messages. */
export function sendOf(
  accountId: string,
  gatewayId: string,
  options: { count?: number; each?: Partial<NewMessage> } & Partial<Omit<SendInput, "messages">> = {},
): SendInput {
  const { count = 1, each = {}, ...head } = options;
  const at = head.at ?? now;
  const rows = Array.from({ length: count }, (_, i): NewMessage => {
    return {
      id: fresh("msg"),
      gateway_id: gatewayId,
      gateway_pinned: 0,
      recipient_raw: `+1555000${i}`,
      recipient: `+1555000${i}`,
      content: head.channel === "email" ? "email" : "text",
      body: `Hello ${i}`,
      test: 0,
      status: "queued",
      due_at: at,
      schedule_at: null,
      scheduled_for: null,
      encoding: "gsm7",
      segments: 1,
      cost: 1,
      reference: null,
      metadata: null,
      ...each,
    };
  });
  return {
    requestId: fresh("req"),
    accountId,
    channel: "sms",
    at,
    priority: 0,
    cost: rows.reduce((sum, row) => sum + row.cost, 0),
    renewedFrom: 0,
    idempotencyKey: null,
    ...head,
    messages: rows,
  };
}

/** An account with credit 1,000, a gateway, and stored messages. */
export async function makeMessages(
  database: Database,
  options: Parameters<typeof sendOf>[2] = {},
): Promise<{ accountId: string; gatewayId: string; ids: string[] }> {
  const accountId = await makeAccount(database, { sms: 1000 });
  const gatewayId = await makeGateway(database, accountId);
  const send = sendOf(accountId, gatewayId, options);
  assert.deepEqual(await database.run(storeSends, send), { kind: "stored" });
  return { accountId, gatewayId, ids: columnsOf(send.messages).id };
}

/** Takes a lane that no process holds, or takes it over; returns the new fence. */
export async function claim(store: Store, laneId: string, processId = "prc_1"): Promise<number> {
  const [seen] = await store.query<{ id: string; owner: string | null; fence: number }>(
    "select id, owner, fence from lanes where id = ?",
    laneId,
  );
  assert.ok(seen);
  const [taken] = await store.database.run(claimLanes, { processId, lanes: [seen] });
  assert.ok(taken);
  return taken.fence;
}

/** Stamps messages under a fence; all of them have to succeed. Returns their attempts. */
export async function stamp(
  database: Database,
  laneId: string,
  fence: number,
  ids: string[],
  at = now,
): Promise<Map<string, number>> {
  const result = await database.run(beginAttempts, { laneId, fence, ids, at, lateBefore: 0, day: null });
  assert.ok(result.kind === "begun");
  assert.deepEqual([...result.attempts.keys()].sort(), [...ids].sort());
  return result.attempts;
}

/** Messages that are `sending` under fence 1 of their lane. */
export async function makeSending(store: Store, options: Parameters<typeof sendOf>[2] = {}) {
  const rows = await makeMessages(store.database, options);
  const fence = await claim(store, rows.gatewayId);
  await stamp(store.database, rows.gatewayId, fence, rows.ids);
  return { ...rows, fence, id: rows.ids[0]! };
}

export function settlement(
  of: { id: string; gatewayId: string; fence: number },
  step: Settlement["step"],
  options: Partial<Omit<Settlement, "details">> & { details?: Partial<TransitionDetails> } = {},
): Settlement {
  return {
    id: of.id,
    laneId: of.gatewayId,
    fence: of.fence,
    attempt: 1,
    step,
    parts: null,
    receipt: null,
    ...options,
    details: { at: now + 10, detail: "", ...options.details },
  };
}

export const settle = (
  store: Store,
  of: { id: string; gatewayId: string; fence: number },
  step: Settlement["step"],
  options?: Parameters<typeof settlement>[2],
) => store.database.run(settleMessages, settlement(of, step, options));

export function receiptOf(
  gatewayId: string,
  status: IncomingReceipt["status"],
  options: Partial<IncomingReceipt> = {},
): IncomingReceipt {
  return {
    gatewayId,
    key: fresh("key"),
    reference: null,
    messageId: null,
    status,
    code: null,
    reason: null,
    bounce: null,
    recipient: null,
    at: null,
    receivedAt: now + 20,
    ...options,
  };
}

export async function messageRow(store: Store, id: string): Promise<MessagesTable> {
  const [row] = await store.query<MessagesTable>("select * from messages where id = ?", id);
  assert.ok(row, `message ${id}`);
  return row;
}

export const timeline = async (store: Store, id: string) =>
  (await store.query<EventsTable>("select * from message_events where message_id = ? order by seq", id)).map(
    ({ type }) => type,
  );

export async function remaining(store: Store, accountId: string, channel: Channel = "sms"): Promise<number> {
  const [row] = await store.query<{ remaining: number }>(
    "select remaining from credits where account_id = ? and channel = ?",
    accountId,
    channel,
  );
  assert.ok(row);
  return row.remaining;
}

/** Integers that are the same in every run of a seed, in [0, below). */
export function seeded(seed: number): (below: number) => number {
  const next = xorshift32(seed);
  return (below) => next() % below;
}
