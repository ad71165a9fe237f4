// Supervises the session of one gateway for as long as this process owns its lane: opens it, opens it again with a
// back-off when it fails, suspends the lane while there is no connection, and closes it with the lane.

import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import {
  type GatewaySession,
  type SessionHost,
  SessionLost,
  type SessionReport,
  type SessionStatus,
} from "#gateways/session.ts";
import { startChild } from "#runtime/child-process.ts";
import type { Clock, Log, Outbound, Random } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import {
  pairingContext,
  readSessionValues,
  recordSession,
  saveSessionValues,
  sessionValueContext,
} from "#store/gateways/sessions.ts";
import type { Sealer } from "#store/seal.ts";

export interface SessionDeps {
  database: Database;
  clock: Clock;
  random: Random;
  log: Log;
  outbound: Outbound;
  sealer: Sealer;
  newId(prefix: string): string;
  /** Stores what a session reports exactly as what a callback says; rejects when storage does. */
  storeReport(report: SessionReport): Promise<void>;
  /** Events were recorded. */
  eventsRecorded(): void;
}

/** The gateway, as the owner of its lane knows it. */
export interface SessionGateway extends Pick<SessionHost, "callbackUrl" | "timeoutMs" | "dkim"> {
  id: string;
  identifier: string;
  fence: number;
  /** A person links a device to it: its state is stored, shown, and told by events. */
  linked: boolean;
}

/** What the supervisor does to the lane. */
export interface SuspendableLane {
  suspend(reason: string | null): void;
  resume(): void;
}

/** First and longest wait before a session is opened again, ms. */
const reopen = { firstMs: 1_000, maxMs: 60_000 };
/** A session that lasted this long counts as healthy, so that its end starts the back-off anew, ms. */
const healthyMs = 60_000;
/** How long a message that was in flight when the connection went may still get its outcome, ms. */
const lastWordsMs = 5_000;
/** How long a session may take to close, ms. */
const closeMs = 10_000;
const storageRetry = { firstMs: 500, maxMs: 10_000 };

const notConnected: Outcome = {
  kind: "deferred",
  code: "not_connected",
  reason: "The gateway is not connected.",
  gatewayFault: "unreachable",
};
const disconnected: Outcome = {
  kind: "unknown",
  code: "disconnected",
  reason: "The connection ended before the outcome was known.",
};

export class SessionSupervisor {
  readonly #deps: SessionDeps;
  readonly #gateway: SessionGateway;
  readonly #lane: SuspendableLane;
  readonly #open: (host: SessionHost) => Promise<GatewaySession>;
  readonly #stopping = new AbortController();
  /** What the present session last said of itself. */
  #status: SessionStatus = { kind: "connecting" };
  #session: GatewaySession | null = null;
  /** Aborted when the connection goes; null while there is none. */
  #connection: AbortController | null = null;
  #unrecorded: SessionStatus | null = null;
  #recording: Promise<void> | null = null;
  readonly #ended: Promise<void>;

  /** Starts at once. `open` is the adapter's, with the gateway's settings. */
  constructor(
    deps: SessionDeps,
    gateway: SessionGateway,
    lane: SuspendableLane,
    open: (host: SessionHost) => Promise<GatewaySession>,
  ) {
    this.#deps = deps;
    this.#gateway = gateway;
    this.#lane = lane;
    this.#open = open;
    this.#ended = this.#run();
  }

  /** Rejects with what the session rejects with. */
  async send(message: OutgoingMessage, signal: AbortSignal): Promise<Outcome> {
    const session = this.#session;
    const connection = this.#connection;
    if (session === null || connection === null) return notConnected;
    const answered = new AbortController();
    const cutOff = new Promise<Outcome>((resolve) => {
      const wait = async () => {
        await this.#deps.clock.sleep(lastWordsMs, answered.signal);
        resolve(disconnected);
      };
      const onDown = () => void wait();
      connection.signal.addEventListener("abort", onDown, { once: true });
      answered.signal.addEventListener("abort", () => connection.signal.removeEventListener("abort", onDown));
    });
    try {
      return await Promise.race([session.send(message, signal), cutOff]);
    } finally {
      answered.abort();
    }
  }

