// Storing a send: its request row, every message and the credit they cost, or nothing of it.

import type { Channel } from "#contract/channel.ts";
import { lockCredits } from "./accounts.ts";
import { gatheredOperation, type Tx, writeOperation } from "./database.ts";
import type { CreditsTable } from "./schema.ts";

/** The columns in which the messages of a send differ, in the order of a `NewMessage`. */
export const messageColumns = [
  "id",
  "gateway_id",
  "named",
  "number",
  "recipient",
  "body",
  "test",
  "status",
  "due_at",
  "schedule_at",
  "scheduled_for",
  "encoding",
  "segments",
  "cost",
] as const;

/** A message as its values: a bulk send crosses to the writer thread as text, and names would be half of it. */
export type NewMessage = [
  id: string,
  gatewayId: string,
  named: 0 | 1,
  number: string,
  recipient: string,
  body: string,
  test: 0 | 1,
  status: "queued" | "scheduled",
  dueAt: number,
  scheduleAt: string | null,
  scheduledFor: number | null,
  encoding: "gsm7" | "ucs2",
  segments: number,
  cost: number,
];

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
  messages: readonly NewMessage[];
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
    ["id", "account_id", "channel", "contacts", "created_at"],
    [
      {
        constant: [],
        rows: sends.map((send) => [
          send.requestId,
          send.accountId,
          send.channel,
          send.messages.length,
          send.at,
        ]),
      },
    ],
  );
  await tx.insert(
    "messages",
    ["request_id", "account_id", "channel", "band", "created_at", "updated_at", ...messageColumns],
    sends.map(({ requestId, accountId, channel, band, at, messages }) => ({
      constant: [requestId, accountId, channel, band, at, at],
      rows: messages,
    })),
  );
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
