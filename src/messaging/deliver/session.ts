// Supervises the session of a gateway that holds a connection, as long as this process owns its lane: opens it, reopens it with a back-off
// after failures, suspends the lane while there is no connection, and closes it with the lane.

import type { OutgoingMessage } from "#gateways/message.ts";
import type { GatewaySession, LinkRequest, SessionHost, SessionStatus } from "#gateways/session.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";
import { pairingContext, recordSession, takeLinkRequest } from "#store/gateways/sessions.ts";
import {
  notConnected,
  retrySession,
  type SessionDeps,
  type SessionGateway,
  SessionScope,
} from "./session-scope.ts";
import type { SendOutcome, SuspendableLane, Transport } from "./transmit.ts";

/** A gateway that holds a connection. */
interface ConnectedGateway extends SessionGateway {
  /** A person links a device to it, so the beginning and the end of the link are events. */
  linked: boolean;
}

/** First and longest wait before a session is reopened, ms. */
const reopen = { firstMs: 1_000, maxMs: 60_000 };
/** A session that lasted this long counts as healthy, so that the back-off starts over, ms. */
const healthyMs = 60_000;
/** How long a message that was in flight when the connection was lost may still get its outcome, ms. */
const drainMs = 5_000;
/** How long a device has to connect in order to be notified that it is unlinked, ms. */
const unlinkTimeoutMs = 20_000;
/** A connection that takes longer to open counts as a pause, ms. */
const slowMs = 30_000;

const disconnected: SendOutcome = {
  kind: "unknown",
  code: "disconnected",
  reason: "The connection ended before the outcome was known.",
  uninformative: true,
};

export class SessionSupervisor implements Transport {
  readonly #deps: SessionDeps;
  readonly #gateway: ConnectedGateway;
  #lane: SuspendableLane | null = null;
  readonly #open: (host: SessionHost) => Promise<GatewaySession>;
  readonly #stopping = new AbortController();
  /** The last status of the current session. */
  #status: SessionStatus = { kind: "connecting" };
  #session: GatewaySession | null = null;
  /** Aborted when the connection is lost. Null without a connection. */
  #connection: AbortController | null = null;
  #unrecorded: SessionStatus | null = null;
  #recording: Promise<void> | null = null;
  #ended: Promise<void> | null = null;
  /** Resolved when the status changes. */
  #changed = Promise.withResolvers<void>();

  /** `open` is the adapter's, with the gateway's settings. */
  constructor(
    deps: SessionDeps,
    gateway: ConnectedGateway,
    open: (host: SessionHost) => Promise<GatewaySession>,
  ) {
    this.#deps = deps;
    this.#gateway = gateway;
    this.#open = open;
  }

  /** Opens the session. The lane starts suspended. */
  start(lane: SuspendableLane): void {
    this.#lane = lane;
    this.#ended = this.#run();
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    const session = this.#session;
    const connection = this.#connection;
    if (session === null || connection === null) return notConnected;
    const answered = new AbortController();
    const cutOff = new Promise<SendOutcome>((resolve) => {
      const wait = async () => {
        await this.#deps.clock.sleep(drainMs, answered.signal);
        resolve(disconnected);
      };
      const onDown = () => void wait();
      for (const cut of [connection.signal, signal]) {
        cut.addEventListener("abort", onDown, { once: true });
        answered.signal.addEventListener("abort", () => cut.removeEventListener("abort", onDown));
      }
      if (signal.aborted) onDown();
    });
    try {
      return await Promise.race([session.send(message, signal), cutOff]);
    } finally {
      answered.abort();
    }
  }

  /** Ends the link permanently. True if the other side was notified; null without a session or a link. */
  async logOut(): Promise<boolean | null> {
    return (await this.#session?.logOut?.()) ?? null;
  }

  /** Nothing more will be sent: closes the session. Resolves when it is closed, or took too long. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await this.#recording;
  }

  async #run(): Promise<void> {
    const { clock, log, random } = this.#deps;
    const { signal } = this.#stopping;
    let request = await this.#takeLinkRequest();
    for (let failures = 0; !signal.aborted; ) {
      const scope = new SessionScope(this.#deps, this.#gateway, this.#stopping);
      const startedAt = clock.monotonic();
      this.#changeStatus({ kind: "connecting" });
      const opening = this.#open(this.#hostOf(scope, request?.action === "log_out" ? null : request));
      const session = await this.#unless(signal, opening).catch((error) => {
        log.error(
          { event: "session.open_failed", gateway: this.#gateway.identifier, error },
          "The session of a gateway could not be opened.",
        );
        this.#changeStatus({ kind: "disconnected", reason: "The session could not be opened; see the log." });
        return null;
      });
      if (session !== null) {
        this.#session = session;
        this.#applyStatus();
        if (request?.action === "log_out") await this.#logOutWhenConnected(scope.host.signal);
        request = null;
        if (!scope.isOver && !signal.aborted) await aborted(scope.host.signal, signal);
        this.#session = null;
        this.#disconnect();
      } else {
        scope.end();
        // It was abandoned while it was being opened, or opens after all.
        opening.then(
          (late) => scope.close(late),
          () => {},
        );
      }
      await scope.close(session);
      if (signal.aborted) return;
      failures = clock.monotonic() - startedAt >= healthyMs ? 1 : failures + 1;
      // Half of it is random, so that devices that lost their connection together do not reconnect together.
      await clock.sleep(retryDelay(reopen, failures, "half", random.random()), signal);
    }
  }

  /** A person's request for the link since the lane was last opened. */
  async #takeLinkRequest(): Promise<LinkRequest | null> {
    const { id, fence, linked } = this.#gateway;
    if (!linked) return null;
    const { signal } = this.#stopping;
    // While the session is being closed, the request is left to the next owner of the lane.
    const take = async () =>
      signal.aborted ? null : this.#deps.database.run(takeLinkRequest, { gatewayId: id, fence });
    const text = await retrySession(this.#deps, this.#gateway, signal, "take link request", take).catch(
      () => null,
    );
    return text === null ? null : JSON.parse(text);
  }

