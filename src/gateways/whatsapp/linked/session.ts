// The session of a linked device: the link itself, its connection over the bridge, and the path of a message. The bridge connects when the
// session says so; the session decides what the end of a connection means.

import type { LinkState } from "#contract/manage/link-state.ts";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import {
  type GatewaySession,
  type LinkDetails,
  type LinkRequest,
  type SessionChild,
  type SessionHost,
  SessionLost,
  type SessionStatus,
} from "#gateways/session.ts";
import { commandWords } from "#runtime/program.ts";
import { BridgeChannel, type BridgeEvent } from "./bridge-channel.ts";
import { disconnectOf } from "./disconnects.ts";
import { Incoming } from "./incoming.ts";
import { sentList } from "./lists.ts";
import { whatsappId } from "./message-ids.ts";
import { NewChatGate } from "./new-chats.ts";
import { notConnected, outcomeOf, restricted } from "./outcome.ts";
import { bridgeContentOf, type LinkedContent, pollFor, refusalOf } from "./outgoing.ts";
import type { FromBridge } from "./protocol.ts";
import { Reconnects } from "./reconnects.ts";
import { type Link, SessionStore, type Stop } from "./session-store.ts";
import { type LinkedSettings, openingOf } from "./settings.ts";
import { FileUploads } from "./uploads.ts";

type Message<Type extends FromBridge["type"]> = FromBridge & { type: Type };
/** How long the link waits after WhatsApp refused it, ms. */
const refusedMs = 15 * 60_000;
/** A link that another process took is taken back after this time, ms. */
const reclaimAfterMs = 60_000;
const closeMs = 5_000;
const logOutMs = 15_000;
/** For looking up the number, in addition to a message's own time, ms. */
const bridgeMs = 60_000;
const dayMs = 86_400_000;
/** A code can be scanned for about three minutes; the session does not wait longer for the bridge to report its end, ms. */
const pairingMs = 5 * 60_000;
/** In these states the keys are no longer of use. */
const overStates: ReadonlySet<LinkState> = new Set(["unlinked", "logged_out", "wrong_number"]);
const unlinked: Stop = { state: "unlinked", reason: "No device is linked.", until: null };
export const installIt = `Install it with ${commandWords("install-whatsapp")}.`;

export class LinkedSession implements GatewaySession<LinkedContent> {
  readonly #settings: LinkedSettings;
  readonly #host: SessionHost;
  readonly #bridge: BridgeChannel;
  readonly #store: SessionStore;
  readonly #over = new AbortController();
  readonly #incoming: Incoming;
  readonly #uploads: FileUploads;
  readonly #newChats: NewChatGate;
  readonly #reconnects: Reconnects;
  /** Stores the device's values one after the other. */
  #stored: Promise<void> = Promise.resolve();
  /** Messages that are about to be sent. */
  #prepared: Promise<unknown> = Promise.resolve();
  #library: string | null = null;
  #method: LinkDetails["method"] = null;
  #request: LinkRequest | null;
  /** A code is shown, or was requested: no device is linked yet. */
  #isPairing = false;
  #isConnected = false;
  #isLoggingOut = false;

