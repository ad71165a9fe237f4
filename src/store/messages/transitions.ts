// Transitions of messages: rows are locked, `contract/messages/states.ts` decides where a step leads, and the row is written together with
// its timeline entry and its refund.

import { sql } from "kysely";
import type { Channel, Status } from "#contract/messages/channel.ts";
import { advance, type Change, type Step } from "#contract/messages/states.ts";
import { insertEntries, lockCredits, refund, writeBalance } from "#store/accounts/ledger.ts";
import type { CountedEvent, CountName, EndedMessage } from "#store/counts/buffer.ts";
import type { Tx } from "#store/database.ts";
import type { AttemptEnd } from "#store/schema/history.ts";
import { snapshotOf, stateColumns, stateColumnTypes } from "#store/schema/message-state.ts";
import type { CreditEntriesTable, CreditsTable, MessagesTable } from "#store/schema/schema.ts";
import { type EngagementData, type MessageEvent, recordMessageEvents } from "#store/webhooks/outbox.ts";

/** The details of a transition. */
export interface TransitionDetails {
  /** Epoch ms. */
  at: number;
  /** For the timeline, in plain words; may be empty. */
  detail: string;
  /** When it is due again (a change to `queued`). */
  dueAt?: number;
  code?: string | null;
  message?: string | null;
  reference?: string | null;
  /** The attempt that was counted when it began is uncounted, because the gateway was at fault. */
  uncounted?: boolean;
  /** This is the automatic resend after an unknown outcome. */
  resend?: boolean;
  firstDeferredAt?: number | null;
  /** This ends an attempt that was not accepted. */
  attempt?: Omit<AttemptEnd, "next_at">;
}

const columns = [
  "id",
  "account_id",
  "channel",
  "gateway_id",
  "recipient",
  "content",
  "priority",
  "created_at",
  "scheduled_for",
  "fence",
  "cost",
  ...stateColumns,
] as const;

export type LockedMessage = Pick<MessagesTable, (typeof columns)[number]>;

/** Locks messages in the order of their ids and reads the columns that a change may need. */
export async function lockMessages(tx: Tx, ids: readonly string[]): Promise<Map<string, LockedMessage>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.db
    .selectFrom(tx.indexed("messages"))
    .select(columns)
    .where("id", "in", tx.list([...new Set(ids)]))
    .orderBy("id")
    .modifyEnd(tx.lock("update"))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** A message of an account, in a channel (null: in any), and on one of these gateways (absent: on any). */
export interface MessageOf {
  accountId: string;
  channel: Channel | null;
  id: string;
  gatewayIds?: readonly string[];
}

/** Locks a message of an account; null if the account has no such message. */
export async function lockMessageOf(
  tx: Tx,
  { accountId, channel, id, gatewayIds }: MessageOf,
): Promise<LockedMessage | null> {
  const row = (await lockMessages(tx, [id])).get(id);
  if (row?.account_id !== accountId || gatewayIds?.includes(row.gateway_id) === false) return null;
  return channel === null || row.channel === channel ? row : null;
}

/** Since when a message could be sent, epoch ms. */
export const sendableSince = (row: Pick<MessagesTable, "created_at" | "scheduled_for">): number =>
  Math.max(row.created_at, row.scheduled_for ?? 0);

/** States that are counted each time a message enters them; `sent`, `delivered` and `read` are counted once a message. */
const countedEnds = [
  "undelivered",
  "failed",
  "bounced",
  "expired",
  "cancelled",
  "suppressed",
  "unknown",
] as const satisfies readonly (CountName & Status)[];
const isCountedEnd = (status: Status): status is (typeof countedEnds)[number] =>
  (countedEnds as readonly Status[]).includes(status);

