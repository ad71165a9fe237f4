// The session of an `smpp` gateway: its binds, each kept open by a loop of its own, and the path of a message over one of them. It is
// connected while a bind can submit.

import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { type GatewaySession, type SessionHost, SessionLost } from "#gateways/session.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";
import { Bind, type BindFailure, type BindMode, type BindTarget } from "./bind.ts";
import { Deliveries } from "./deliveries.ts";
import { incomplete, inDoubt, referencesOf } from "./partly-taken.ts";
import { maxParts, type Part, partsOf } from "./parts.ts";
import { type Address, encodeSubmit } from "./pdu.ts";
import type { SubmitAnswer } from "./pending.ts";
import { bindFields, type SmppSettings, tlsOf, tlvValue } from "./settings.ts";
import { IdSpelling } from "./spelling.ts";
import { classOf, type StatusClass, status, statusCode, statusName } from "./status.ts";
import { SubmitRate } from "./submit-rate.ts";

/** Waits before a bind is retried, ms. */
const retryMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
/** The same after a refusal: SMSCs lock accounts that try a wrong password too often. */
const refusedRetryMs = [5_000, 15_000, 60_000, 300_000] as const;
/** A bind that lasted this long resets the waits, ms. */
const healthyMs = 60_000;
/** `UNKNOWNERR` is retried this many times. */
const maxUnknownErrorTries = 3;
/** From this congestion on (SMPP 5.0) the SMSC counts as throttling. */
const maxCongestion = 90;
/** Recipients whose last reference of parts is remembered. */
const maxReferences = 10_000;

export class SmppSession implements GatewaySession<"text"> {
  readonly #host: SessionHost;
  readonly #settings: SmppSettings;
  readonly #target: BindTarget;
  readonly #deliveries: Deliveries;
  readonly #rate: SubmitRate;
  readonly #binds = new Set<Bind>();
  /** Sends that wait for a slot in a window. */
  readonly #waiting: ((bind: Bind | null) => void)[] = [];
  readonly #closing = new AbortController();
  readonly #loops: Promise<void>[];
  /** By recipient: 8-bit references are soon reused, and the parts of two long texts to one person must not be mixed. */
  readonly #references = new Map<string, number>();
  readonly #codes: ReadonlyMap<number, StatusClass>;
  readonly #tlvs: readonly (readonly [tag: number, value: Buffer])[];
  readonly #source: Address;
  readonly #spelling: IdSpelling;

