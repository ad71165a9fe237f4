// What a linked device stores: its keys, reports about messages, and messages from people.

import type { OutgoingMessage } from "#gateways/message.ts";
import type { SessionHost } from "#gateways/session.ts";
import type { BridgeChannel } from "./bridge-channel.ts";
import { rowChosen, sentList } from "./lists.ts";
import type { LinkedContent } from "./outgoing.ts";
import type { FromBridge, ReceivedFacts, SendResult } from "./protocol.ts";
import { storedFile } from "./received-file.ts";
import { SessionStore } from "./session-store.ts";

type Message<Type extends FromBridge["type"]> = FromBridge & { type: Type };

/** Of the bridge's key for a message that it sends. */
const sentPrefix = "sent:";

export class Incoming {
  readonly #host: SessionHost;
  readonly #store: SessionStore;
  readonly #bridge: BridgeChannel;
  /** WhatsApp's ids of messages that this bridge stored, which it does before it encrypts them. */
  readonly #begun = new Set<string>();

  constructor(host: SessionHost, store: SessionStore, bridge: BridgeChannel) {
    this.#host = host;
    this.#store = store;
    this.#bridge = bridge;
  }

  /** Resolves when it is stored and the bridge has been notified. Rejects with `SessionLost`. */
  async store(message: Message<"save" | "receipt" | "received">): Promise<void> {
    switch (message.type) {
      case "save":
        return this.#storeValues(message);
      case "receipt":
        return this.#storeReceipt(message);
      case "received":
        return this.#storeMessage(message.key, message.facts);
    }
  }

  /** `answer` is null if the bridge gave none. A bridge that ended encrypted nothing that it had not stored. */
  async resultOf(
    id: string,
    answer: SendResult | null,
    content: OutgoingMessage<LinkedContent>["content"],
  ): Promise<SendResult> {
    const hasBegun = this.#begun.delete(id);
    if (answer === null)
      return hasBegun || !this.#bridge.hasEnded ? { kind: "left" } : { kind: "not_sent", why: "closed" };
    // The sender as WhatsApp knows it determines which row a number chooses.
    if (answer.kind === "acked" && answer.knownAs !== undefined && content.kind === "list")
      await this.#store.rememberList(answer.knownAs, sentList(content, id, this.#host.clock.now()));
    return answer;
  }

  async #storeValues({ n, changes }: Message<"save">): Promise<void> {
    if (changes.some(([key]) => SessionStore.owns(key))) return this.#bridge.kill();
    for (const [key] of changes)
      if (key.startsWith(sentPrefix)) this.#begun.add(key.slice(sentPrefix.length));
    try {
      await this.#host.state.save(new Map(changes));
      this.#bridge.send({ type: "stored", n });
    } catch (error) {
      this.#bridge.send({ type: "not_stored", n });
      throw error;
    }
  }

  async #storeReceipt({ n, id, messageId, status, code }: Message<"receipt">): Promise<void> {
    const refusal =
      status === "failed" && code !== null ? { code, reason: `WhatsApp refused it late (${code}).` } : {};
    const ours = messageId === null ? {} : { messageId };
    await this.#host.report({ receipts: [{ reference: id, ...ours, status, ...refusal }] });
    this.#bridge.send({ type: "stored", n });
  }

  async #storeMessage(key: string, facts: ReceivedFacts): Promise<void> {
    const { chat, id, number, lid, name, type, text, answers, forwarded, file } = facts;
    const { clock, state, report } = this.#host;
    const store = this.#store;
    const from = number === null ? (lid ?? chat) : `+${number}`;
    const chosen = type === "text" ? rowChosen(store.listOf(from), text, answers, clock.now()) : null;
    const reply = chosen ?? (facts.reply === null ? null : { ...facts.reply, description: null });
    await report({
      inbound: [
        {
          // Senders choose the ids of their messages, which are unique within a chat.
          reference: `${chat}:${id}`,
          ...(answers === null ? {} : { replyTo: answers }),
          from,
          to: store.get("number") ?? "",
          message: chosen?.title ?? text,
          media: [],
          ...(file === null ? {} : { file: storedFile(file) }),
          details: { type, reply, profileName: name, userId: lid, forwarded },
        },
      ],
    });
    if (!store.knows(from)) await store.remember(from, null);
    await state.save(new Map([[key, null]]));
    this.#bridge.send({ type: "taken", key });
  }
}
