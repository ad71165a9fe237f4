// Polls that represent lists, and votes as the rows that they choose. A vote is encrypted with a secret that was sent with its poll, so the
// secret is stored before the poll is sent.

import { createHash, randomBytes } from "node:crypto";
import type { BridgeContent, ReceivedFacts } from "../../src/gateways/whatsapp/linked/protocol.ts";
import type { DeviceValues } from "./keys.ts";
import type { EncryptedVote, Library } from "./library.ts";

type PollContent = BridgeContent & { kind: "poll" };

interface SentPoll {
  at: number;
  /** Base64 of 32 bytes. */
  secret: string;
  options: PollContent["options"];
}

/** What a person chose. `pollId`: WhatsApp's id of the poll. */
export interface Vote {
  pollId: string;
  reply: NonNullable<ReceivedFacts["reply"]>;
}

/** How long votes count, ms. */
const keptMs = 7 * 86_400_000;
/** Maximum number of polls that one sweep deletes, in one transaction. */
const sweptAtOnce = 2_000;

export class Polls {
  readonly #library: Library;
  readonly #values: DeviceValues;

  constructor(library: Library, values: DeviceValues) {
    this.#library = library;
    this.#values = values;
  }

  /**
   * Stores the poll and returns the secret that is sent with it. A second transmission has the secret of the first: a phone keeps the poll
   * that it received first.
   */
  async keep(id: string, { options }: PollContent): Promise<Buffer> {
    const before = this.#find(id);
    if (before !== null) return Buffer.from(before.secret, "base64");
    const secret = randomBytes(32);
    const sent: SentPoll = { at: Date.now(), secret: secret.toString("base64"), options };
    await this.#values.write([[`poll:${id}`, JSON.stringify(sent)]]);
    return secret;
  }

  /** Null if it is not a vote in a stored poll, or was withdrawn. `voters`: the sender's ids at WhatsApp. */
  voteOf(message: unknown, voters: readonly string[]): Vote | null {
    const { pollUpdateMessage: update } = message as { pollUpdateMessage?: PollUpdate | null };
    const pollId = update?.pollCreationMessageKey?.id;
    const vote = update?.vote;
    if (typeof pollId !== "string" || vote?.encPayload == null || vote.encIv == null) return null;
    const poll = this.#find(pollId);
    const chosen = poll === null ? null : this.#chosen(pollId, poll, vote as EncryptedVote, voters);
    const option = poll?.options.find(({ text }) => chosen?.equals(sha256(text)));
    if (option === undefined) return null;
    return { pollId, reply: { type: "list", id: option.id, title: option.title } };
  }

  /** Deletes polls whose votes no longer count, at most `sweptAtOnce`. */
  async sweep(): Promise<void> {
    const old = this.#values
      .keys("poll:")
      .filter((key) => this.#find(key.slice(5)) === null)
      .slice(0, sweptAtOnce);
    if (old.length > 0) await this.#values.write(old.map((key) => [key, null]));
  }

  /**
   * The hash of the option, which may be encrypted with either id of both sides: WhatsApp knows people by their number and by another id,
   * and does not say which of them it used. The cipher refuses all but the right ones.
   */
  #chosen(pollMsgId: string, { secret }: SentPoll, vote: EncryptedVote, voters: readonly string[]) {
    const { jidDecode, decryptPollVote } = this.#library;
    const { me } = this.#values.credentials ?? {};
    const own = [me?.id, me?.lid].map((id) => jidDecode(id)).filter((id) => id !== undefined);
    for (const { user, server } of own)
      for (const voterJid of voters)
        try {
          const pollCreatorJid = `${user}@${server}`;
          const pollEncKey = Buffer.from(secret, "base64");
          const { selectedOptions } = decryptPollVote(vote, {
            pollCreatorJid,
            pollMsgId,
            pollEncKey,
            voterJid,
          });
          const [first] = selectedOptions;
          return first === undefined ? null : Buffer.from(first);
        } catch {
          // Encrypted for other ids.
        }
    return null;
  }

  /** Null if it is unknown, or its votes no longer count. */
  #find(id: string): SentPoll | null {
    const text = this.#values.value(`poll:${id}`);
    const sent: SentPoll | null = text === undefined ? null : JSON.parse(text);
    return sent === null || Date.now() - sent.at > keptMs ? null : sent;
  }
}

interface PollUpdate {
  pollCreationMessageKey?: { id?: string | null } | null;
  vote?: { encPayload?: Uint8Array | null; encIv?: Uint8Array | null } | null;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
