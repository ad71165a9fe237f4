// Stores a send, all or nothing: its request row, every message and the credit they cost.

import type { Channel } from "#contract/messages/channel.ts";
import {
  crossedLowCredit,
  insertEntries,
  lockCredits,
  renew,
  reserve,
  writeBalance,
} from "#store/accounts/ledger.ts";
import { batchedOperation, type Tx, writeOperation } from "#store/database.ts";
import { bindFiles, findSendsMissingFiles } from "#store/email/attachments.ts";
import { insertRecipients } from "#store/email/mail-recipients.ts";
import { holdGateways } from "#store/gateways/hold.ts";
import { markRouted, resolveRoutes } from "#store/routers.ts";
import type { CreditEntriesTable, CreditsTable, IdempotencyKeysTable } from "#store/schema/schema.ts";
import { eventIdOf, recordEvents, recordRequests } from "#store/webhooks/outbox.ts";
import { insertStatusCallbacks } from "#store/webhooks/status-callbacks.ts";
import { insertPayloads } from "./contents.ts";
import { claimKeys, type IdempotencyKey, releaseKeys, type StoredRequest } from "./idempotency-keys.ts";
import {
  bytesOfSend,
  emailColumns,
  emailValues,
  type MessageValues,
  messageColumns,
  messageValues,
  type NewMessage,
  type SendInput,
  sendCodec,
} from "./send.ts";

export type StoredSend =
  | { kind: "stored" }
  | { kind: "insufficient_credit"; remaining: number }
  /** A request was accepted under its key before. */
  | { kind: "repeated"; first: StoredRequest }
  /** A gateway that was chosen for it has since been deleted. */
  | { kind: "gateway_gone" }
  /** A file that was staged for it no longer exists. */
  | { kind: "file_gone" };

/**
 * Claims each send's key, reserves its credit and stores it, if the account can pay and it is not a repetition. Acceptance writes no event
 * row for each message: the request row is that event, and the timeline's first entry is derived from the message itself.
 */
export const storeSends = batchedOperation("storeSends", storeAll, {
  codec: sendCodec,
  bytesOf: bytesOfSend,
});

/** The rows of messages, one at a time. Those of emails have no body: a row that changes at every step must not carry megabytes. */
function* rowsOf(messages: readonly NewMessage[]): Generator<MessageValues> {
  for (const message of messages)
    yield messageValues(message.content === "email" ? { ...message, body: "" } : message);
}

async function storeAll(tx: Tx, sends: readonly SendInput[]): Promise<StoredSend[]> {
  const keys = new Map(
    sends.flatMap((send) => (send.idempotencyKey ? [[send, keyOf(send, send.idempotencyKey)] as const] : [])),
  );
  const repeated = await claimKeys(tx, [...keys.values()]);
  const gone = await deletedGateways(tx, sends);
  const fileless = await findSendsMissingFiles(tx, sends);
  const results = await takeCredit(tx, sends, repeated, gone, fileless);
  await releaseKeys(
    tx,
    [...keys].flatMap(([send, key]) => (refusals.has(results.get(send)!.kind) ? [key] : [])),
  );
  const stored = sends.filter((send) => results.get(send)?.kind === "stored");
  if (stored.length > 0) await insertSends(tx, stored);
  return sends.map((send) => results.get(send)!);
}

const refusals: ReadonlySet<StoredSend["kind"]> = new Set([
  "insufficient_credit",
  "gateway_gone",
  "file_gone",
]);

function keyOf(send: SendInput, { path, key, fingerprint }: IdempotencyKey): IdempotencyKeysTable {
  return {
    account_id: send.accountId,
    path,
    key,
    fingerprint,
    request_id: send.requestId,
    first_id: send.messages[0]!.id,
    last_id: send.messages.at(-1)!.id,
    created_at: send.at,
  };
}

/** The gateways named by the sends that no longer exist. The others cannot be deleted before the sends are stored. */
async function deletedGateways(tx: Tx, sends: readonly SendInput[]): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const { messages } of sends) for (const message of messages) named.add(message.gateway_id);
  return named.difference(await holdGateways(tx, [...named]));
}

