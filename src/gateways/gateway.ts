// The contract of a messaging gateway: what an adapter is given, and the four things it may answer.
// An adapter is one file with a `defineGateway({...})`, one line in `registry.ts`, and one test that
// feeds recorded wire traffic to the shared conformance suite.

import type { KeyObject } from "node:crypto";
import { z } from "zod";
import type { Channel } from "#contract/messages/channel.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import type { Clock, Outbound } from "#runtime/runtime.ts";
import { redactReceived } from "./redact.ts";
import { secretsIn } from "./secrets.ts";

/** A message on its way to a provider. */
export interface OutgoingMessage {
  /** Our id (`msg_…`): the reference to give to providers that take one. */
  id: string;
  channel: Channel;
  /** E.164 with its plus, a short code in digits, or an email address. */
  recipient: string;
  /** The text as its sender gave it. */
  message: string;
  /** 1 for the first transmission. */
  attempt: number;
  /** Set for, and only for, the channel `email`. */
  email?: OutgoingEmail;
}

/** An email, complete but for its sender's address, which is the gateway's: each adapter puts it into its provider's form. */
export interface OutgoingEmail {
  /** One line, without control characters. */
  subject: string;
  /** Always there: derived from the HTML where only that was given. */
  text: string;
  /** Null: a mail of text alone. Links and the pixel are in it already where the gateway tracks. */
  html: string | null;
  /** The display name that the caller gave; null: the gateway's `from_name`. */
  senderName: string | null;
  /** One address, its domain in ASCII; null: none. */
  replyTo: string | null;
  /** Further headers (`List-Unsubscribe`, …), names and values safe to send. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Where bounces of this very message go (VERP); null: the sender's address. */
  returnPath: string | null;
  attachments: readonly OutgoingAttachment[];
}

export interface OutgoingAttachment {
  /** Without a path and without control characters; any script. */
  filename: string;
  contentType: string;
  /** Bytes. */
  size: number;
  /** Of the content, hex: names the bytes where they are kept in memory for a while. */
  sha256: string;
  /**
   * The bytes, read when they are needed and shared among the messages of a request. Rejects with `AttachmentReadError`, which
   * an adapter lets through: it reads all of them before anything of the mail leaves.
   */
  content(): Promise<Buffer>;
}

/** What a mail consists of could not be read, so nothing of it was sent. `cause`: what happened. */
export class AttachmentReadError extends Error {
  override readonly name = "AttachmentReadError";
}

/** A key that signs for a sending domain. */
export interface DkimKey {
  domain: string;
  selector: string;
  algorithm: "rsa-sha256" | "ed25519-sha256";
  privateKey: KeyObject;
}

/**
 * What became of a transmission.
 * - `accepted`: the provider took it. `receipt` is for routes that already know how it ended.
 * - `rejected`: it never will be sent; stop.
 * - `deferred`: certainly not sent; try again. With `gatewayFault` the fault is the gateway's own, not this
 *   message's (`refused`: it answered no, e.g. bad credentials; `unreachable`: nobody answered):
 *   its lane pauses and the message's tries are not used up.
 * - `unknown`: may have been sent; never repeated blindly.
 */
export type Outcome =
  /** `opensAfterMs`: for trying things out, a mail that somebody opens so much later. */
  | { kind: "accepted"; reference: string | null; receipt?: FinalReceipt; opensAfterMs?: number }
  | { kind: "rejected"; code: string; reason: string }
  | {
      kind: "deferred";
      code?: string;
      reason: string;
      retryAfterMs?: number;
      gatewayFault?: "refused" | "unreachable";
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
  /** Of `bounced`: `hard` for an address that does not exist or never takes mail, `soft` for one that could later. */
  bounce?: "hard" | "soft";
}

/**
 * What a provider tells of an email beside its fate. `deferred`: the receiving server asks to wait, and the provider
 * goes on trying. `complained`: the recipient called it spam. `unsubscribed`: the provider's own unsubscribe link.
 */
