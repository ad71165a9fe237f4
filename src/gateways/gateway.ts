// What defines a kind of messaging gateway. Its file calls `defineGateway`, or `defineHttpMail` or `defineHttpSms` for a vendor
// with an HTTP API; `registry.ts` lists it, and a test feeds recorded wire traffic to the shared conformance suite.

import type { z } from "zod";
import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import type { EmailSender } from "#gateways/email/settings.ts";
import { secretsIn } from "#settings/secrets.ts";
import { urlFieldPath } from "#settings/url.ts";
import { type CallbackRequest, defaultCallbackBytes, type Received } from "./callback.ts";
import type { CheckTools, GatewayCheck, Registration } from "./check.ts";
import { type CallbackTools, type Connecting, type Opening, openingOf } from "./connection.ts";
import type { FileTools, OpenedFile, ReceivedFile } from "./received-file.ts";
import { redactReceived } from "./redact.ts";
import type { DefaultPace } from "./rules.ts";

const defaultTimeoutMs = 30_000;

/** `user_id`: Meta's id of a person for one business. `lid`: WhatsApp's id of a person who hides their number. */
type RecipientId = "user_id" | "lid";

/** Counts the parts of a text as a gateway sends it. Acceptance, which charges for them, does not have its sealed settings. */
export interface PartCounting {
  /** The relevant settings, as text without secrets, which is stored beside them. Null if it sends GSM or UCS-2, as `measure` counts. */
  of(settings: object): string | null;
  /** At least 1. `counting`: what `of` returned. */
  parts(text: string, counting: string): number;
}

/** The properties and abilities of a kind of gateway. `Parsed`: settings that passed their schema. */
interface Traits<Parsed = unknown, Kind extends ContentKind = ContentKind> {
  kind: string;
  channels: readonly Channel[];
  /** What it can send. A gateway is never chosen for a message with other content, so `send` receives only these. */
  contents: readonly Kind[];
  title: string;
  /** One sentence for the reference page. */
  summary: string;
  /** WhatsApp's ids by which it reaches people, besides their numbers; default: none. */
  takesIds?: readonly RecipientId[];
  /** The longest text and the longest caption of an image, a video or a document, in code points; default: no limit. */
  maxChars?: { text: number; caption: number };
  /** For an SMS gateway whose parts are not always GSM or UCS-2. */
  counting?: PartCounting;
  /** Messages of this kind cost nothing and are marked `test`. */
  test?: boolean;
  /** What happens to `unknown` unless the gateway's rules say otherwise: `hold` (default) or `resend` once. */
  onUnknown?: "hold" | "resend";
  /** How long after the first attempt the provider still recognises a repetition, ms; default: forever, or never. */
  idempotencyWindowMs?: number;
  /** The defaults for a gateway's `pace`; default: no limit. */
  defaultPace?: DefaultPace | undefined;
  /** `pace.per_second` counts segments, as the provider does; default: messages. */
  pacedBySegments?: boolean;
  /** How long one request may take, ms; default: 30 s. */
  timeoutMs?(settings: Parsed): number;
  /**
   * URLs of the provider. The outbound guard has to allow them before settings are saved, and its refusal names the field made with
   * `baseUrlField` or `hostField`: an adapter has both, or neither.
   */
  urls?(settings: Parsed): string[];
  /** Secrets of the settings in the encodings in which the provider receives them (base64): masked in its reports. */
  encodedSecrets?(settings: Parsed): readonly string[];
  /** Verifies and reads a callback of the provider; without it, callbacks are not accepted. */
  receive?(callback: CallbackRequest, settings: Parsed, tools: CallbackTools): Received | Promise<Received>;
  /** Size limit of the provider's callbacks, bytes; default: 1 MiB. */
  maxCallbackBytes?: number;
  /** For adapters that send `email`, and no others. */
  mail?: {
    /** The address and name that the gateway's mails are from. */
    sender(settings: Parsed): EmailSender;
    /** Size limit of the provider's mails, bytes, with files in base64; default: no known limit. */
    maxBytes?: number | undefined;
    /** Whether a mail may have images that its HTML refers to; default: true. */
    inlineImages?: boolean | undefined;
    /** Whether a mail may name several addresses for replies; default: true. */
    severalReplyTo?: boolean | undefined;
    /** Whether it sends a mail that came whole as it is; default: it gets the mail's parts. */
    whole?: boolean;
  };
  /** Files of messages from people; default: these messages have none. */
  files?: {
    /** How long the provider stores a file. */
    keptMs: number;
    open(file: ReceivedFile, settings: Parsed, tools: FileTools): Promise<OpenedFile>;
  };
  /** For kinds that link a device: why none can be linked on this machine, and what to do; null if one can. Default: one can. */
  notInstalled?(): string | null;
  /** The sending number at the provider; default: there is nothing to check or to register. */
  account?: {
    /** Queries the provider for the gateway's set-up. */
    check(settings: Parsed, tools: CheckTools): Promise<GatewayCheck>;
    /** Registers the number, for which the provider takes a PIN. */
    register(settings: Parsed, pin: string, tools: CheckTools): Promise<Registration>;
  };
}