  constructor(settings: SmppSettings, host: SessionHost) {
    this.#settings = settings;
    this.#host = host;
    this.#target = {
      ...bindFields(settings),
      host: settings.host,
      port: settings.port,
      tls: tlsOf(settings),
      enquireMs: settings.enquire_link_s * 1000,
      responseMs: settings.response_timeout_s * 1000,
    };
    this.#source = sourceOf(settings);
    this.#codes = new Map(Object.entries(settings.codes).map(([code, means]) => [Number(code), means]));
    this.#tlvs = settings.tlvs.map((tlv) => [Number(tlv.tag), tlvValue(tlv) ?? Buffer.alloc(0)] as const);
    this.#rate = new SubmitRate(host.clock, settings.throttle_ms);
    this.#spelling = new IdSpelling(settings.message_id);
    this.#deliveries = new Deliveries(host, settings, this.#spelling, () => this.#onLost());
    const modes: readonly BindMode[] =
      settings.bind === "transceiver" ? ["transceiver"] : ["transmitter", "receiver"];
    this.#loops = Array.from({ length: settings.binds }, () => modes.map((mode) => this.#keep(mode))).flat();
  }

  async send(message: OutgoingMessage<"text">, signal: AbortSignal): Promise<Outcome> {
    const { recipient } = message;
    const parts = partsOf(message.content.text, this.#settings, this.#nextReference(recipient));
    if (parts === null) {
      const reason = `The text needs more than ${maxParts} parts.`;
      return { kind: "rejected", code: "too_long", reason };
    }
    const bind = await this.#acquire(signal);
    if (bind === null) return notWritten;
    try {
      return await this.#submitParts(bind, message, parts, signal);
    } finally {
      this.#release(bind);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#rate.stop();
    await Promise.all([...this.#binds].map((bind) => bind.close()));
    await Promise.all(this.#loops);
  }

  /** One part after the other on one bind. What the SMSC has accepted is never sent again. */
  async #submitParts(
    bind: Bind,
    message: OutgoingMessage<"text">,
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock } = this.#host;
    const isSingle = parts.length === 1;
    const taken: (string | null)[] = [];
    /** A part that the SMSC does not accept now is retried for this long. */
    const until = clock.monotonic() + this.#target.responseMs * (parts.length + 1);
    for (const part of parts) {
      const body = this.#bodyOf(message.recipient, part);
      for (let isRepeat = false; ; isRepeat = true) {
        const admitted = this.#rate.admit(isRepeat);
        if (admitted !== null) await admitted;
        if (signal.aborted || this.#closing.signal.aborted)
          return incomplete(taken, parts.length, notWritten);
        const submission = await bind.submit(body, isSingle ? message.id : null);
        if (submission.kind === "not_written") return incomplete(taken, parts.length, notWritten);
        if (submission.kind !== "answered") {
          const each = this.#settings.receipts_per === "part";
          return inDoubt(submission.kind, { taken, each, of: parts.length });
        }
        if (submission.status === status.ok) {
          taken.push(this.#referenceOf(submission, message.recipient));
          break;
        }
        const refused = this.#refusalOf(submission.status, message.attempt, bind);
        const canWait = refused.class === "throttled" || (refused.class === "later" && taken.length > 0);
        if (canWait) this.#rate.throttled();
        if (!canWait || clock.monotonic() >= until) return incomplete(taken, parts.length, refused.outcome);
      }
    }
    const references = referencesOf(taken);
    const [reference = null] = references;
    if (references.length < 2) return { kind: "accepted", reference };
    const each = this.#settings.receipts_per === "part" && references.length === parts.length;
    return { kind: "accepted", reference, parts: { references, each } };
  }

  #bodyOf(recipient: string, part: Part): Buffer {
    const { dest, service_type, protocol_id, registered_delivery, validity_s } = this.#settings;
    const isInternational = recipient.startsWith("+");
    const addr = isInternational && !dest.plus ? recipient.slice(1) : recipient;
    return encodeSubmit({
      serviceType: service_type,
      source: this.#source,
      // A short code has no type.
      destination: isInternational ? { ton: dest.ton, npi: dest.npi, addr } : { ton: 0, npi: 1, addr },
      esmClass: part.esmClass,
      protocolId: protocol_id,
      validity: validity_s === null ? "" : relativeTime(validity_s),
      registeredDelivery: registered_delivery,
      dataCoding: part.dataCoding,
      text: part.text,
      tlvs: [...part.tlvs, ...this.#tlvs],
    });
  }

  #referenceOf({ messageId, congestion }: SubmitAnswer, recipient: string): string | null {
    this.#rate.accepted();
    if (congestion !== null && congestion >= maxCongestion) this.#rate.throttled();
    if (messageId !== null) return this.#took(messageId, recipient);
    this.#host.log.warn(
      { event: "smpp.id_missing" },
      "The SMSC took a message without an id; no receipt can be matched with it.",
    );
    return null;
  }

  /** Returns the reference of a message that the SMSC accepted. */
  #took(id: string, recipient: string): string {
    const reference = this.#spelling.taken(id, recipient);
    this.#deliveries.took(id, recipient);
    return reference;
  }

  /** What a refusal means for the message. */
  #refusalOf(code: number, attempt: number, bind: Bind): { class: StatusClass; outcome: Outcome } {
    const listed = this.#codes.get(code) ?? classOf(code);
    const reason = `The SMSC refused it: ${statusName(code)}.`;
    const refusal = { code: statusCode(code), reason };
    let means: StatusClass = listed ?? "message";
    if (code === status.unknownError && attempt >= maxUnknownErrorTries) means = "message";
    // The SMSC considers this connection not bound.
    if (code === status.bindStatus) bind.destroy("The SMSC no longer considers the connection bound.");
    switch (means) {
      case "message":
        return {
          class: means,
          outcome: { kind: "rejected", ...refusal, ...(listed === null && { mayBeGatewayFault: true }) },
        };
      case "gateway":
        return { class: means, outcome: { kind: "deferred", ...refusal, gatewayFault: "refused" } };
      case "later":
      case "throttled":
        return { class: means, outcome: { kind: "deferred", ...refusal } };
    }
  }

  /** The bind with the most free slots; waits while all windows are full. Null if no bind can submit. */
  #acquire(signal: AbortSignal): Promise<Bind | null> | Bind | null {
    if (signal.aborted || this.#closing.signal.aborted) return null;
    let best: Bind | null = null;
    let canSubmit = false;
    for (const bind of this.#binds) {
      if (bind.mode === "receiver" || !bind.isOpen) continue;
      canSubmit = true;
      if (bind.inUse < this.#settings.window && (best === null || bind.inUse < best.inUse)) best = bind;
    }
    if (best !== null) best.inUse += 1;
    if (best !== null || !canSubmit) return best;
    return new Promise((resolve) => {
      const take = (bind: Bind | null) => {
        signal.removeEventListener("abort", leave);
        resolve(bind);
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        resolve(null);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(take);
    });
  }

  /** Passes the slot to the next waiting message. */
  #release(bind: Bind): void {
    const next = bind.isOpen ? this.#waiting.shift() : undefined;
    if (next === undefined) bind.inUse -= 1;
    else next(bind);
  }

  /** Keeps one bind open until the session is closed. */
  async #keep(mode: BindMode): Promise<void> {
    const { clock, outbound, log } = this.#host;
    const closing = this.#closing.signal;
    const signal = AbortSignal.any([closing, this.#host.signal]);
    for (let failures = 0, refusals = 0; !signal.aborted; ) {
      const startedAt = clock.monotonic();
      const opened = await Bind.open(
        mode,
        this.#target,
        { clock, outbound, log, signal },
        {
          onDelivery: (bind, pdu, delivery) => this.#deliveries.add(bind, pdu, delivery),
          onLateAnswer: (messageId, answer) => void this.#reportLate(messageId, answer),
          onEnd: (bind) => this.#down(bind),
        },
      );
      let waitMs: number;
      if (opened instanceof Bind) {
        this.#up(opened);
        const reason = await opened.ended;
        if (signal.aborted) return;
        log.warn({ event: "smpp.disconnected", mode, reason }, "A connection to the SMSC ended.");
        failures = clock.monotonic() - startedAt >= healthyMs ? 0 : failures;
        refusals = 0;
        waitMs = this.#backOff(retryMs, failures);
        failures += 1;
      } else {
        if (signal.aborted) return;
        this.#report(mode, opened);
        waitMs = opened.refused ? this.#backOff(refusedRetryMs, refusals) : this.#backOff(retryMs, failures);
        // The SMSC notices an old connection when its own test of it fails.
        if (opened.stillBound) waitMs = Math.max(waitMs, this.#target.enquireMs);
        if (opened.refused) refusals += 1;
        else failures += 1;
      }
      await clock.sleep(waitMs, signal);
    }
  }

  #backOff(steps: readonly number[], failures: number): number {
    const ms = steps[Math.min(failures, steps.length - 1)] ?? 0;
    return retryDelay({ firstMs: ms, maxMs: ms }, 1, "half", this.#host.random.random());
  }

  #report(mode: BindMode, { reason, refused }: BindFailure): void {
    this.#host.log.warn(
      { event: "smpp.bind_failed", mode, reason, refused },
      "The SMSC could not be bound to.",
    );
    if (!this.#canSubmit()) this.#host.status({ kind: "disconnected", reason });
  }

  #up(bind: Bind): void {
    this.#binds.add(bind);
    this.#host.log.info({ event: "smpp.bound", mode: bind.mode }, "A connection to the SMSC is bound.");
    if (bind.mode === "receiver") return;
    this.#host.status({ kind: "connected" });
    while (bind.inUse < this.#settings.window) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      bind.inUse += 1;
      next(bind);
    }
  }

  #down(bind: Bind): void {
    this.#binds.delete(bind);
    if (this.#canSubmit()) return;
    // Retried at once; if that fails, it counts as a pause.
    if (!this.#closing.signal.aborted && bind.mode !== "receiver") this.#host.status({ kind: "connecting" });
    for (const take of this.#waiting.splice(0)) take(null);
  }

  #canSubmit(): boolean {
    for (const bind of this.#binds) if (bind.mode !== "receiver" && bind.isOpen) return true;
    return false;
  }

  /** Another process owns the lane and opens connections of its own. */
  #onLost(): void {
    this.#closing.abort();
    this.#rate.stop();
    for (const bind of this.#binds) bind.destroy("Another process owns the gateway's lane.");
  }

  /** Settles a message whose outcome was `unknown` for lack of this answer. */
  async #reportLate(messageId: string, { status: code, messageId: id }: SubmitAnswer): Promise<void> {
    const receipt =
      code === status.ok
        ? {
            reference: id === null ? null : this.#took(id, ""),
            messageId,
            status: "sent" as const,
          }
        : {
            reference: null,
            messageId,
            status: "failed" as const,
            code: statusCode(code),
            reason: `The SMSC refused it late: ${statusName(code)}.`,
          };
    try {
      await this.#host.report({ receipts: [receipt] });
      this.#host.answeredLate(messageId);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
    }
  }

  /** Counted for each recipient, from a random start. */
  #nextReference(recipient: string): number {
    const last = this.#references.get(recipient);
    const next = last === undefined ? Math.floor(this.#host.random.random() * 65_536) : (last + 1) % 65_536;
    // Inserted again, so that those not used for longest come first.
    this.#references.delete(recipient);
    this.#references.set(recipient, next);
    if (this.#references.size > maxReferences) {
      const [oldest] = this.#references.keys();
      if (oldest !== undefined) this.#references.delete(oldest);
    }
    return next;
  }
}

const notWritten: Outcome = {
  kind: "deferred",
  code: "not_connected",
  reason: "The connection to the SMSC ended before the message was handed to it.",
  gatewayFault: "unreachable",
};

/** The sender's type and plan, derived from its format unless the settings give them. */
function sourceOf({ source }: SmppSettings): Address {
  const { addr = "" } = source;
  const isNumber = /^\+?[0-9]+$/.test(addr);
  const digits = isNumber ? addr.replace("+", "") : addr;
  const isShort = isNumber && !addr.startsWith("+") && digits.length <= 6;
  const ton = addr === "" ? 0 : isShort ? 3 : isNumber ? 1 : 5;
  return { ton: source.ton ?? ton, npi: source.npi ?? (isNumber && !isShort ? 1 : 0), addr: digits };
}

/** `YYMMDDhhmmss000R`, from now on: an absolute time would need the SMSC's zone. */
function relativeTime(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const days = two(seconds / 86_400);
  return `0000${days}${two((seconds / 3600) % 24)}${two((seconds / 60) % 60)}${two(seconds % 60)}000R`;
}
