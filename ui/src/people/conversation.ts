// Messages to one recipient and from them, as one conversation.

import type { Channel, MessageRecord, ReceivedMessage, Suppression } from "#ui/api/schema.ts";

export type Entry = { at: string; id: string } & (
  | { kind: "sent"; record: MessageRecord }
  /** `caused`: the suppression entry that this message created. */
  | { kind: "received"; record: ReceivedMessage; caused: Suppression | null }
  | { kind: "suppressed"; suppression: Suppression }
);

/** The loaded part of a list, newest first. `isOver`: there is nothing older. */
interface Side<T> {
  items: readonly T[];
  isOver: boolean;
}

/**
 * Since when the list is complete, epoch ms: before its last row there may be rows that were not read. -Infinity if all of it is loaded;
 * Infinity if nothing is.
 */
function knownSince<T>({ items, isOver }: Side<T>, at: (item: T) => string): number {
  const last = items.at(-1);
  if (isOver) return Number.NEGATIVE_INFINITY;
  return last === undefined ? Number.POSITIVE_INFINITY : Date.parse(at(last));
}

/** A word such as STOP puts its sender on the list at the message's own instant. */
const causes = ({ channel, opt, received_at }: ReceivedMessage) => {
  return (suppression: Suppression) =>
    opt === "out" &&
    suppression.reason === "opt_out" &&
    suppression.channel === channel &&
    suppression.created_at === received_at;
};

/**
 * Both lists in the order of time, oldest first, as far back as both are complete. `older`: which of them must be read further; none at the
 * beginning.
 */
export function conversationOf(
  sent: Side<MessageRecord>,
  received: Side<ReceivedMessage>,
  suppressions: readonly Suppression[],
): { entries: Entry[]; older: ("sent" | "received")[] } {
  const sentSince = knownSince(sent, ({ created_at }) => created_at);
  const receivedSince = knownSince(received, ({ received_at }) => received_at);
  const since = Math.max(sentSince, receivedSince);
  const left = [...suppressions];
  const replies = received.items.map((record): Entry => {
    const place = left.findIndex(causes(record));
    const [caused = null] = place === -1 ? [] : left.splice(place, 1);
    return { kind: "received", at: record.received_at, id: record.id, record, caused };
  });
  const entries: Entry[] = [
    ...sent.items.map((record): Entry => ({ kind: "sent", at: record.created_at, id: record.id, record })),
    ...replies,
    ...left.map(
      (suppression): Entry => ({
        kind: "suppressed",
        at: suppression.created_at,
        id: `${suppression.channel} ${suppression.reason}`,
        suppression,
      }),
    ),
  ];
  return {
    entries: entries
      .filter(({ at }) => Date.parse(at) >= since)
      .sort((one, other) => Date.parse(one.at) - Date.parse(other.at) || (one.id < other.id ? -1 : 1)),
    older: [
      ...(sentSince === since && !sent.isOver ? (["sent"] as const) : []),
      ...(receivedSince === since && !received.isOver ? (["received"] as const) : []),
    ],
  };
}

/** The channels on which a recipient of this form can receive messages. */
export function channelsOf(recipient: string): Channel[] {
  if (recipient.endsWith("@lid")) return ["whatsapp"];
  if (recipient.includes("@")) return ["email"];
  return /^\+?[\d\s()./-]+$/.test(recipient) ? ["sms", "whatsapp"] : ["whatsapp"];
}

/** A gateway through which a person wrote, and can be answered. */
export interface Way {
  channel: Channel;
  gateway: string;
}

/**
 * The gateways through which they wrote: that of the message `at` first, and then the last one. An email needs a subject, and cannot be an
 * answer.
 */
export function waysOf(received: readonly ReceivedMessage[], at: string | undefined): Way[] {
  const first = received.filter(({ id }) => id === at);
  const ways = new Map(
    [...first, ...received]
      .filter(({ channel }) => channel !== "email")
      .map(({ channel, gateway_identifier: gateway }) => [gateway, { channel, gateway }]),
  );
  return [...ways.values()];
}