  /** Ends the link for good; null: there is no session, or it has no link. True: the other side was told. */
  async logOut(): Promise<boolean | null> {
    return (await this.#session?.logOut?.()) ?? null;
  }

  /** Nothing is being sent any more: closes the session. Resolves when it is closed, or took too long. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await this.#recording;
  }

  async #run(): Promise<void> {
    const { clock, log, random } = this.#deps;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      const over = new AbortController();
      const startedAt = clock.monotonic();
      this.#changeStatus({ kind: "connecting" });
      const opening = this.#open(this.#hostOf(over));
      const session = await this.#unless(signal, opening).catch((error) => {
        log.error(
          { event: "session.open_failed", gateway: this.#gateway.identifier, error },
          "the session of a gateway could not be opened",
        );
        this.#changeStatus({ kind: "disconnected", reason: "The session could not be opened; see the log." });
        return null;
      });
      if (session !== null) {
        this.#session = session;
        this.#applyStatus();
        if (!over.signal.aborted && !signal.aborted) await aborted(over.signal, signal);
        this.#session = null;
        this.#disconnect();
        over.abort();
        await this.#closeSession(session);
      } else {
        over.abort();
        // It was given up while it was being opened, or opens after all.
        opening.then(
          (late) => this.#closeSession(late),
          () => {},
        );
      }
      if (signal.aborted) return;
      failures = clock.monotonic() - startedAt >= healthyMs ? 1 : failures + 1;
      const ceiling = Math.min(reopen.maxMs, reopen.firstMs * 2 ** Math.min(failures - 1, 16));
      // Half of it is chance, so that devices that were cut off together do not come back together.
      await clock.sleep(ceiling * (0.5 + random.fraction() / 2), signal);
    }
  }

  /** The value, or null when the signal aborts first. */
  async #unless<T>(signal: AbortSignal, value: Promise<T>): Promise<T | null> {
    if (signal.aborted) return null;
    return await Promise.race([value, aborted(signal).then(() => null)]);
  }

