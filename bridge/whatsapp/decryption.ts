// Encrypts and decrypts: each encryption and decryption stores its keys before the result is used, and a person's message is stored
// together with the keys that decrypted it.

import { AsyncLocalStorage } from "node:async_hooks";
import type { ReceivedFacts } from "../../src/gateways/whatsapp/linked/protocol.ts";
import { markEncrypted } from "./frames.ts";
import { alongside, type Changes, type DeviceValues } from "./keys.ts";
import { type Bytes, type Credentials, type Library, type Node, type Socket, silent } from "./library.ts";
import type { Polls } from "./polls.ts";
import { chosenIn, contentOf } from "./received.ts";

export class Decryption {
  readonly #library: Library;
  readonly #values: DeviceValues;
  readonly #polls: Polls;
  readonly #onReceived: (key: string) => void;
  /** Stanzas whose content is being decrypted, by their ciphertext. */
  readonly #stanzas = new WeakMap<Bytes, Node>();

  /** `onReceived`: a message from a person is stored under this key. */
  constructor(library: Library, values: DeviceValues, polls: Polls, onReceived: (key: string) => void) {
    this.#library = library;
    this.#values = values;
    this.#polls = polls;
    this.#onReceived = onReceived;
  }

  /** Records the stanzas that arrive over the connection. */
  watch({ ws }: Socket): void {
    ws.prependListener("CB:message", (node) => {
      for (const child of Array.isArray(node.content) ? node.content : [])
        if (child.content instanceof Uint8Array) this.#stanzas.set(child.content, node);
    });
  }

  /** The library's repository of keys, for a socket. */
  repository(creds: Credentials, lids: unknown): unknown {
    const { addTransactionCapability, DEFAULT_CONNECTION_CONFIG, unpadRandomMax16, proto } = this.#library;
    const options = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };
    const keys = addTransactionCapability(this.#values, silent, options);
    const decrypted = new AsyncLocalStorage<{ stanza: Node; plaintext: Bytes | null }>();
    const withPlaintext = {
      ...keys,
      transaction: <T>(work: () => Promise<T>, key: string): Promise<T> =>
        keys.transaction(async () => {
          const result = await work();
          const current = decrypted.getStore();
          if (current !== undefined && result instanceof Uint8Array) current.plaintext = result;
          return result;
        }, key),
    };
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      { creds, keys: withPlaintext },
      silent,
      lids,
    );
    const { encryptMessage, decryptMessage } = repository;
    repository.encryptMessage = async (input) => {
      const result = await encryptMessage(input);
      markEncrypted();
      return result;
    };
    repository.decryptMessage = async (input) => {
      const stanza = this.#stanzas.get(input.ciphertext);
      if (stanza === undefined) return await decryptMessage(input);
      const number = await this.#numberOf(stanza, repository.lidMapping);
      const current = { stanza, plaintext: null as Bytes | null };
      let key: string | null = null;
      const changes = (): Changes => {
        if (current.plaintext === null) return [];
        const facts = this.#factsOf(
          stanza,
          number,
          proto.Message.decode(unpadRandomMax16(current.plaintext)),
        );
        if (facts === null) return [];
        key = `inbox:${facts.chat}:${facts.id}`;
        return [[key, JSON.stringify(facts)]];
      };
      const run = () => decrypted.run(current, () => decryptMessage(input));
      const result = await alongside.run({ changes }, run);
      if (key !== null) this.#onReceived(key);
      return result;
    };
    return repository;
  }

  /** The sender's number, digits; null if WhatsApp does not reveal it. */
  async #numberOf({ attrs }: Node, { getPNForLID }: { getPNForLID(lid: string): Promise<string | null> }) {
    const { from = "" } = attrs;
    const { jidDecode } = this.#library;
    if (jidDecode(from)?.server === "s.whatsapp.net") return jidDecode(from)?.user ?? null;
    const known = attrs.sender_pn ?? (await getPNForLID(from)) ?? undefined;
    return jidDecode(known)?.user ?? null;
  }

  /** Null if it is not a message from a person to us. */
  #factsOf({ attrs }: Node, number: string | null, message: unknown): ReceivedFacts | null {
    const { from = "", id = "", notify, sender_lid: senderLid } = attrs;
    const sender = this.#library.jidDecode(from);
    if (
      sender === undefined ||
      id === "" ||
      attrs.participant !== undefined ||
      this.#values.isOwn(sender.user)
    )
      return null;
    if (sender.server !== "s.whatsapp.net" && sender.server !== "lid") return null;
    const lid = sender.server === "lid" ? sender.user : (this.#library.jidDecode(senderLid)?.user ?? null);
    const voters = [
      ...(number === null ? [] : [`${number}@s.whatsapp.net`]),
      ...(lid === null ? [] : [`${lid}@lid`]),
    ];
    const vote = this.#polls.voteOf(message, voters);
    const content = vote === null ? contentOf(message) : chosenIn(vote);
    if (content === null) return null;
    return {
      id: id.slice(0, 200),
      chat: `${sender.user}@${sender.server}`.slice(0, 200),
      number,
      lid: lid === null ? null : `${lid}@lid`,
      name: notify?.slice(0, 200) ?? null,
      ...content,
    };
  }
}