export interface Engagement {
  kind: "opened" | "clicked" | "complained" | "unsubscribed" | "deferred";
  reference: string | null;
  /** Our id, where the callback carries it. */
  messageId?: string;
  /** Epoch ms by the provider's clock, when it says so. */
  at?: number;
  /** Tells this one from others of its kind; the same again is the same one. Default: made of everything else. */
  key?: string;
  /** Of a click: where it leads. */
  url?: string;
  userAgent?: string;
  ip?: string;
  /** True: the provider says that a machine did it. */
  machine?: boolean;
  /** Of a deferral or complaint, in the provider's words. */
  reason?: string;
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
 * `not_taken`: it takes no callbacks at all (404, as from a gateway that does not exist).
 * `malformed`: verified, but not understood (400; the provider repeats it or drops it).
 */
export type Received =
  | {
      kind: "received";
      receipts: Receipt[];
      inbound: InboundMessage[];
      engagements?: Engagement[];
      replayGuard?: ReplayGuard;
      /**
       * A GET that the provider wants made once to confirm the subscription of this callback. Only ever a URL of
       * the provider's own host: the adapter checks that.
       */
      confirmUrl?: string;
      reply?: { contentType: string; body: string };
    }
  | { kind: "forbidden"; reason: string }
  | { kind: "not_configured"; reason: string }
  | { kind: "not_taken"; reason: string }
  | { kind: "malformed"; reason: string; replayGuard?: ReplayGuard }
  /** Cannot be judged now, because what verifies it cannot be had (503; the provider repeats it). */
  | { kind: "unavailable"; reason: string };

/**
 * What proves a call without covering what it says. Until `until` (epoch ms), when the adapter itself takes it no more, a
 * second call with the same proof is taken only if it says the same.
 */
export interface ReplayGuard {
  proof: string;
  until: number;
}

/** What an adapter may use; there is no other way out of it. */
export interface GatewayTools {
  outbound: Outbound;
  clock: Clock;
  /** Where this gateway's provider reaches us (`https://…/callbacks/{identifier}`); null without a public URL. */
  callbackUrl: string | null;
  timeoutMs: number;
  signal: AbortSignal;
  /** Keys that sign for the gateway's sending domain, as the account manages them; empty: none. */
  dkim: readonly DkimKey[];
}

/** What an adapter may use to judge a callback; the way out is for what verifies it (a signing certificate). */
export interface CallbackTools extends Pick<GatewayTools, "clock" | "outbound"> {
  /** Reads a returned mail, off the event loop. */
  readReport: ReadReport;
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
  /** How long after the first attempt the provider still knows a repetition for one, ms; default: for ever, or never. */
  idempotencyWindowMs?: number;
  /** Bytes of the largest mail that the provider takes, its files in base64; default: it does not say. */
  maxMessageBytes?: number;
  /** URLs inside the settings that the outbound guard has to allow before they are saved. */
  urls?(settings: z.output<Settings>): string[];
  /** Secrets of the settings in other spellings, as the provider is told them (base64): masked in what it reports. */
  encodedSecrets?(settings: z.output<Settings>): readonly string[];
  send(message: OutgoingMessage, settings: z.output<Settings>, tools: GatewayTools): Promise<Outcome>;
  receive?(
    callback: CallbackRequest,
    settings: z.output<Settings>,
    tools: CallbackTools,
  ): Received | Promise<Received>;
  /** Gives up what is kept open between sends (SMTP connections) for these settings, which are not used any more. */
  close?(settings: z.output<Settings>): void;
}

/** A definition with its settings type closed inside, so that the registry is a plain list. */
export interface GatewayAdapter {
  kind: string;
  channels: readonly Channel[];
  title: string;
  summary: string;
  settings: z.ZodObject;
  test: boolean;
  onUnknown: "hold" | "resend";
  /** Null: a repetition is not bounded in time. */
  idempotencyWindowMs: number | null;
  /** Null: no bound is known. */
  maxMessageBytes: number | null;
  receives: boolean;
  urls(settings: unknown): string[];
  send(message: OutgoingMessage, settings: unknown, tools: GatewayTools): Promise<Outcome>;
  receive(callback: CallbackRequest, settings: unknown, tools: CallbackTools): Promise<Received>;
  close(settings: unknown): void;
}

/** Closes a gateway definition. `settings` handed to its functions must have passed its schema. */
export function defineGateway<Settings extends z.ZodObject>(
  definition: GatewayDefinition<Settings>,
): GatewayAdapter {
  type Parsed = z.output<Settings>;
  return {
    kind: definition.kind,
    channels: definition.channels,
    title: definition.title,
    summary: definition.summary,
    settings: definition.settings,
    test: definition.test ?? false,
    onUnknown: definition.onUnknown ?? "hold",
    idempotencyWindowMs: definition.idempotencyWindowMs ?? null,
    maxMessageBytes: definition.maxMessageBytes ?? null,
    receives: definition.receive !== undefined,
    urls: (settings) => definition.urls?.(settings as Parsed) ?? [],
    send: (message, settings, tools) => definition.send(message, settings as Parsed, tools),
    receive: async (callback, settings, tools) => {
      const received = await definition.receive?.(callback, settings as Parsed, tools);
      const spellings = definition.encodedSecrets?.(settings as Parsed) ?? [];
      const secrets = [...secretsIn(definition.settings, settings), ...spellings];
      if (received !== undefined) return redactReceived(received, secrets);
      const reason = `Gateways of kind ${definition.kind} take no callbacks.`;
      return { kind: "not_taken", reason };
    },
    close: (settings) => definition.close?.(settings as Parsed),
  };
}

/** A settings field that is sealed at rest and masked wherever it is shown. */
export function secret() {
  return z.string().min(1).meta({ secret: true });
}
