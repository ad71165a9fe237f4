// The kinds of connections that gateways have: what a definition provides for each, what its functions may use, and the common interface,
// which is sessions.

import type { ContentKind } from "#contract/messages/content.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import type { CallbackRequest } from "./callback.ts";
import type { OutgoingMessage } from "./message.ts";
import type { Outcome } from "./outcome.ts";
import { redactingReports, redactingStatus } from "./redact.ts";
import type { GatewayHost, GatewaySession, SessionHost } from "./session.ts";

/**
 * How a gateway is connected.
 * - `on_demand`: a session is opened with the first message, and the lane never waits for it. Outcomes alone pause the lane.
 *   Opening it reaches nothing outside; what it sends through is connected by its `send`.
 * - `held`: a session is open as long as the lane has an owner, and the lane sends only while it is connected.
 * - `linked`: the same, and a person links a device to it first (`gateway.linked`, `gateway.unlinked`).
 * - `pulled`: a linked device asks for messages, in whichever process its request arrives. Nothing is opened, and no process
 *   owns the lane (`undrivenKinds` in `store/gateways/gateways.ts`).
 * - `members`: other gateways of the account send its messages. Nothing is opened, and no process owns the lane.
 */
export type Connection = "on_demand" | "held" | "linked" | "pulled" | "members";

/** The tools of a definition's `send`, which has no other access to the outside. */
export type GatewayTools = Pick<
  GatewayHost,
  "outbound" | "clock" | "callbackUrl" | "messageUrl" | "timeoutMs" | "signal" | "dkim"
>;

/** The tools with which an adapter verifies and reads a callback. `outbound` fetches what verifies it (a signing certificate). */
export interface CallbackTools extends Pick<GatewayHost, "clock" | "outbound"> {
  /** Reads a returned mail, off the event loop. */
  readReport: ReadReport;
  /** Our id in a URL that `messageUrl` made for this gateway; null for any other URL. */
  provenMessage(callback: CallbackRequest): string | null;
}

/** Each message is a call of its own: a session with nothing to open and nothing to close. */
interface Calls<Parsed, Kind extends ContentKind> {
  send(message: OutgoingMessage<Kind>, settings: Parsed, tools: GatewayTools): Promise<Outcome>;
  connection?: never;
  open?: never;
}

/** The connection of a definition. A session `on_demand` reports no status, because no lane waits for it. */
export type Connecting<Parsed, Kind extends ContentKind> =
  | Calls<Parsed, Kind>
  | {
      connection: "on_demand";
      open(settings: Parsed, host: GatewayHost): Promise<GatewaySession<Kind>>;
      send?: never;
    }
  | {
      connection: "held" | "linked";
      open(settings: Parsed, host: SessionHost): Promise<GatewaySession<Kind>>;
      send?: never;
    }
  | { connection: "pulled" | "members"; open?: never; send?: never };

/** Opens the session of any adapter. Rejects for `pulled` and `members`, which have none. */
export type Opening =
  | {
      connection: "on_demand" | "pulled" | "members";
      open(settings: unknown, host: GatewayHost): Promise<GatewaySession>;
    }
  | { connection: "held" | "linked"; open(settings: unknown, host: SessionHost): Promise<GatewaySession> };

/** Hides the type parameters of a connection. The reports of its sessions contain none of the secrets. */
export function openingOf<Parsed, Kind extends ContentKind>(
  definition: { kind: string } & Connecting<Parsed, Kind>,
  secretsOf: (settings: unknown) => readonly string[],
): Opening {
  switch (definition.connection) {
    case "pulled":
    case "members":
      return {
        connection: definition.connection,
        open: async () => {
          throw new Error(`Gateways of kind ${definition.kind} do not send: there is nothing to open.`);
        },
      };
    case undefined: {
      const { send } = definition;
      return {
        connection: "on_demand",
        open: async (settings, { outbound, clock, callbackUrl, messageUrl, timeoutMs, dkim }) => ({
          send: (message, signal) =>
            send(message as OutgoingMessage<Kind>, settings as Parsed, {
              outbound,
              clock,
              callbackUrl,
              messageUrl,
              timeoutMs,
              signal,
              dkim,
            }),
          close: async () => {},
        }),
      };
    }
    case "on_demand": {
      const { connection, open } = definition;
      return {
        connection,
        open: (settings, host) => open(settings as Parsed, redactingReports(host, secretsOf(settings))),
      };
    }
    default: {
      const { connection, open } = definition;
      return {
        connection,
        open: (settings, host) => open(settings as Parsed, redactingStatus(host, secretsOf(settings))),
      };
    }
  }
}
