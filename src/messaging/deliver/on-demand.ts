// The session of a gateway that connects only when it has something to send: an HTTP API, or SMTP. It is opened with the first message and
// closed with the lane, so that an idle gateway costs nothing.

import type { GatewayHost, GatewaySession } from "#gateways/session.ts";
import { notConnected, type SessionDeps, type SessionGateway, SessionScope } from "./session-scope.ts";
import type { Transport } from "./transmit.ts";

/** `open` is the adapter's, with the gateway's settings. */
export function openOnDemand(
  deps: SessionDeps,
  gateway: SessionGateway,
  open: (host: GatewayHost) => Promise<GatewaySession>,
): Transport {
  let stopping: AbortController | null = null;
  let scope: SessionScope | null = null;
  /** Null if none is open or being opened. */
  let opening: Promise<GatewaySession | null> | null = null;

  async function tryOpen(): Promise<GatewaySession | null> {
    stopping = new AbortController();
    const opened = new SessionScope(deps, gateway, stopping);
    try {
      scope = opened;
      return await open(opened.host);
    } catch (error) {
      deps.log.error(
        { event: "session.open_failed", gateway: gateway.identifier, error },
        "The session of a gateway could not be opened.",
      );
      await opened.close(null);
      // The next message tries again.
      opening = null;
      return null;
    }
  }

  return {
    send: async (message, signal) => {
      opening ??= tryOpen();
      const session = await opening;
      return session === null ? notConnected : await session.send(message, signal);
    },
    close: async () => {
      stopping?.abort();
      await scope?.close((await opening) ?? null);
    },
  };
}
