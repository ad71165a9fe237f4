// Messages from people, stored once, in one transaction with their event, the message they answer and the consent they express. A provider
// repeats its callbacks, so a repetition must have no effect at all: a STOP that arrives twice must not undo the START in between.

import { sql } from "kysely";
import type { EventData } from "#contract/events/shapes.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { receivedDetails } from "#contract/messages/received/details.ts";
import { batchedOperation, readOperation, type Tx } from "#store/database.ts";
import { nameOfGateway } from "#store/gateways/names.ts";
import type { InboundTable } from "#store/schema/feedback.ts";
import { eventIdOf, recordEvents } from "#store/webhooks/outbox.ts";
import { followSender } from "./former-senders.ts";
import { openWindow } from "./reply-windows.ts";
import { noteNumberOf, noteSenderName, withRecipients } from "./sender-names.ts";

export interface IncomingMessage {
  message: Omit<InboundTable, "in_reply_to" | "file"> & { file?: string };
  /** Numbers that the sender's text may mean, most likely first: one that the gateway wrote to is the sender. */
  readings?: readonly string[];
  /** Other spellings of the sender, for which their decisions hold too. */
  spellings?: readonly string[];
  /** The public name of the gateway that received it. */
  gatewayIdentifier: string;
  /** The provider's reference of the message that it answers, if the provider gives one. */
  replyTo: string | null;
  /** Without such a reference, it may answer a message that was sent since then, epoch ms. */
  sentSince: number;
  /** When it was written, by the provider's clock, on channels where that opens a reply window. */
  sentAt?: number;
  alike?: AlikeMessages;
  /** Names under which the sender was known before. */
  formerSenders?: readonly string[];
}

/** Where the same message may already be stored: a phone may report one message under two references. */
export interface AlikeMessages {
  phoneId: string;
  gatewayIds: readonly string[];
  /** References at or after the first, and before the second. */
  from: string;
  before: string;
}

/** How far back to search for the message that a person answers. */
const lookedThrough = 200;

/** Stores a message from a person. `repeated`: it was stored before, and nothing changed. */
export const storeInbound = batchedOperation(
  "storeInbound",
  async (tx, incoming: readonly IncomingMessage[]): Promise<("new" | "repeated")[]> => {
    const stored: ("new" | "repeated")[] = [];
    await lockPhones(tx, incoming);
    // One after the other: a repetition may be in the same batch.
    for (const message of incoming) stored.push(await storeOne(tx, message));
    return stored;
  },
);

/** Two reports of one message may be stored concurrently by two processes, but the reports of one phone are sequential. */
async function lockPhones(tx: Tx, incoming: readonly IncomingMessage[]): Promise<void> {
  const ids = new Set(incoming.flatMap(({ alike }) => (alike === undefined ? [] : [alike.phoneId])));
  if (ids.size === 0) return;
  await tx.db
    .selectFrom("phones")
    .select("gateway_id")
    .where("gateway_id", "in", tx.list([...ids]))
    .orderBy("gateway_id")
    .modifyEnd(tx.lock("update"))
    .execute();
}

/** SQLite's name of the index behind the table's unique pair of gateway and reference. */
const references = "sqlite_autoindex_inbound_messages_2";