/** Makes `mail` required for adapters that send mails, and refuses it for the others. */
type DeclaredMail<Parsed, Kind extends ContentKind> = "email" extends Kind
  ? { mail: NonNullable<Traits<Parsed>["mail"]> }
  : { mail?: never };

/**
 * A kind of gateway. `settings` is validated on save: fields of `secret()` are masked wherever settings are shown, and a field
 * marked `url` decides where requests go.
 */
export type GatewayDefinition<
  Settings extends z.ZodObject = z.ZodObject,
  Kind extends ContentKind = ContentKind,
> = { settings: Settings } & Traits<z.output<Settings>, Kind> & Connecting<z.output<Settings>, Kind>;

type Defaulted = "test" | "onUnknown" | "pacedBySegments" | "timeoutMs" | "urls" | "maxCallbackBytes";

/** A definition with its defaults and its type parameters hidden, so that the registry is a plain list. */
export type GatewayAdapter = Omit<Traits, "receive" | "encodedSecrets"> &
  Required<Pick<Traits, Defaulted>> &
  Opening & {
    settings: z.ZodObject;
    receives: boolean;
    receive(callback: CallbackRequest, settings: unknown, tools: CallbackTools): Promise<Received>;
  };

/**
 * Closes a gateway definition. `settings` handed to its functions must have passed its schema, and the content of a
 * message handed to `send` must be of one of its `contents`.
 *
 * @example
 * export const acme = defineGateway({
 *   kind: "acme",
 *   channels: ["sms"],
 *   contents: ["text"],
 *   title: "Acme",
 *   summary: "SMS through Acme.",
 *   settings: z.strictObject({ api_key: secret(), base_url: baseUrlField() }),
 *   urls: ({ base_url }) => [base_url],
 *   send: async (message, settings, tools) => outcomeOf(await tools.outbound.request(requestOf(message, settings))),
 * });
 */
export function defineGateway<Settings extends z.ZodObject, Kind extends ContentKind>(
  definition: GatewayDefinition<Settings, Kind> & DeclaredMail<z.output<Settings>, Kind>,
): GatewayAdapter {
  const closed: Traits & { settings: Settings } = definition as GatewayDefinition<Settings, Kind>;
  const { kind, receive, encodedSecrets, ...traits } = closed;
  if ((definition.urls === undefined) !== (urlFieldPath(definition.settings).length === 0))
    throw new Error(`Gateway kind ${kind}: \`urls\` and the field that decides them go together.`);
  const secretsOf = (settings: unknown) => [
    ...secretsIn(definition.settings, settings),
    ...(encodedSecrets?.(settings) ?? []),
  ];
  return {
    test: false,
    onUnknown: "hold",
    pacedBySegments: false,
    timeoutMs: () => defaultTimeoutMs,
    urls: () => [],
    maxCallbackBytes: defaultCallbackBytes,
    ...traits,
    kind,
    receives: receive !== undefined,
    receive: async (callback, settings, tools) => {
      const received = await receive?.(callback, settings, tools);
      if (received !== undefined) return redactReceived(received, secretsOf(settings));
      return { kind: "not_taken", reason: `Gateways of kind ${kind} take no callbacks.` };
    },
    ...openingOf(definition, secretsOf),
  };
}
