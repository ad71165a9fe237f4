// The contract of a messaging gateway: what an adapter is given, and the four things it may answer.
// An adapter is one file with a `defineGateway({...})`, one line in `registry.ts`, and one test that
// feeds recorded wire traffic to the shared conformance suite.

import { z } from "zod";
import type { Channel } from "#contract/channel.ts";
import type { Clock, Outbound } from "#runtime/runtime.ts";

/** A message on its way to a provider. */
export interface OutgoingMessage {
  /** Our id (`msg_…`): the reference to give to providers that take one. */
  id: string;
  channel: Channel;
  /** E.164 with its plus, a short code in digits, or an email address. */
  recipient: string;
  /** The text. */
  message: string;
  /** 1 for the first transmission. */
  attempt: number;
}

/**
 * What became of a transmission.
 * - `accepted`: the provider took it. `receipt` is for routes that already know how it ended.
 * - `rejected`: it never will be sent; stop.
 * - `deferred`: certainly not sent; try again. With `trouble` the fault is the gateway's own, not this
 *   message's (`refused`: it answered no, e.g. bad credentials; `unreachable`: nobody answered):
 *   its lane pauses and the message's tries are not used up.
 * - `unknown`: may have been sent; never repeated blindly.
 */
export type Outcome =
  | { kind: "accepted"; reference: string | null; receipt?: FinalReceipt }
  | { kind: "rejected"; code: string; reason: string }
  | {
      kind: "deferred";
      code?: string;
      reason: string;
      retryAfterMs?: number;
      trouble?: "refused" | "unreachable";
    }
  | { kind: "unknown"; code?: string; reason: string };

export type ReceiptStatus = "sent" | "delivered" | "read" | "undelivered" | "failed" | "bounced";

export interface FinalReceipt {
  status: ReceiptStatus;
  code?: string;
  reason?: string;
}

/** A provider's later report about one message, named by the provider's reference, ours, or both. */
export interface Receipt extends FinalReceipt {
  reference: string | null;
  /** Our id, where the callback carries it: settles a message whose answer, and so reference, was lost. */
  messageId?: string;
  /** Epoch ms by the provider's clock, when it says so. */
  at?: number;
}

/** A message from a person to one of the account's numbers. `reference` is the provider's id of it. */
export interface InboundMessage {
  reference: string;
  /** The provider's id of the message that it answers, where the callback says so. */
  replyTo?: string;
  /** A number with its plus where the provider means an international one: without it, it is read as a national one. */
  from: string;
  to: string;
  message: string;
  media: { url: string; contentType: string | null }[];
}

/** A provider's HTTP call to `/callbacks/{gateway identifier}`, as it came. */
export interface CallbackRequest {
  method: string;
  /** The public URL as the provider was given it, with the query it came with. */
  url: string;
  query: URLSearchParams;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * What a callback says. `forbidden`: the signature or token is wrong (403, nothing changes).
 * `not_configured`: the gateway has no secret to verify with (503; never accepted unverified).
 * `malformed`: verified, but not understood (400; the provider repeats it or drops it).
 */
export type Received =
  | {
      kind: "received";
      receipts: Receipt[];
      inbound: InboundMessage[];
      reply?: { contentType: string; body: string };
    }
  | { kind: "forbidden"; reason: string }
  | { kind: "not_configured"; reason: string }
  | { kind: "malformed"; reason: string };

/** What an adapter may use; there is no other way out of it. */
export interface GatewayTools {
  outbound: Outbound;
  clock: Clock;
  /** Where this gateway's provider reaches us (`https://…/callbacks/{identifier}`); null without a public URL. */
  callbackUrl: string | null;
  timeoutMs: number;
  signal: AbortSignal;
}

/** How fast a gateway is driven. Null: no bound of that kind. */
export interface Pace {
  perSecond: number | null;
  concurrency: number;
  jitterMs: number;
  perDay: number | null;
  /** Hours of the day in the account's zone, `"08:00-20:00"`; may wrap midnight. */
  hours: string | null;
}

export interface GatewayDefinition<Settings extends z.ZodObject = z.ZodObject> {
  kind: string;
  channels: readonly Channel[];
  title: string;
  /** One sentence for the reference page. */
  summary: string;
  /** Validated on save; `secret()` fields are masked wherever settings are shown. */
  settings: Settings;
  /** Messages of this kind cost nothing and are marked `test`. */
  test?: boolean;
  /** What to do with `unknown` when the gateway does not say: `hold` (default) or `resend` once. */
  onUnknown?: "hold" | "resend";
  /** URLs inside the settings that the outbound guard has to allow before they are saved. */
  urls?(settings: z.output<Settings>): string[];
  send(message: OutgoingMessage, settings: z.output<Settings>, tools: GatewayTools): Promise<Outcome>;
  receive?(
    callback: CallbackRequest,
    settings: z.output<Settings>,
    tools: Pick<GatewayTools, "clock">,
  ): Received;
}

/** A definition with its settings type closed inside, so that the registry is a plain list. */
export interface Gateway {
  kind: string;
  channels: readonly Channel[];
  title: string;
  summary: string;
  settings: z.ZodObject;
  test: boolean;
  onUnknown: "hold" | "resend";
  receives: boolean;
  urls(settings: unknown): string[];
  send(message: OutgoingMessage, settings: unknown, tools: GatewayTools): Promise<Outcome>;
  receive(callback: CallbackRequest, settings: unknown, tools: Pick<GatewayTools, "clock">): Received;
}

/** Closes a gateway definition. `settings` handed to its functions must have passed its schema. */
export function defineGateway<Settings extends z.ZodObject>(
  definition: GatewayDefinition<Settings>,
): Gateway {
  type Parsed = z.output<Settings>;
  return {
    kind: definition.kind,
    channels: definition.channels,
    title: definition.title,
    summary: definition.summary,
    settings: definition.settings,
    test: definition.test ?? false,
    onUnknown: definition.onUnknown ?? "hold",
    receives: definition.receive !== undefined,
    urls: (settings) => definition.urls?.(settings as Parsed) ?? [],
    send: (message, settings, tools) => definition.send(message, settings as Parsed, tools),
    receive: (callback, settings, tools) =>
      definition.receive?.(callback, settings as Parsed, tools) ?? {
        kind: "not_configured",
        reason: `Gateways of kind ${definition.kind} take no callbacks.`,
      },
  };
}

/** A settings field that is sealed at rest and masked wherever it is shown. */
export function secret() {
  return z.string().min(1).meta({ secret: true });
}
