// The event streams that notify phones when there is something to fetch. An event has no content: the phone polls then. For each connected
// phone this process knows when it may next fetch something, and notifies it then.

import type { Core } from "#core/core.ts";
import { priorities } from "#queue/priority.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { readLines } from "#store/phones/phone-items.ts";
import { readPhoneTokens } from "#store/phones/phones.ts";
import { linesOf, nextHandover } from "./lines.ts";

/** The events that the app understands. */
export type PhoneEventName = "MessageEnqueued" | "WebhooksUpdated" | "SettingsUpdated";

/** A stream of events of one connection; what `http/reply/sse.ts` writes. */
export interface PhoneStream {
  next(): Promise<string | null>;
  cancel(): void;
}

type StreamsDeps = Pick<Core, "clock" | "database" | "log" | "sealer">;

/** The app's stream is connected only once the first bytes have arrived. */
const greeting = ": connected\n\n";
/** Messages accepted within this time cause one event. */
const gatherMs = 50;
/** A phone that got an event and did not poll gets another one. */
const repeatMs = 30_000;
/** What the poll of due lanes reports about a phone is checked once per this time. */
const recheckMs = 5_000;
/** The app keeps one open; a phone that changes its network may have left some behind. */
export const maxStreams = 4;
/** Links that another process ended are detected within this time. */
export const tokenCheckMs = 30_000;
/** Events that a phone does not read are dropped: one of each kind is enough. */
const frameOf = (name: PhoneEventName) => `event: ${name}\ndata: null\n\n`;

interface ConnectedPhone {
  id: string;
  accountId: string;
  streams: Set<Outbox>;
  gatewayIds: readonly string[];
  /** When it is checked again, monotonic ms, and what ends that wait. */
  waitUntil: number;
  waiting: AbortController | null;
  checkedAt: number;
}

/** The events that wait for one connection. */
class Outbox implements PhoneStream {
  readonly #waiting = new Set<PhoneEventName>();
  #greeted = false;
  #over = false;
  #wake: (() => void) | null = null;
  /** The hash of the token with which the phone opened it. */
  readonly tokenHash: string;
  readonly #onEnd: () => void;

  constructor(tokenHash: string, onEnd: () => void) {
    this.tokenHash = tokenHash;
    this.#onEnd = onEnd;
  }

  push(name: PhoneEventName): void {
    this.#waiting.add(name);
    this.#wake?.();
  }

  async next(): Promise<string | null> {
    if (!this.#greeted) {
      this.#greeted = true;
      return greeting;
    }
    while (!this.#over && this.#waiting.size === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#over) return null;
    const text = [...this.#waiting].map(frameOf).join("");
    this.#waiting.clear();
    return text;
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#wake?.();
    this.#onEnd();
  }
}

export class PhoneStreams {
  readonly #deps: StreamsDeps;
  readonly #phones = new Map<string, ConnectedPhone>();
  readonly #stopping = new AbortController();
  readonly #tokenChecks: Interval;

  constructor(deps: StreamsDeps) {
    this.#deps = deps;
    this.#tokenChecks = new Interval({
      clock: deps.clock,
      log: deps.log,
      signal: this.#stopping.signal,
      ms: tokenCheckMs,
      isNeeded: () => this.#phones.size > 0,
      turn: () => this.#checkTokens(),
      failure: {
        event: "phone.tokens_unread",
        message: "Whether the links of connected phones are still valid could not be read; it is read again.",
      },
    });
  }