/** Reserves the cost of each send, in order. Sends that cannot be paid for, and repetitions, reserve nothing. */
async function takeCredit(
  tx: Tx,
  sends: readonly SendInput[],
  repeated: ReadonlyMap<string, StoredRequest>,
  gone: ReadonlySet<string>,
  fileless: ReadonlySet<SendInput>,
): Promise<Map<SendInput, StoredSend>> {
  const credits = await lockCredits(
    tx,
    sends.filter((send) => send.cost > 0),
  );
  const touched = new Map<string, CreditsTable>();
  const entries: CreditEntriesTable[] = [];
  const low: { send: SendInput; balance: CreditsTable }[] = [];
  const results = new Map<SendInput, StoredSend>();
  for (const send of sends) {
    const first = repeated.get(send.requestId);
    const key = `${send.accountId} ${send.channel}`;
    const balance = credits.get(key);
    if (first) results.set(send, { kind: "repeated", first });
    else if (gone.size > 0 && send.messages.some((message) => gone.has(message.gateway_id)))
      results.set(send, { kind: "gateway_gone" });
    else if (fileless.has(send)) results.set(send, { kind: "file_gone" });
    else if (!balance || send.cost === 0) results.set(send, { kind: "stored" });
    else {
      const renewal = renew(balance, send.renewedFrom, send.at);
      if (renewal) entries.push(renewal);
      if (renewal) touched.set(key, balance);
      const before = balance.remaining;
      if (before < send.cost) {
        results.set(send, { kind: "insufficient_credit", remaining: before });
        continue;
      }
      entries.push(reserve(balance, send.requestId, send.cost, send.at));
      touched.set(key, balance);
      if (crossedLowCredit(before, balance)) low.push({ send, balance: { ...balance } });
      results.set(send, { kind: "stored" });
    }
  }
  for (const balance of touched.values()) await writeBalance(tx, balance);
  await insertEntries(tx, entries);
  await recordEvents(
    tx,
    low.map(({ send, balance: { channel, allowance, remaining } }) => ({
      id: eventIdOf(send.requestId, "credit"),
      accountId: send.accountId,
      type: "credit.low",
      at: send.at,
      data: { channel, allowance, remaining },
    })),
  );
  return results;
}

async function insertSends(tx: Tx, accepted: readonly SendInput[]): Promise<void> {
  const { resolved: sends, routed } = await resolveRoutes(tx, accepted);
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
    ["request_id", "account_id", "channel", "priority", "created_at", "updated_at", ...messageColumns],
    sends.map(({ requestId, accountId, channel, priority, at, messages }) => ({
      constant: [requestId, accountId, channel, priority, at, at],
      rows: rowsOf(messages),
    })),
  );
  await markRouted(tx, routed);
  for (const send of sends) countAccepted(tx, send);
  const mails = sends.filter(({ channel }) => channel === "email");
  if (mails.length > 0) await insertEmails(tx, mails);
  await insertPayloads(
    tx,
    sends.flatMap(({ payloads = [] }) => payloads),
  );
  await insertStatusCallbacks(
    tx,
    sends.flatMap(({ statusCallbacks = [] }) => statusCallbacks),
  );
  await recordRequests(
    tx,
    sends.map(({ requestId, accountId, priority, at, messages }) => ({
      request_id: requestId,
      first_id: messages[0]!.id,
      last_id: messages.at(-1)!.id,
      account_id: accountId,
      at,
      priority,
    })),
  );
}

function countAccepted(tx: Tx, { accountId: account_id, channel, at, messages }: SendInput): void {
  const byGateway = new Map<string, number>();
  for (const { gateway_id, due_at } of messages) {
    byGateway.set(gateway_id, (byGateway.get(gateway_id) ?? 0) + 1);
    tx.changes.due(gateway_id, due_at);
  }
  tx.changes.topic(account_id, "messages");
  for (const [gateway_id, n] of byGateway)
    tx.counts.add({ name: "accepted", account_id, channel, gateway_id, at, n });
}

async function insertEmails(tx: Tx, sends: readonly SendInput[]): Promise<void> {
  await tx.insert(
    "emails",
    // On PostgreSQL, a column that is not named gets its default.
    ["account_id", ...emailColumns],
    sends.map(({ accountId, emails = [] }) => ({
      constant: [accountId],
      rows: emails.map(emailValues),
    })),
  );
  await tx.insert(
    "email_bodies",
    ["message_id", "body", "text_part"],
    sends.map(({ messages, textParts = [] }) => {
      const texts = new Map(textParts.map(({ message_id, text }) => [message_id, text]));
      return { constant: [], rows: messages.map(({ id, body }) => [id, body, texts.get(id) ?? null]) };
    }),
  );
  await insertRecipients(
    tx,
    sends.flatMap(({ recipients = [] }) => recipients),
  );
  await bindFiles(tx, sends);
}

/**
 * Whether a request whose COMMIT failed was stored. Inserting its row again waits until the transaction in doubt has ended either way,
 * which a read would not.
 */
export const confirmRequest = writeOperation(
  "confirmRequest",
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