/** Collects transitions of locked messages, in order, and writes them together. */
export class TransitionBatch {
  readonly #touched = new Map<string, LockedMessage>();
  readonly #events: (MessageEvent & { detail: string; attempt: string | null; inWebhooks: boolean })[] = [];
  readonly #countedEvents: CountedEvent[] = [];
  readonly #ended: EndedMessage[] = [];
  readonly #refunds: {
    accountId: string;
    channel: Channel;
    message: { id: string; cost: number; acceptedAt: number };
    at: number;
  }[] = [];

  /** Applies the step to the row; false if it is not possible from the row's state. */
  apply(row: LockedMessage, step: Step, details: TransitionDetails): boolean {
    // A message without an attempt was never sent, so the receipt cannot be about it. A message from a restored backup may have
    // been sent since the copy was made.
    if (step.by === "receipt" && row.attempts === 0 && row.held_due_at === null) return false;
    const change = advance(row.status, step);
    if (!change) return false;
    row.status = change.status;
    row.updated_at = details.at;
    row.due_at = details.dueAt ?? null;
    row.held_due_at = null;
    this.#stamp(row, change, details.at);
    if (step.by === "system" && step.step === "deferred" && !details.uncounted) {
      const { account_id, channel, gateway_id } = row;
      this.#countedEvents.push({ name: "deferred", account_id, channel, gateway_id, at: details.at });
    }
    if (change.error === "set") {
      row.error_code = details.code ?? null;
      row.error_message = details.message ?? null;
    } else if (change.error === "clear") {
      row.error_code = null;
      row.error_message = null;
    }
    if (isCountedEnd(row.status) && row.status !== "cancelled") {
      const { id, account_id, gateway_id, channel, status, error_code: code } = row;
      this.#ended.push({ id, account_id, gateway_id, channel, status, code });
    }
    if (details.reference) row.provider_reference = details.reference;
    if (details.uncounted) row.attempts -= 1;
    if (details.resend) row.resends += 1;
    if (details.firstDeferredAt !== undefined) row.first_deferred_at = details.firstDeferredAt;
    if (change.refund && row.refunded === 0 && row.cost > 0) {
      row.refunded = 1;
      const { account_id: accountId, channel, id, cost, created_at: acceptedAt } = row;
      this.#refunds.push({ accountId, channel, message: { id, cost, acceptedAt }, at: details.at });
    }
    this.#record(row, change.status, details, true);
    return true;
  }

  /** Sets the timestamps of the change and counts it. */
  #stamp(row: LockedMessage, { status, timestamps }: Change, at: number): void {
    const { account_id, channel, gateway_id } = row;
    const count = (name: CountName, ms: number | null) =>
      void this.#countedEvents.push({ name, account_id, channel, gateway_id, at, ms });
    const wasSent = row.sent_at;
    for (const mark of timestamps) {
      if (row[mark] !== null) continue;
      row[mark] = at;
      if (mark === "sent_at") count("sent", at - sendableSince(row));
      else if (mark === "delivered_at") count("delivered", wasSent === null ? null : at - wasSent);
      else count("read", null);
    }
    if (isCountedEnd(status)) count(status, null);
  }

  /**
   * Adds a timeline entry without a change of state. `webhookData`: data of the webhook event besides the message; null if there is no
   * webhook event.
   */
  addTimelineEntry(
    row: LockedMessage,
    type: string,
    details: Pick<TransitionDetails, "at" | "detail">,
    webhookData: EngagementData | null,
  ): void {
    row.updated_at = details.at;
    this.#record(row, type, details, webhookData !== null, webhookData ?? undefined);
  }

  #record(
    row: LockedMessage,
    type: string,
    details: Pick<TransitionDetails, "at" | "detail" | "attempt">,
    inWebhooks: boolean,
    more: EngagementData = {},
  ): void {
    const { at, detail } = details;
    const attempt = details.attempt ? JSON.stringify({ ...details.attempt, next_at: row.due_at }) : null;
    row.version += 1;
    const { id: message_id, version: seq, account_id, priority } = row;
    const snapshot = { ...snapshotOf(row), ...more };
    this.#events.push({
      message_id,
      seq,
      account_id,
      at,
      type,
      detail,
      attempt,
      priority,
      snapshot,
      inWebhooks,
    });
    this.#touched.set(row.id, row);
  }

  /** Stores the provider's reference of a message that has none yet, without a change of state. */
  setReference(row: LockedMessage, reference: string): void {
    if (row.provider_reference !== null) return;
    row.provider_reference = reference;
    this.#touched.set(row.id, row);
  }

  async write(tx: Tx): Promise<void> {
    if (this.#touched.size === 0) return;
    for (const { account_id, gateway_id, due_at } of this.#touched.values()) {
      tx.changes.topic(account_id, "messages");
      if (due_at !== null) tx.changes.due(gateway_id, due_at);
    }
    await tx.update("messages", { id: "text", ...stateColumnTypes }, [...this.#touched.values()], (of) => ({
      set: sql.join(stateColumns.map((column) => sql`${sql.ref(column)} = ${of(column)}`)),
      where: sql`messages.id = ${of("id")}`,
    }));
    await insertTimelineEntries(tx, this.#events);
    for (const event of this.#countedEvents) tx.counts.add(event);
    for (const message of this.#ended) tx.counts.end(message);
    await this.#writeRefunds(tx);
    await recordMessageEvents(
      tx,
      this.#events.map((event) => event.account_id),
      (accountIds) => this.#events.filter((event) => event.inWebhooks && accountIds.has(event.account_id)),
    );
  }

  async #writeRefunds(tx: Tx): Promise<void> {
    const balances = await lockCredits(tx, this.#refunds);
    const entries: CreditEntriesTable[] = [];
    const touched = new Set<CreditsTable>();
    for (const { accountId, channel, message, at } of this.#refunds) {
      // The balance no longer exists: the channel has become unlimited.
      const balance = balances.get(`${accountId} ${channel}`);
      const entry = balance && refund(balance, message, at);
      if (!balance || !entry) continue;
      entries.push(entry);
      touched.add(balance);
    }
    for (const balance of touched) await writeBalance(tx, balance);
    await insertEntries(tx, entries);
  }
}

/** Writes timeline entries. */
export async function insertTimelineEntries(
  tx: Tx,
  events: readonly {
    message_id: string;
    seq: number;
    account_id: string;
    at: number;
    type: string;
    detail: string;
    attempt?: string | null;
  }[],
): Promise<void> {
  if (events.length === 0) return;
  for (const { account_id } of events) tx.changes.topic(account_id, "messages");
  await tx.insert(
    "message_events",
    ["message_id", "seq", "account_id", "at", "type", "detail", "attempt"],
    [
      {
        constant: [],
        rows: events.map(({ message_id, seq, account_id, at, type, detail, attempt = null }) => [
          message_id,
          seq,
          account_id,
          at,
          type,
          detail,
          attempt,
        ]),
      },
    ],
  );
}

/**
 * Writes timeline entries for a change that keeps each message's status. `rows` are the messages before the statement that made the change
 * and added 1 to `version`.
 */
export async function insertNextEntries(
  tx: Tx,
  rows: readonly Pick<MessagesTable, "id" | "account_id" | "status" | "version">[],
  { at, detail }: Pick<TransitionDetails, "at" | "detail">,
): Promise<void> {
  await insertTimelineEntries(
    tx,
    rows.map(({ id, account_id, status, version }) => ({
      message_id: id,
      seq: version + 1,
      account_id,
      at,
      type: status,
      detail,
    })),
  );
}
