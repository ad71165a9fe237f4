// How a message's row moves: locked, asked of `contract/messages/states.ts` what the step leads to, and written
// together with its timeline entry and the credit it gives back.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { advance, type Step } from "#contract/messages/states.ts";
import { lockCredits } from "#store/accounts/accounts.ts";
import { giveBack, insertEntries, writeBalance } from "#store/accounts/ledger.ts";
import type { Tx } from "#store/database.ts";
import type { CreditEntriesTable, CreditsTable, MessagesTable } from "#store/schema/schema.ts";
import { announceMessages, type MessageHappening, type Snapshot } from "#store/webhooks/outbox.ts";

/** What goes with a change. */
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
  /** The try that was counted when it was stamped did not count: the fault was the gateway's. */
  uncounted?: boolean;
  /** This is the automatic repeat of an unknown outcome. */
  resend?: boolean;
  deferredFrom?: number | null;
}

const columns = [
  "id",
  "account_id",
  "channel",
  "gateway_id",
  "recipient",
  "band",
  "created_at",
  "held_due_at",
  "status",
  "due_at",
  "fence",
  "version",
  "attempts",
  "resends",
  "deferred_from",
  "updated_at",
  "sent_at",
  "delivered_at",
  "read_at",
  "provider_reference",
  "error_code",
  "error_message",
  "cost",
  "returned",
] as const;

/** What a change may write. */
const changing = {
  status: "text",
  due_at: "bigint",
  version: "bigint",
  attempts: "bigint",
  resends: "bigint",
  deferred_from: "bigint",
  updated_at: "bigint",
  sent_at: "bigint",
  delivered_at: "bigint",
  read_at: "bigint",
  provider_reference: "text",
  error_code: "text",
  error_message: "text",
  returned: "bigint",
  held_due_at: "bigint",
} as const;

export type Moving = Pick<MessagesTable, (typeof columns)[number]>;

/** Locks messages, in the order of their ids, and reads what a change may touch. */
export async function lockMessages(tx: Tx, ids: readonly string[]): Promise<Map<string, Moving>> {
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

/** Gathers changes to locked messages, in order, and writes them together. */
export class Changes {
  readonly #touched = new Map<string, Moving>();
  readonly #events: (MessageHappening & { detail: string; told: boolean })[] = [];
  readonly #refunds: {
    accountId: string;
    channel: Channel;
    message: { id: string; cost: number; acceptedAt: number };
    at: number;
  }[] = [];

  /** Takes the step, if it leads anywhere from the row's state; false when it does not. */
  apply(row: Moving, step: Step, happening: TransitionDetails): boolean {
    // What was never stamped was never sent, whoever reports on it; but of what came back with a backup nobody here
    // knows what became of it since.
    if (step.by === "receipt" && row.attempts === 0 && row.held_due_at === null) return false;
    const change = advance(row.status, step);
    if (!change) return false;
    row.status = change.status;
    row.updated_at = happening.at;
    row.due_at = happening.dueAt ?? null;
    row.held_due_at = null;
    for (const mark of change.timestamps) row[mark] ??= happening.at;
    if (change.error === "set") {
      row.error_code = happening.code ?? null;
      row.error_message = happening.message ?? null;
    } else if (change.error === "clear") {
      row.error_code = null;
      row.error_message = null;
    }
    if (happening.reference) row.provider_reference = happening.reference;
    if (happening.uncounted) row.attempts -= 1;
    if (happening.resend) row.resends += 1;
    if (happening.deferredFrom !== undefined) row.deferred_from = happening.deferredFrom;
    if (change.refund && row.returned === 0 && row.cost > 0) {
      row.returned = 1;
      const { account_id: accountId, channel, id, cost, created_at: acceptedAt } = row;
      this.#refunds.push({ accountId, channel, message: { id, cost, acceptedAt }, at: happening.at });
    }
    this.#record(row, change.status, happening, true);
    return true;
  }

  /**
   * A line of the timeline about a message whose state stays what it is. `told`: what webhooks are told beside the
   * message; null: they are not told.
   */
  note(
    row: Moving,
    type: string,
    happening: Pick<TransitionDetails, "at" | "detail">,
    told: object | null,
  ): void {
    row.updated_at = happening.at;
    this.#record(row, type, happening, told !== null, told ?? undefined);
  }

  #record(
    row: Moving,
    type: string,
    { at, detail }: Pick<TransitionDetails, "at" | "detail">,
    told: boolean,
    more: object = {},
  ): void {
    row.version += 1;
    const { id: message_id, version: seq, account_id, band } = row;
    const snapshot = { ...snapshotOf(row), ...more };
    this.#events.push({ message_id, seq, account_id, at, type, detail, band, snapshot, told });
    this.#touched.set(row.id, row);
  }

  /** Keeps the provider's reference of a message that has none yet, where its state does not move. */
  learn(row: Moving, reference: string): void {
    if (row.provider_reference !== null) return;
    row.provider_reference = reference;
    this.#touched.set(row.id, row);
  }

  async write(tx: Tx): Promise<void> {
    if (this.#touched.size === 0) return;
    await tx.update("messages", { id: "text", ...changing }, [...this.#touched.values()], (of) => ({
      set: sql.join(Object.keys(changing).map((column) => sql`${sql.ref(column)} = ${of(column)}`)),
      where: sql`messages.id = ${of("id")}`,
    }));
    await insertEvents(tx, this.#events);
    await this.#giveBack(tx);
    await announceMessages(
      tx,
      this.#events.map((event) => event.account_id),
      (asked) => this.#events.filter((event) => event.told && asked.has(event.account_id)),
    );
  }

  async #giveBack(tx: Tx): Promise<void> {
    const balances = await lockCredits(tx, this.#refunds);
    const entries: CreditEntriesTable[] = [];
    const touched = new Set<CreditsTable>();
    for (const { accountId, channel, message, at } of this.#refunds) {
      // No balance any more: the channel became unlimited meanwhile.
      const balance = balances.get(`${accountId} ${channel}`);
      const entry = balance && giveBack(balance, message, at);
      if (!balance || !entry) continue;
      entries.push(entry);
      touched.add(balance);
    }
    for (const balance of touched) await writeBalance(tx, balance);
    await insertEntries(tx, entries);
  }
}

/** The changing fields of a message, as they are now. */
function snapshotOf(row: Moving): Snapshot {
  const { status, due_at, attempts, updated_at, sent_at, delivered_at, read_at } = row;
  const { provider_reference, error_code, error_message, gateway_id } = row;
  return {
    status,
    due_at,
    attempts,
    updated_at,
    sent_at,
    delivered_at,
    read_at,
    provider_reference,
    error_code,
    error_message,
    gateway_id,
  };
}

/** Writes timeline entries. */
export async function insertEvents(
  tx: Tx,
  events: readonly {
    message_id: string;
    seq: number;
    account_id: string;
    at: number;
    type: string;
    detail: string;
  }[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.insert(
    "events",
    ["message_id", "seq", "account_id", "at", "type", "detail"],
    [
      {
        constant: [],
        rows: events.map(({ message_id, seq, account_id, at, type, detail }) => [
          message_id,
          seq,
          account_id,
          at,
          type,
          detail,
        ]),
      },
    ],
  );
}
