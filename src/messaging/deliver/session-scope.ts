// What one session of a gateway receives, and what ends with it: its host, its state under the lane's fence, its reports and its processes.

import type { Core } from "#core/core.ts";
import type { Outcome } from "#gateways/outcome.ts";
import {
  type GatewayHost,
  type GatewaySession,
  type SessionChild,
  SessionLost,
  type SessionReport,
  type SessionState,
  type SharedProcess,
} from "#gateways/session.ts";
import { retryStorage } from "#queue/retry-storage.ts";
import { startChild } from "#runtime/children/child-process.ts";
import type { SharedChildren } from "#runtime/children/shared-children.ts";
import type { Semaphore } from "#runtime/waiting/semaphore.ts";
import { lastHeard } from "#store/feedback/reply-windows.ts";
import { readSessionValues, saveSessionValues, sessionValueContext } from "#store/gateways/sessions.ts";

export interface SessionDeps
  extends Pick<Core, "clock" | "database" | "log" | "newId" | "outbound" | "random" | "sealer"> {
  /** See `GatewayHost.fileBytes`. */
  fileBytes: Semaphore;
  /** Stores a session's reports exactly as those of a callback; rejects if storage does. */
  storeReport(report: SessionReport): Promise<void>;
  /** The processes that sessions of this process share. */
  sharedChildren: SharedChildren;
}

/** The gateway, as the owner of its lane knows it. */
export interface SessionGateway
  extends Pick<GatewayHost, "channel" | "callbackUrl" | "messageUrl" | "timeoutMs" | "dkim"> {
  id: string;
  identifier: string;
  fence: number;
}

/** The outcome of a message while there is no session. It was not sent. */
export const notConnected: Outcome = {
  kind: "deferred",
  code: "not_connected",
  reason: "The gateway is not connected.",
  gatewayFault: "unreachable",
};

/** How long a session may take to close, ms. */
const closeMs = 10_000;

/** Repeats a storage call of a session until it succeeds; rejects with `SessionLost` once `stopping` aborts. */
export function retrySession<T>(
  deps: Pick<SessionDeps, "clock" | "log">,
  { identifier }: SessionGateway,
  stopping: AbortSignal,
  call: string,
  run: () => Promise<T>,
): Promise<T> {
  const message = "A storage call of a session failed and is repeated.";
  const failure = { event: "session.storage_failed", message, gateway: identifier, call };
  return retryStorage(deps, stopping, failure, run).catch(() => {
    throw new SessionLost("The session is being closed.");
  });
}

export class SessionScope {
  readonly host: GatewayHost;
  readonly #deps: SessionDeps;
  readonly #gateway: SessionGateway;
  /** Aborted when the lane is released, or found to belong to another process. */
  readonly #stopping: AbortController;
  readonly #over = new AbortController();
  readonly #children: SessionChild[] = [];

  constructor(deps: SessionDeps, gateway: SessionGateway, stopping: AbortController) {
    this.#deps = deps;
    this.#gateway = gateway;
    this.#stopping = stopping;
    const { clock, random, log, outbound, fileBytes, storeReport } = deps;
    const { channel, identifier, callbackUrl, messageUrl, timeoutMs, dkim } = gateway;
    this.host = {
      channel,
      clock,
      random,
      log: log.child({ gateway: identifier }),
      outbound,
      callbackUrl,
      messageUrl,
      timeoutMs,
      dkim,
      signal: this.#over.signal,
      fileBytes,
      state: this.#state(),
      report: (report) => this.#retry("report", () => storeReport(report)),
      lastHeard: (sender) =>
        this.#retry("lastHeard", () => deps.database.run(lastHeard, { gatewayId: gateway.id, sender })),
      child: (module, shared) => this.#start(module, shared),
    };
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** The session is about to be closed. */
  end(): void {
    this.#over.abort();
  }

  /** Closes the session, which may be null if it did not open, and then its processes. Never rejects. */
  async close(session: GatewaySession | null): Promise<void> {
    this.end();
    if (session !== null) await this.#closeSession(session);
    await Promise.all(this.#children.map((child) => child.stop()));
  }

  #retry<T>(call: string, run: () => Promise<T>): Promise<T> {
    return retrySession(this.#deps, this.#gateway, this.#stopping.signal, call, run);
  }

  #state(): SessionState {
    const { database, sealer } = this.#deps;
    const { id, fence } = this.#gateway;
    return {
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
    };
  }

  #start(module: URL, shared?: SharedProcess): SessionChild {
    const { clock, sharedChildren } = this.#deps;
    const child =
      shared === undefined
        ? startChild({ module, clock })
        : sharedChildren.open(module, {
            permissions: shared.permissions,
            maxChannels: shared.maxSessions,
          });
    this.#children.push(child);
    void child.ended.then(() => this.#children.splice(this.#children.indexOf(child), 1));
    return child;
  }

  async #closeSession(session: GatewaySession): Promise<void> {
    const { clock, log } = this.#deps;
    const { identifier } = this.#gateway;
    const closed = new AbortController();
    const close = async () => {
      try {
        await session.close();
      } catch (error) {
        log.warn(
          { event: "session.close_failed", gateway: identifier, error },
          "A session did not close cleanly.",
        );
      }
      closed.abort();
    };
    void close();
    await clock.sleep(closeMs, closed.signal);
    if (!closed.signal.aborted)
      log.warn({ event: "session.close_timed_out", gateway: identifier }, "A session did not close in time.");
  }
}
