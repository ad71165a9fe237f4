// How a message's row moves: locked, asked of `contract/states.ts` what the step leads to, and written
// together with its timeline entry and the credit it gives back.

import { sql } from "kysely";
import type { Channel, Status } from "#contract/channel.ts";
import { advance, type Step } from "#contract/states.ts";
import { lockCredits } from "./accounts.ts";
import type { Tx } from "./database.ts";
import type { MessagesTable } from "./schema.ts";

/** What goes with a change. */
export interface Happening {
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

export type Moving = Pick<MessagesTable, (typeof columns)[number]>;

/** Locks messages, in the order of their ids, and reads what a change may touch. */
export async function lockMessages(tx: Tx, ids: readonly string[]): Promise<Map<string, Moving>> {
  if (ids.length === 0) return new Map();
  const wanted = tx.rows(
    "wanted",
    { id: "text" },
    [...new Set(ids)].map((id) => ({ id })),
  );
  const rows = await tx.db
    .selectFrom("messages")
    .select(columns)
    .where("id", "in", sql<string>`(select id from ${wanted})`)
    .orderBy("id")
    .modifyEnd(tx.lock("update"))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Gathers changes to locked messages, in order, and writes them together. */
export class Changes {
  readonly #touched = new Map<string, Moving>();
  readonly #events: {
    message_id: string;
    seq: number;
    account_id: string;
    at: number;
    type: Status;
    detail: string;
  }[] = [];
  readonly #refunds = new Map<string, { accountId: string; channel: Channel; amount: number }>();

  /** Takes the step, if it leads anywhere from the row's state; false when it does not. */
  apply(row: Moving, step: Step, happening: Happening): boolean {
    // What was never stamped was never sent, whoever reports on it.
    if (step.by === "receipt" && row.attempts === 0) return false;
    const change = advance(row.status, step);
    if (!change) return false;
    row.status = change.status;
    row.updated_at = happening.at;
    row.due_at = happening.dueAt ?? null;
    for (const mark of change.marks) row[mark] ??= happening.at;
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
      const key = `${row.account_id} ${row.channel}`;
      const refund = this.#refunds.get(key) ?? { accountId: row.account_id, channel: row.channel, amount: 0 };
      refund.amount += row.cost;
      this.#refunds.set(key, refund);
    }
    row.version += 1;
    this.#events.push({
      message_id: row.id,
      seq: row.version,
      account_id: row.account_id,
      at: happening.at,
      type: change.status,
      detail: happening.detail,
    });
    this.#touched.set(row.id, row);
    return true;
  }

  /** Keeps the provider's reference of a message that has none yet, where its state does not move. */
  learn(row: Moving, reference: string): void {
    if (row.provider_reference !== null) return;
    row.provider_reference = reference;
    this.#touched.set(row.id, row);
  }

  async write(tx: Tx): Promise<void> {
    if (this.#touched.size === 0) return;
    const changed = tx.rows(
      "changed",
      {
        id: "text",
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
      },
      [...this.#touched.values()],
    );
    await sql`
      update messages set
        status = changed.status, due_at = changed.due_at, version = changed.version, attempts = changed.attempts,
        resends = changed.resends, deferred_from = changed.deferred_from, updated_at = changed.updated_at,
        sent_at = changed.sent_at, delivered_at = changed.delivered_at, read_at = changed.read_at,
        provider_reference = changed.provider_reference, error_code = changed.error_code,
        error_message = changed.error_message, returned = changed.returned
      from ${changed} where messages.id = changed.id
    `.execute(tx.db);
    await insertEvents(tx, this.#events);
    const balances = await lockCredits(tx, [...this.#refunds.values()]);
    for (const [key, { accountId, channel, amount }] of this.#refunds) {
      // No balance any more: the channel became unlimited meanwhile.
      const balance = balances.get(key);
      if (!balance) continue;
      await tx.db
        .updateTable("credits")
        // A balance that was renewed meanwhile does not grow above its allowance.
        .set({ remaining: Math.min(balance.allowance, balance.remaining + amount) })
        .where("account_id", "=", accountId)
        .where("channel", "=", channel)
        .execute();
    }
  }
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