async function isStoredAlike(tx: Tx, { gatewayIds, from, before }: AlikeMessages): Promise<boolean> {
  const found = await tx.db
    .selectFrom(tx.indexed("inbound_messages", references))
    .select("id")
    .where("gateway_id", "in", tx.list(gatewayIds))
    .where("reference", ">=", from)
    .where("reference", "<", before)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

async function storeOne(tx: Tx, incoming: IncomingMessage): Promise<"new" | "repeated"> {
  const { sentAt, alike, readings = [], spellings = [] } = incoming;
  if (alike !== undefined && (await isStoredAlike(tx, alike))) return "repeated";
  const sender = (await firstWrittenTo(tx, incoming.message, readings)) ?? incoming.message.sender;
  const message = { ...incoming.message, sender };
  const details = receivedDetails(message.details);
  const inserted = await tx.db
    .insertInto("inbound_messages")
    .values({ file: null, ...message, in_reply_to: null })
    .onConflict((conflict) => conflict.columns(["gateway_id", "reference"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!inserted) return "repeated";
  tx.changes.topic(message.account_id, "received");
  const { user_id: userId } = details;
  const at = message.received_at;
  const shown = {
    account_id: message.account_id,
    gateway_id: message.gateway_id,
    channel: message.channel,
    at,
  };
  // The next message may identify the person by the id alone.
  if (userId !== null && userId !== sender) await noteNumberOf(tx, { ...shown, userId, number: sender });
  const quoted = await quotedMessage(tx, incoming);
  // Mails can be answered from any address.
  if (quoted?.recipient != null && message.channel !== "email")
    await noteSenderName(tx, { ...shown, sender, recipient: quoted.recipient });
  const names = await withRecipients(tx, message.gateway_id, [
    ...new Set([sender, ...spellings, ...(userId === null ? [] : [userId])]),
  ]);
  // A reference that we do not know belongs to another sender's message; a guess would certainly be wrong.
  const answered = incoming.replyTo === null ? await latestTo(tx, incoming, names) : (quoted?.id ?? null);
  if (answered !== null) {
    await tx.db
      .updateTable("inbound_messages")
      .set({ in_reply_to: answered })
      .where("id", "=", message.id)
      .execute();
  }
  // In a fixed order: two concurrent messages may be from one person.
  for (const name of names.sort()) {
    await followSender(tx, message, { former: incoming.formerSenders ?? [], present: name });
    if (message.consent_keyword !== null) await applyConsent(tx, message, name);
    if (sentAt !== undefined)
      await openWindow(tx, { gateway_id: message.gateway_id, sender: name, heard_at: sentAt });
  }
  await recordEvents(tx, [
    {
      id: eventIdOf(message.id, "received"),
      accountId: message.account_id,
      type: "message.received",
      at: message.received_at,
      data: {
        id: message.id,
        channel: message.channel,
        from: message.sender,
        to: message.recipient,
        gateway_identifier: incoming.gatewayIdentifier,
        message: message.body,
        media: JSON.parse(message.media) as EventData["message.received"]["media"],
        in_reply_to: answered,
        opt: message.consent_keyword,
        ...details,
      },
    },
  ]);
  return "new";
}

/** The message that the provider names as the answered one; null if it names none, or none of this account. */
async function quotedMessage(
  tx: Tx,
  { message, replyTo }: IncomingMessage,
): Promise<{ id: string; recipient: string } | null> {
  if (replyTo === null) return null;
  const known = await tx.db
    .selectFrom("message_references")
    .select("message_id")
    .where("gateway_id", "=", message.gateway_id)
    .where("reference", "=", replyTo)
    .executeTakeFirst();
  const quoted = await tx.db
    .selectFrom("messages")
    .select(["id", "recipient"])
    .where("id", "=", known?.message_id ?? "")
    .where("account_id", "=", message.account_id)
    .executeTakeFirst();
  return quoted ?? null;
}

/** The latest message that can have reached one of the names of a sender. */
async function latestTo(
  tx: Tx,
  { message, sentSince }: IncomingMessage,
  names: readonly string[],
): Promise<string | null> {
  const found: { id: string; at: number }[] = [];
  for (const name of names) {
    // The inner bound keeps a person with a million messages from being a million rows to read.
    const { rows } = await sql<{ id: string; at: number }>`
      select id, coalesce(sent_at, updated_at) as at from (
        select id, channel, gateway_id, status, attempts, resends, sent_at, updated_at
        from ${tx.indexed("messages", "messages_recipient")}
        where account_id = ${message.account_id} and recipient = ${name} order by id desc limit ${lookedThrough}
      ) as latest
      where channel = ${message.channel} and gateway_id = ${message.gateway_id} and attempts > 0
        -- What waits was certainly not sent, but for a repeat of what may have been.
        and (status in ('sending', 'sent', 'delivered', 'read', 'undelivered', 'bounced', 'unknown') or resends > 0)
        and coalesce(sent_at, updated_at) >= ${sentSince}
      order by coalesce(sent_at, updated_at) desc, id desc limit 1
    `.execute(tx.db);
    found.push(...rows);
  }
  const [latest] = found.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
  return latest?.id ?? null;
}

/** The first of the numbers that the gateway has written to; null if there is none. */
async function firstWrittenTo(
  tx: Tx,
  { account_id, gateway_id }: IncomingMessage["message"],
  numbers: readonly string[],
): Promise<string | null> {
  for (const number of numbers) {
    const { rows } = await sql`
      select 1 from (
        select gateway_id, attempts from ${tx.indexed("messages", "messages_recipient")}
        where account_id = ${account_id} and recipient = ${number} order by id desc limit ${lookedThrough}
      ) as latest
      where gateway_id = ${gateway_id} and attempts > 0 limit 1
    `.execute(tx.db);
    if (rows.length > 0) return number;
  }
  return null;
}

/**
 * Puts the sender on the suppression list, or removes them from it. An entry for another reason stays: an opt-in revokes an opt-out, but
 * not a decision of the account or a bounce.
 */
async function applyConsent(tx: Tx, message: IncomingMessage["message"], recipient: string): Promise<void> {
  const { account_id, channel, received_at: created_at, consent_keyword: opt } = message;
  tx.changes.topic(account_id, "suppressions");
  if (opt === "out") {
    await tx.db
      .insertInto("suppressions")
      .values({ account_id, channel, recipient, reason: "opt_out", note: null, created_at })
      .onConflict((conflict) => conflict.columns(["account_id", "channel", "recipient"]).doNothing())
      .execute();
    return;
  }
  await tx.db
    .deleteFrom("suppressions")
    .where("account_id", "=", account_id)
    .where("channel", "=", channel)
    .where("recipient", "=", recipient)
    .where("reason", "=", "opt_out")
    .execute();
}

export type InboundRow = InboundTable & { identifier: string };

/** An account's newest incoming messages before an id (null: the newest of all), of one channel or of all. */
export const recentInbound = readOperation(
  "recentInbound",
  async (
    tx,
    input: { accountId: string; channel: Channel | null; before: string | null; limit: number },
  ): Promise<InboundRow[]> => {
    const found: InboundRow[] = [];
    // One range of the index per channel: a single query for all would sort everything the account ever received.
    for (const channel of input.channel === null ? channels : [input.channel]) {
      let query = tx.db
        .selectFrom(tx.indexed("inbound_messages", "inbound_recent"))
        .selectAll("inbound_messages")
        .select(nameOfGateway("inbound_messages.gateway_id"))
        .where("inbound_messages.account_id", "=", input.accountId)
        .where("inbound_messages.channel", "=", channel);
      if (input.before !== null) query = query.where("inbound_messages.id", "<", input.before);
      found.push(...(await query.orderBy("inbound_messages.id", "desc").limit(input.limit).execute()));
    }
    return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, input.limit);
  },
);

interface InboundFilter {
  accountId: string;
  channel: Channel | null;
  /** Spellings of one sender, and the id of a gateway; at least one of them. */
  senders: readonly string[] | null;
  gatewayId: string | null;
  before: string | null;
  limit: number;
}

/** The newest messages from one person, or through one gateway, before an id (null: the newest of all). */
export const searchInbound = readOperation(
  "searchInbound",
  async (
    tx,
    { accountId, channel, senders, gatewayId, before, limit }: InboundFilter,
  ): Promise<InboundRow[]> => {
    const found: InboundRow[] = [];
    for (const sender of senders ?? [null]) {
      const index = sender === null ? "inbound_gateway" : "inbound_sender";
      let query = tx.db
        .selectFrom(tx.indexed("inbound_messages", index))
        .selectAll("inbound_messages")
        .select(nameOfGateway("inbound_messages.gateway_id"))
        .where("inbound_messages.account_id", "=", accountId);
      if (sender !== null) query = query.where("inbound_messages.sender", "=", sender);
      if (gatewayId !== null) query = query.where("inbound_messages.gateway_id", "=", gatewayId);
      if (channel !== null) query = query.where("inbound_messages.channel", "=", channel);
      if (before !== null) query = query.where("inbound_messages.id", "<", before);
      found.push(...(await query.orderBy("inbound_messages.id", "desc").limit(limit).execute()));
    }
    return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  },
);

/** The context that the secret of a file is sealed with. */
export const fileSecretContext = (gatewayId: string) => `inbound_messages file ${gatewayId}`;

/** The file of a message that the account received; null if the message has no file or does not exist. */
export const findInboundFile = readOperation(
  "findInboundFile",
  async (
    tx,
    { accountId, id }: { accountId: string; id: string },
  ): Promise<{ file: string; gatewayId: string; receivedAt: number } | null> => {
    const row = await tx.db
      .selectFrom("inbound_messages")
      .select(["account_id", "file", "gateway_id", "received_at"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined || row.account_id !== accountId || row.file === null) return null;
    return { file: row.file, gatewayId: row.gateway_id, receivedAt: row.received_at };
  },
);