  /**
   * `child` is the bridge; null if no device is linked or requested. `values`: the stored values of the device. `files`: see `FileUploads`.
   */
  constructor(
    settings: LinkedSettings,
    host: SessionHost,
    child: SessionChild | null,
    values: ReadonlyMap<string, string>,
    files: string | null,
  ) {
    this.#settings = settings;
    this.#host = host;
    this.#request = host.linkRequest;
    this.#store = new SessionStore(host.state, values);
    this.#bridge = new BridgeChannel(child, host.clock, {
      onMessage: (message) => this.#onMessage(message),
      onEnd: (reason) => this.#onLost(`The WhatsApp bridge ended: ${reason}`),
    });
    this.#reconnects = new Reconnects(host.clock, host.random);
    this.#incoming = new Incoming(host, this.#store, this.#bridge);
    this.#uploads = new FileUploads(host, this.#bridge, { origin: files, proxy: settings.proxy });
    this.#newChats = new NewChatGate(host.clock, this.#store, settings.new_chats_per_day);
    if (child === null) {
      this.#showStopped(this.#store.get("stop") ?? unlinked);
      return;
    }
    this.#show({ kind: "connecting" }, "connecting");
    this.#bridge.send({
      type: "open",
      values: [...values].filter(([key]) => !SessionStore.owns(key)),
      ...openingOf(settings),
    });
  }

  async send(message: OutgoingMessage<LinkedContent>, signal: AbortSignal): Promise<Outcome> {
    const { recipient: number, content } = message;
    if (!this.#isConnected) return notConnected;
    const refusal = refusalOf(message);
    if (refusal !== null) return refusal;
    const id = whatsappId(message.id);
    // One after the other: messages keep their order, and a person is counted once.
    const prepared = this.#prepared.then(() => this.#prepare(number, content, id));
    this.#prepared = prepared.catch(() => {});
    const held = await prepared;
    if (held !== null) return held;
    const sent = await bridgeContentOf(message, this.#settings, this.#uploads, signal);
    if ("outcome" in sent) return sent.outcome;
    const timeoutMs = this.#settings.timeout_ms;
    const ours = { id, messageId: message.id, number, content: sent, timeoutMs };
    const answer = await this.#bridge.ask((n) => ({ type: "send", n, ...ours }), timeoutMs + bridgeMs);
    const result = await this.#incoming.resultOf(id, answer?.type === "sent" ? answer.result : null, content);
    if (result.kind === "acked" && result.error === restricted) this.#limit(this.#host.clock.now() + dayMs);
    return outcomeOf(result, id, message);
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#isConnected = false;
    const closed = await this.#bridge.ask((n) => ({ type: "close", n }), closeMs);
    // The device must not stay connected when another process takes the lane.
    if (closed === null) this.#bridge.kill();
  }

  async logOut(): Promise<boolean> {
    this.#isLoggingOut = true;
    this.#isConnected = false;
    const answer = await this.#bridge.ask((n) => ({ type: "log_out", n }), logOutMs);
    const isLoggedOut = answer?.type === "done" && answer.ok;
    const reason = isLoggedOut
      ? "The device was unlinked here."
      : "The device was unlinked here. WhatsApp could not be notified: remove it on the phone.";
    const stop: Stop = { state: "unlinked", reason, until: null };
    await this.#guard(() => this.#store.set({ link: null, stop }));
    this.#show({ kind: "logged_out", reason }, "unlinked", { word: "removed" });
    this.#isLoggingOut = false;
    await this.#bridge.release();
    return isLoggedOut;
  }

  #onMessage(message: BridgeEvent): void {
    switch (message.type) {
      case "opened":
        this.#library = message.library;
        void this.#guard(() => this.#begin(message.linked !== null));
        break;
      case "failed":
        this.#show({ kind: "disconnected", reason: `${message.reason} ${installIt}` }, "not_installed");
        void this.#bridge.release();
        break;
      case "qr":
        this.#showCode({ qr: message.text }, message.forMs, "waiting_for_scan");
        break;
      case "code":
        this.#showCode({ code: message.text }, message.forMs, "waiting_for_code");
        break;
      case "connected":
        void this.#guard(() => this.#connected(message));
        break;
      case "disconnected":
        void this.#guard(() => this.#disconnected(message));
        break;
      case "limits":
        this.#limit(message.untilMs);
        break;
      case "save":
      case "receipt":
      case "received":
        this.#stored = this.#stored.then(() => this.#guard(() => this.#incoming.store(message)));
        break;
    }
  }

  /** The first action: a person's request, or the existing link. */
  async #begin(hasKeys: boolean): Promise<void> {
    const request = this.#request;
    const before = this.#store.get("stop");
    // Keys of an ended link are deleted, unless the bridge ended first.
    const isLinked = hasKeys && (before === null || !overStates.has(before.state));
    const isDamaged = before?.state === "needs_relink";
    if (request !== null && request.action === "link" && (!isLinked || isDamaged || request.replace)) {
      if (hasKeys) await this.#leave();
      await this.#store.set({ link: null, stop: null });
      this.#startPairing(request);
      return;
    }
    if (!isLinked) {
      if (hasKeys) await this.#leave();
      this.#showStopped(before ?? unlinked);
      return;
    }
    const stop = request === null ? before : null;
    if (request !== null) await this.#store.set({ stop: null });
    if (stop === null) return this.#connect();
    this.#showStopped(stop);
    if (stop.until !== null) await this.#connectAfter(stop.until - this.#host.clock.now());
  }

  /** Deletes the keys, and notifies the phone that the link has ended, if it can be reached. */
  async #leave(): Promise<void> {
    this.#isLoggingOut = true;
    await this.#bridge.ask((n) => ({ type: "log_out", n }), logOutMs);
    this.#isLoggingOut = false;
  }

  #startPairing({ method, number }: LinkRequest): void {
    this.#isPairing = true;
    this.#method = method;
    this.#show({ kind: "connecting" }, "connecting");
    const pair = method === "code" ? ({ method, number: number ?? "" } as const) : ({ method } as const);
    this.#bridge.send({ type: "connect", pair });
    void this.#endPairing();
  }

  async #endPairing(): Promise<void> {
    await this.#host.clock.sleep(pairingMs, this.#over.signal);
    if (this.#isPairing && !this.#over.signal.aborted) await this.#guard(() => this.#expire());
  }

  async #expire(): Promise<void> {
    this.#isPairing = false;
    const reason = "No device was linked in time. Ask for a new code.";
    await this.#stop({ state: "expired", reason, until: null });
  }

  #connect(): void {
    if (!this.#over.signal.aborted) this.#bridge.send({ type: "connect", pair: null });
  }

  async #connectAfter(ms: number): Promise<void> {
    await this.#host.clock.sleep(Math.max(0, ms), this.#over.signal);
    // A stop of the session does not end the wait; the next session continues it.
    if (this.#over.signal.aborted) return;
    await this.#store.set({ stop: null });
    this.#connect();
  }

  #showCode(code: { qr: string } | { code: string }, forMs: number, state: LinkState): void {
    if (!this.#isPairing) return;
    const expiresAt = this.#host.clock.now() + forMs;
    this.#show({ kind: "pairing", pairing: { ...code, expiresAt } }, state);
  }

  async #connected({ identity }: Message<"connected">): Promise<void> {
    if (this.#over.signal.aborted || this.#isLoggingOut) return;
    const { clock, log } = this.#host;
    const before = this.#store.get("number");
    if (this.#isPairing && before !== null && before !== identity.number && this.#request?.replace !== true) {
      this.#isPairing = false;
      await this.#leave();
      const reason = "Another number than before was linked. Link the same one, or replace it.";
      return this.#stop({ state: "wrong_number", reason, until: null });
    }
    const known = this.#store.get("link");
    const link: Link = { ...identity, linkedAt: known?.linkedAt ?? clock.now() };
    if (JSON.stringify(link) !== JSON.stringify(known))
      await this.#store.set({ link, number: identity.number, stop: null });
    this.#isPairing = false;
    this.#isConnected = true;
    this.#reconnects.connected();
    log.info({ event: "whatsapp.connected" }, "A linked device is connected.");
    this.#showConnected();
  }

  async #disconnected({ code, detail, forMs }: Message<"disconnected">): Promise<void> {
    const wasPairing = this.#isPairing;
    const wasConnected = this.#isConnected;
    this.#isConnected = false;
    this.#isPairing = false;
    if (this.#over.signal.aborted || this.#isLoggingOut) return;
    const { clock, log } = this.#host;
    log.warn({ event: "whatsapp.disconnected", code }, "The connection of a linked device ended.");
    if (wasPairing) return this.#expire();
    const means = disconnectOf(code, detail);
    switch (means.kind) {
      case "ended":
        await this.#store.set({ link: null });
        await this.#leave();
        return this.#stop({ state: "logged_out", word: means.word, reason: means.reason, until: null });
      case "banned_for":
        return this.#waitOut({
          state: "limited",
          reason: means.reason,
          until: clock.now() + (forMs ?? dayMs),
        });
      case "refused":
        return this.#waitOut({ state: means.state, reason: means.reason, until: clock.now() + refusedMs });
      case "replaced": {
        if (this.#reconnects.isConflict()) {
          const reason = "Another process opened the same link. Resume it when that one is stopped.";
          return this.#stop({ state: "replaced", word: "replaced", reason, until: null });
        }
        this.#show({ kind: "disconnected", reason: "Another process opened the same link." }, "reconnecting");
        return this.#connectAfter(reclaimAfterMs);
      }
      case "again": {
        const waitMs = this.#reconnects.waitAfter(code, { wasConnected, firstMs: means.firstMs });
        if (waitMs === null) {
          const reason = "WhatsApp refuses the keys of the link. Link the device again.";
          return this.#stop({ state: "needs_relink", reason, until: null });
        }
        if (wasConnected) this.#show({ kind: "connecting" }, "reconnecting");
        else this.#show({ kind: "disconnected", reason: "WhatsApp cannot be reached." }, "reconnecting");
        await clock.sleep(waitMs, this.#over.signal);
        this.#connect();
      }
    }
  }

  /** Nothing connects until a person decides. */
  async #stop(stop: Stop): Promise<void> {
    await this.#store.set({ stop });
    this.#showStopped(stop);
  }

  async #waitOut(stop: Stop & { until: number }): Promise<void> {
    await this.#stop(stop);
    await this.#connectAfter(stop.until - this.#host.clock.now());
  }

  #showStopped({ state, word, reason, until }: Stop): void {
    const more = { ...(word && { word }), limitedUntil: until };
    const waits = until !== null || state === "needs_relink";
    this.#show({ kind: waits ? "disconnected" : "logged_out", reason }, state, more);
    // The next request for the link opens a session of its own.
    if (overStates.has(state) || state === "expired") void this.#bridge.release();
  }

  #showConnected(): void {
    const state = this.#newChats.limitedUntil === null ? "open" : "limited";
    this.#show({ kind: "connected" }, state);
  }

  #show(status: SessionStatus, state: LinkState, more: Partial<LinkDetails> = {}): void {
    if (this.#over.signal.aborted) return;
    const device = this.#store.get("link");
    this.#host.status({
      ...status,
      link: {
        state,
        method: this.#method,
        requestedBy: this.#request?.by ?? null,
        device: device && { number: device.number, name: device.name, platform: device.platform },
        limitedUntil: this.#newChats?.limitedUntil ?? null,
        library: this.#library,
        warnings: [],
        ...more,
      },
    });
  }

  /** The number may begin no chat until then; null if it may. */
  #limit(until: number | null): void {
    if (this.#newChats.limit(until) && this.#isConnected) this.#showConnected();
  }

  /** Records the message in the chat; the outcome of one that must not begin a chat now. */
  async #prepare(
    number: string,
    content: OutgoingMessage<LinkedContent>["content"],
    id: string,
  ): Promise<Outcome | null> {
    try {
      const held = await this.#newChats.admit(number);
      if (held === null && content.kind === "list" && pollFor(content, this.#settings) === null)
        await this.#store.rememberList(number, sentList(content, id, this.#host.clock.now()));
      return held;
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      return notConnected;
    }
  }

  /** Runs work that may find out that the lane belongs to another process now: then nothing more may leave here. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof SessionLost) return;
      const { log } = this.#host;
      log.error({ event: "whatsapp.failed", error }, "The session of a linked device has a fault.");
      this.#onLost("The session has a fault; see the log.");
    }
  }

  #onLost(reason: string): void {
    if (this.#over.signal.aborted) return;
    this.#isConnected = false;
    this.#host.fail(reason);
  }
}