  /**
   * A new connection of a phone. Existing ones stay, because the app may have several; of more than four the oldest is closed. `tokenHash`:
   * that of the token that it presented; the connection ends when the token is no longer valid.
   */
  open(
    { phone, tokenHash }: { phone: { gateway_id: string; account_id: string }; tokenHash: string },
    first: readonly PhoneEventName[],
  ): PhoneStream {
    const { gateway_id: id, account_id: accountId } = phone;
    const connected = this.#phones.get(id) ?? {
      id,
      accountId,
      streams: new Set(),
      gatewayIds: [id],
      waitUntil: Number.POSITIVE_INFINITY,
      waiting: null,
      checkedAt: Number.NEGATIVE_INFINITY,
    };
    this.#phones.set(id, connected);
    const stream = new Outbox(tokenHash, () => {
      connected.streams.delete(stream);
      if (connected.streams.size > 0 || this.#phones.get(id) !== connected) return;
      connected.waiting?.abort();
      this.#phones.delete(id);
    });
    connected.streams.add(stream);
    const [oldest] = connected.streams;
    if (connected.streams.size > maxStreams) oldest?.cancel();
    for (const name of first) stream.push(name);
    if (this.#stopping.signal.aborted) stream.cancel();
    else {
      // The app polls by itself when it has connected.
      this.#lookIn(connected, repeatMs);
      this.#tokenChecks.start();
    }
    return stream;
  }

  isConnected(phoneId: string): boolean {
    return this.#phones.has(phoneId);
  }

  /** Notifies a phone on each of its connections. */
  tell(phoneId: string, name: PhoneEventName): void {
    for (const stream of this.#phones.get(phoneId)?.streams ?? []) stream.push(name);
  }

  /** Ends the connections of a phone whose link was revoked. */
  end(phoneId: string): void {
    for (const stream of [...(this.#phones.get(phoneId)?.streams ?? [])]) stream.cancel();
  }

  /** Something about what the phone may fetch has changed. */
  changed(phoneId: string): void {
    const phone = this.#phones.get(phoneId);
    if (phone) this.#lookIn(phone, gatherMs);
  }

  /** Gateways, their settings or pauses have changed. */
  gatewaysChanged(): void {
    for (const phone of this.#phones.values()) this.#lookIn(phone, gatherMs);
  }

  /**
   * Something is due `at` (epoch ms; undefined: now) on a gateway that may belong to a phone connected here. `polled`: it is reported
   * repeatedly, so an occasional check is enough.
   */
  due(gatewayId: string, { at, polled }: { at: number | undefined; polled: boolean }): void {
    const { clock } = this.#deps;
    for (const phone of this.#phones.values()) {
      if (!phone.gatewayIds.includes(gatewayId)) continue;
      const waitMs = at === undefined ? 0 : at - clock.now();
      const restMs = polled ? phone.checkedAt + recheckMs - clock.monotonic() : 0;
      this.#lookIn(phone, Math.max(gatherMs, waitMs, restMs));
    }
  }

  /** Ends all connections; the phones connect again elsewhere. */
  stop(): void {
    this.#stopping.abort();
    for (const id of [...this.#phones.keys()]) this.end(id);
  }

  /** Ends the streams whose token another process has invalidated. */
  async #checkTokens(): Promise<void> {
    const open = [...this.#phones.values()].flatMap(({ id, streams }) =>
      [...streams].map((stream) => ({ id, stream })),
    );
    const rows = await this.#deps.database.run(readPhoneTokens, [...new Set(open.map(({ id }) => id))]);
    const tokens = new Map(rows.map(({ gateway_id, token_hash }) => [gateway_id, token_hash]));
    for (const { id, stream } of open) if (tokens.get(id) !== stream.tokenHash) stream.cancel();
  }

  /** Checks the phone after `afterMs`, unless it is checked earlier. */
  #lookIn(phone: ConnectedPhone, afterMs: number): void {
    const { clock } = this.#deps;
    const at = clock.monotonic() + afterMs;
    if (at >= phone.waitUntil) return;
    phone.waiting?.abort();
    phone.waitUntil = at;
    const waiting = new AbortController();
    phone.waiting = waiting;
    void clock.sleep(afterMs, waiting.signal).then(async () => {
      if (waiting.signal.aborted || phone.waiting !== waiting) return;
      phone.waiting = null;
      phone.waitUntil = Number.POSITIVE_INFINITY;
      await this.#look(phone);
    });
  }

  async #look(phone: ConnectedPhone): Promise<void> {
    const { clock, database, log } = this.#deps;
    phone.checkedAt = clock.monotonic();
    try {
      const lines = await linesOf(this.#deps, { gateway_id: phone.id, account_id: phone.accountId });
      phone.gatewayIds = lines.map(({ gateway }) => gateway.id);
      const query = { phoneId: phone.id, gatewayIds: phone.gatewayIds, priorities };
      const now = clock.now();
      const at = nextHandover(lines, await database.run(readLines, query), now);
      if (this.#phones.get(phone.id) !== phone) return;
      if (at === null) return;
      if (at > now) {
        this.#lookIn(phone, at - now);
        return;
      }
      this.tell(phone.id, "MessageEnqueued");
      this.#lookIn(phone, repeatMs);
    } catch (error) {
      log.warn(
        { event: "phone.look_failed", phone: phone.id, error },
        "What a phone may fetch could not be read; it is looked at again.",
      );
      this.#lookIn(phone, recheckMs);
    }
  }
}