  /** Ends the link, and notifies the other side if the device connects in time. */
  async #logOutWhenConnected(over: AbortSignal): Promise<void> {
    const late = new AbortController();
    const end = () => late.abort();
    for (const signal of [over, this.#stopping.signal]) signal.addEventListener("abort", end, { once: true });
    const waited = this.#deps.clock.sleep(unlinkTimeoutMs, late.signal).then(() => true);
    for (;;) {
      const isSettled = this.#status.kind === "connected" || this.#status.kind === "logged_out";
      if (isSettled || over.aborted || this.#stopping.signal.aborted) break;
      if ((await Promise.race([waited, this.#changed.promise])) === true) break;
    }
    late.abort();
    if (!over.aborted) await this.logOut();
  }

  /** The value, or null if the signal aborts first. */
  async #unless<T>(signal: AbortSignal, value: Promise<T>): Promise<T | null> {
    if (signal.aborted) return null;
    return await Promise.race([value, aborted(signal).then(() => null)]);
  }

  /** A session's reports count once it is open, and until it is closed. */
  #changeStatus(status: SessionStatus): void {
    this.#status = status;
    this.#applyStatus();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #applyStatus(): void {
    const status = this.#status;
    const lane = this.#lane;
    if (lane === null) return;
    if (status.kind === "connected") {
      // `open` may report it before it has resolved.
      if (this.#session === null) return;
      if (this.#connection === null) {
        this.#connection = new AbortController();
        lane.resume();
      } else if (status.link === undefined) return;
    } else {
      this.#disconnect();
      lane.suspend(reasonOf(status));
      if (status.kind === "connecting") void this.#pauseIfSlow(status, lane);
    }
    this.#unrecorded = status;
    this.#recording ??= this.#record();
  }

  /** A short interruption does not count as a pause, but a server that never answers does. */
  async #pauseIfSlow(status: SessionStatus, lane: SuspendableLane): Promise<void> {
    const { signal } = this.#stopping;
    await this.#deps.clock.sleep(slowMs, signal);
    if (this.#status === status && !signal.aborted) lane.suspend("The connection takes long to open.");
  }

  #disconnect(): void {
    this.#connection?.abort();
    this.#connection = null;
  }

  /** Stores the latest status; if several arrive while storage is busy, the last one. */
  async #record(): Promise<void> {
    const { database, sealer, clock, newId } = this.#deps;
    const { id, fence, linked } = this.#gateway;
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
        details: status.link === undefined ? null : JSON.stringify(status.link),
      };
      const input = { fence, linked, eventId: `${eventId}_${number}`, session };
      const write = () => database.run(recordSession, input);
      const { signal } = this.#stopping;
      const stored = await retrySession(this.#deps, this.#gateway, signal, "record", write).catch(
        () => false,
      );
      if (!stored) this.#stopping.abort();
    }
    this.#recording = null;
  }

  #hostOf(scope: SessionScope, linkRequest: LinkRequest | null): SessionHost {
    return {
      ...scope.host,
      linkRequest,
      status: (status) => {
        if (!scope.isOver) this.#changeStatus(status);
      },
      answeredLate: (messageId) => {
        if (!scope.isOver) this.#lane?.answered(messageId);
      },
      fail: (reason) => {
        if (scope.isOver) return;
        this.#deps.log.warn(
          { event: "session.failed", gateway: this.#gateway.identifier, reason },
          "The session of a gateway failed.",
        );
        this.#changeStatus({ kind: "disconnected", reason });
        scope.end();
      },
    };
  }
}

/** Why the lane waits; null if only for a moment. */
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
      // Also of a device that never was linked.
      return `A device has to be linked: ${status.reason}`;
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
