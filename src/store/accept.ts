// Storing a send: its request row, every message and the credit they cost, or nothing of it.

import type { Channel, Status } from "#contract/channel.ts";
import { lockCredits } from "./accounts.ts";
import { gatheredOperation, type Tx, writeOperation } from "./database.ts";
import type { CreditsTable } from "./schema.ts";

/** A send as columns: one array a column that differs between its contacts, all equally long. */
export interface SendInput {
  requestId: string;
  accountId: string;
  channel: Channel;
  /** Epoch ms of acceptance. */
  at: number;
  band: number;
  /** What the whole request costs, and from when on a monthly allowance counts as renewed. */
  cost: number;
  renewedFrom: number;
  messages: {
    id: string[];
    gateway_id: string[];
    named: (0 | 1)[];
    number: string[];
    recipient: string[];
    body: string[];
    test: (0 | 1)[];
    status: Status[];
    due_at: number[];
    schedule_at: (string | null)[];
    scheduled_for: (number | null)[];
    encoding: string[];
    segments: number[];
    cost: number[];
  };
}

export type StoredSend = { kind: "stored" } | { kind: "insufficient_credit"; remaining: number };

/**
 * Reserves credit and stores each send that can pay. Acceptance has no event row of its own a message:
 * the request row is that event, and the timeline's first entry is read from the message itself.
 */
export const storeSends = gatheredOperation("storeSends", async (tx, sends: readonly SendInput[]) => {
  const paying = sends.filter((send) => send.cost > 0);
  const credits = await lockCredits(tx, paying);
  const touched = new Map<string, CreditsTable>();
  const results = sends.map((send): StoredSend => {
    const key = `${send.accountId} ${send.channel}`;
    const balance = credits.get(key);
    if (!balance || send.cost === 0) return { kind: "stored" };
    if (balance.renews === "monthly" && balance.renewed_at < send.renewedFrom) {
      balance.remaining = balance.allowance;
      balance.renewed_at = send.at;
      touched.set(key, balance);
    }
    if (balance.remaining < send.cost) return { kind: "insufficient_credit", remaining: balance.remaining };
    balance.remaining -= send.cost;
    touched.set(key, balance);
    return { kind: "stored" };
  });
  for (const balance of touched.values()) {
    await tx.db
      .updateTable("credits")
      .set({ remaining: balance.remaining, renewed_at: balance.renewed_at })
      .where("account_id", "=", balance.account_id)
      .where("channel", "=", balance.channel)
      .execute();
  }
  const stored = sends.filter((_, i) => results[i]?.kind === "stored");
  if (stored.length > 0) await insertSends(tx, stored);
  return results;
});

async function insertSends(tx: Tx, sends: readonly SendInput[]): Promise<void> {
  await tx.insert(
    "requests",
    {},
    {
      id: sends.map((send) => send.requestId),
      account_id: sends.map((send) => send.accountId),
      channel: sends.map((send) => send.channel),
      contacts: sends.map((send) => send.messages.id.length),
      created_at: sends.map((send) => send.at),
    },
  );
  const fresh = { fence: 0, version: 0, attempts: 0, resends: 0, returned: 0 } as const;
  const of = <T>(pick: (send: SendInput) => T) =>
    sends.flatMap((send) => Array<T>(send.messages.id.length).fill(pick(send)));
  // A large send goes in as it is; small ones that came together go in as one.
  if (sends.length === 1) {
    const { messages, ...send } = sends[0]!;
    await tx.insert(
      "messages",
      {
        ...fresh,
        account_id: send.accountId,
        request_id: send.requestId,
        channel: send.channel,
        band: send.band,
        created_at: send.at,
        updated_at: send.at,
      },
      messages,
    );
    return;
  }
  const columns = Object.keys(sends[0]!.messages) as (keyof SendInput["messages"])[];
  const at = of((send) => send.at);
  await tx.insert("messages", fresh, {
    account_id: of((send) => send.accountId),
    request_id: of((send) => send.requestId),
    channel: of((send) => send.channel),
    band: of((send) => send.band),
    created_at: at,
    updated_at: at,
    ...Object.fromEntries(
      columns.map((column) => [column, sends.flatMap((send): readonly unknown[] => send.messages[column])]),
    ),
  });
}

/**
 * Whether a request whose COMMIT broke was stored. Writing its row again waits for the transaction in doubt
 * to end, one way or the other, which reading alone would not.
 */
export const proveRequest = writeOperation(
  "proveRequest",
  async (tx, input: { requestId: string; accountId: string; channel: Channel; at: number }) => {
    const { requestId: id, accountId, channel, at } = input;
    const inserted = await tx.db
      .insertInto("requests")
      .values({ id, account_id: accountId, channel, contacts: 0, created_at: at })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!inserted) return true;
    await tx.db.deleteFrom("requests").where("id", "=", id).execute();
    return false;
  },
);