  async #closeSession(session: GatewaySession): Promise<void> {
    const { clock, log } = this.#deps;
    const { identifier } = this.#gateway;
    const closed = new AbortController();
    const closing = session.close().catch((error) => {
      log.warn(
        { event: "session.close_failed", gateway: identifier, error },
        "a session did not close cleanly",
      );
    });
    void closing.then(() => closed.abort());
    await clock.sleep(closeMs, closed.signal);
    if (!closed.signal.aborted)
      log.warn({ event: "session.close_timed_out", gateway: identifier }, "a session did not close in time");
  }

  /** What the session says of itself counts once it is open, and until it is closed. */
  #changeStatus(status: SessionStatus): void {
    this.#status = status;
    this.#applyStatus();
  }

  #applyStatus(): void {
    const status = this.#status;
    if (status.kind === "connected") {
      // `open` may say so before it has resolved.
      if (this.#session === null || this.#connection !== null) return;
      this.#connection = new AbortController();
      this.#lane.resume();
    } else {
      this.#disconnect();
      this.#lane.suspend(reasonOf(status));
    }
    if (!this.#gateway.linked) return;
    this.#unrecorded = status;
    this.#recording ??= this.#record();
  }

  #disconnect(): void {
    this.#connection?.abort();
    this.#connection = null;
  }

  /** Stores the latest status; of several that come while storage is busy, the last. */
  async #record(): Promise<void> {
    const { database, sealer, clock, newId, eventsRecorded } = this.#deps;
    const { id, fence } = this.#gateway;
    const eventId = newId("gs");
    for (let number = 0; this.#unrecorded !== null; number += 1) {
      const status = this.#unrecorded;
      this.#unrecorded = null;
      const { pairing } = status as { pairing?: { expiresAt: number } };
      const session = {
        gateway_id: id,
        status: status.kind,
        reason: "reason" in status ? status.reason.slice(0, 500) : null,
        pairing: pairing === undefined ? null : sealer.seal(JSON.stringify(pairing), pairingContext(id)),
        pairing_expires_at: pairing?.expiresAt ?? null,
        changed_at: clock.now(),
      };
      const input = { fence, eventId: `${eventId}_${number}`, session };
      const stored = await this.#retry("record", () => database.run(recordSession, input)).catch(() => false);
      if (stored) eventsRecorded();
      else this.#stopping.abort();
    }
    this.#recording = null;
  }

  #hostOf(over: AbortController): SessionHost {
    const { clock, random, log, outbound, database, sealer, storeReport } = this.#deps;
    const { id, identifier, fence, callbackUrl, timeoutMs, dkim } = this.#gateway;
    const ifOpen = (run: () => void) => {
      if (!over.signal.aborted) run();
    };
    return {
      clock,
      random,
      log: log.child({ gateway: identifier }),
      outbound,
      callbackUrl,
      timeoutMs,
      dkim,
      signal: over.signal,
      state: {
        load: async () => {
          const rows = await this.#retry("load", () => database.run(readSessionValues, id));
          return new Map(
            rows.map(({ key, value }) => [key, sealer.unseal(value, sessionValueContext(id, key))]),
          );
        },
        save: async (values) => {
          const changes = [...values].map(([key, value]) => ({
            key,
            value: value === null ? null : sealer.seal(value, sessionValueContext(id, key)),
          }));
          const stored = await this.#retry("save", () =>
            database.run(saveSessionValues, { gatewayId: id, fence, changes }),
          );
          if (stored) return;
          this.#stopping.abort();
          throw new SessionLost("Another process owns the gateway's lane.");
        },
      },
      report: (report) => this.#retry("report", () => storeReport(report)),
      status: (status) => ifOpen(() => this.#changeStatus(status)),
      fail: (reason) =>
        ifOpen(() => {
          log.warn(
            { event: "session.failed", gateway: identifier, reason },
            "the session of a gateway failed",
          );
          this.#changeStatus({ kind: "disconnected", reason });
          over.abort();
        }),
      child: (module) => {
        const child = startChild({ module, clock });
        over.signal.addEventListener("abort", () => void child.stop(), { once: true });
        return child;
      },
    };
  }

  /** Repeats a storage call until it succeeds; rejects with `SessionLost` once the session is being closed. */
  async #retry<T>(what: string, run: () => Promise<T>): Promise<T> {
    const { clock, log } = this.#deps;
    for (let waitMs = storageRetry.firstMs; ; waitMs = Math.min(2 * waitMs, storageRetry.maxMs)) {
      try {
        return await run();
      } catch (error) {
        log.warn(
          { event: "session.storage_failed", gateway: this.#gateway.identifier, what, error },
          "a storage call of a session failed and is repeated",
        );
        await clock.sleep(waitMs, this.#stopping.signal);
        if (this.#stopping.signal.aborted) throw new SessionLost("The session is being closed.");
      }
    }
  }
}

/** Why the lane waits; null: for a moment only. */
function reasonOf(status: SessionStatus): string | null {
  switch (status.kind) {
    case "connecting":
    case "connected":
      return null;
    case "pairing":
      return "A device has to be linked.";
    case "disconnected":
      return status.reason;
    case "logged_out":
      return `The device has to be linked again: ${status.reason}`;
  }
}

/** Resolves when one of the signals is aborted. */
function aborted(...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const any = AbortSignal.any(signals);
    if (any.aborted) resolve();
    else any.addEventListener("abort", () => resolve(), { once: true });
  });
}
