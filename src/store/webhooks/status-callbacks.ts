// The status callbacks of messages: where a client of Twilio's API wants the statuses of one message posted. The endpoint of the account
// that posts them has its deliveries like any other; only the URL is that of the message.

import type { Tx } from "#store/database.ts";
import type { StatusCallbacksTable } from "#store/schema/webhooks.ts";
import { messageOfEvent } from "./outbox.ts";

/** The context in which a message's status callback is sealed. */
export const statusCallbackContext = (messageId: string) => `status_callbacks ${messageId} callback`;

/** Stores the status callbacks of sends with their messages. */
export async function insertStatusCallbacks(tx: Tx, rows: readonly StatusCallbacksTable[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.insert(
    "status_callbacks",
    ["message_id", "callback"],
    [{ constant: [], rows: rows.map(({ message_id, callback }) => [message_id, callback]) }],
  );
}

async function read(tx: Tx, messageIds: readonly string[]): Promise<StatusCallbacksTable[]> {
  if (messageIds.length === 0) return [];
  return await tx.db
    .selectFrom(tx.indexed("status_callbacks"))
    .selectAll()
    .where("message_id", "in", tx.list(messageIds))
    .execute();
}

/** Those of the messages that have a status callback. */
export async function withStatusCallback(tx: Tx, messageIds: readonly string[]): Promise<string[]> {
  return (await read(tx, [...new Set(messageIds)])).map(({ message_id }) => message_id);
}

/** The sealed status callbacks of the messages of these events, by event. */
export async function statusCallbacksOf(
  tx: Tx,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const messages = new Map(eventIds.map((id) => [id, messageOfEvent(id)] as const));
  const ids = [...new Set([...messages.values()].filter((id) => id !== null))];
  const found = new Map((await read(tx, ids)).map(({ message_id, callback }) => [message_id, callback]));
  return new Map(
    [...messages].flatMap(([event, message]) => {
      const callback = message === null ? undefined : found.get(message);
      return callback === undefined ? [] : [[event, callback] as const];
    }),
  );
}
