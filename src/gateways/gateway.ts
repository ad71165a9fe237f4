// The contract of a messaging gateway: what an adapter may use, and what it defines.
// An adapter is one file with a `defineGateway({...})` or `defineHttpMail({...})`, one line in `registry.ts`, and one test
// that feeds recorded wire traffic to the shared conformance suite. An adapter has `send`, which is one call for one
// message, or `open`, which opens a session; the rest of the house sees sessions alone.

import type { z } from "zod";
import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import type { EmailSender } from "#gateways/email/settings.ts";
import type { Clock, Outbound } from "#runtime/runtime.ts";
import { secretsIn } from "#settings/secrets.ts";
import { urlFieldPath } from "#settings/url.ts";
import type { CallbackRequest, Received } from "./callback.ts";
import type { CheckTools, GatewayCheck, Registration } from "./check.ts";
import type { DkimKey, OutgoingMessage } from "./message.ts";
import type { Outcome } from "./outcome.ts";
import type { FileTools, OpenedFile, ReceivedFile } from "./received-file.ts";
import { redactingReports, redactingStatus, redactReceived } from "./redact.ts";
import type { DefaultPace } from "./rules.ts";
import type { GatewayHost, GatewaySession, SessionHost } from "./session.ts";

/** What an adapter may use; it has no other access to the outside. */
export interface GatewayTools {
  outbound: Outbound;
  clock: Clock;
  /** The URL of this gateway's callbacks (`https://…/callbacks/{identifier}`); null without a public URL. */
  callbackUrl: string | null;
  /**
   * The same for reports about one message, for the request that sends it: the URL carries our id and proves itself
   * (`provenMessage`). Null without a public URL.
   */
  messageUrl(messageId: string): string | null;
  timeoutMs: number;
  signal: AbortSignal;
  /** Keys that sign for the gateway's sending domain, as the account manages them; empty: none. */
  dkim: readonly DkimKey[];
}

/** What an adapter may use to verify and read a callback. `outbound` fetches what verifies it (a signing certificate). */
export interface CallbackTools extends Pick<GatewayTools, "clock" | "outbound"> {
  /** Reads a returned mail, off the event loop. */
  readReport: ReadReport;
  /** Our id in a URL that `messageUrl` made for this gateway; null for any other URL. */
  provenMessage(callback: CallbackRequest): string | null;
}

const defaultTimeoutMs = 30_000;
/** The longest callback of a provider that does not say otherwise. */
export const defaultCallbackBytes = 1024 * 1024;

interface DefinitionBase<Settings extends z.ZodObject, Kind extends ContentKind> {
  kind: string;
  channels: readonly Channel[];
  /** What it can send. A gateway is never chosen for a message with another content, so `send` gets these alone. */
  contents: readonly Kind[];
  title: string;
  /** One sentence for the reference page. */
  summary: string;
  /** Validated on save. Fields of `secret()` are masked wherever settings are shown; a field marked `url` decides where requests go. */
  settings: Settings;
  /** It reaches people by WhatsApp's user ids too. */
  takesUserIds?: true;
  /** Messages of this kind cost nothing and are marked `test`. */
  test?: boolean;
  /** What happens to `unknown` unless the gateway's rules say otherwise: `hold` (default) or `resend` once. */
  onUnknown?: "hold" | "resend";
  /** What counts where a gateway's `pace` sets nothing; default: no bound. */
  defaultPace?: DefaultPace;
  /** `pace.per_second` counts segments, as the provider does; default: messages. */
  pacedBySegments?: boolean;
  /** How long after the first attempt the provider still recognises a repetition, ms; default: for ever, or never. */
  idempotencyWindowMs?: number;
  /** Bytes of the largest mail that the provider takes, its files in base64; default: no known limit. */
  maxMessageBytes?: number;
  /** Bytes of the longest callback that the provider sends; default: 1 MiB. */
  maxCallbackBytes?: number;
  /**
   * URLs of the provider. The outbound guard has to allow them before settings are saved, and its refusal names the
   * field made with `baseUrlField` or `hostField`: an adapter has both, or neither.
   */
  urls?(settings: z.output<Settings>): string[];
  /** How long one request may take, ms; default: 30 s. */
  timeoutMs?(settings: z.output<Settings>): number;
  /** Who mails are from: of adapters that send `email`, and of no other (`DeclaredSender`). */
  email?(settings: z.output<Settings>): EmailSender;
  /** Secrets of the settings in the encodings in which the provider receives them (base64): masked in its reports. */
  encodedSecrets?(settings: z.output<Settings>): readonly string[];
  receive?(
    callback: CallbackRequest,
    settings: z.output<Settings>,
    tools: CallbackTools,
  ): Received | Promise<Received>;
  /** Opens the file of a message from a person; `keptMs`: how long the provider keeps it. */
  openFile?: {
    keptMs: number;
    open(file: ReceivedFile, settings: z.output<Settings>, tools: FileTools): Promise<OpenedFile>;
  };
  /** Asks the provider how the gateway is set up there. */
  check?(settings: z.output<Settings>, tools: CheckTools): Promise<GatewayCheck>;
  /** Registers the sending number with the provider, which takes a PIN for it. */
  register?(settings: z.output<Settings>, pin: string, tools: CheckTools): Promise<Registration>;
}

/** Makes `email` of a definition required for adapters that send mails, and refuses it for the others. */
type DeclaredSender<Settings extends z.ZodObject, Kind extends ContentKind> = "email" extends Kind
  ? { email(settings: z.output<Settings>): EmailSender }
  : { email?: never };

/** Each message is a call of its own. */
interface CallDefinition<Settings extends z.ZodObject, Kind extends ContentKind>
  extends DefinitionBase<Settings, Kind> {
  send(message: OutgoingMessage<Kind>, settings: z.output<Settings>, tools: GatewayTools): Promise<Outcome>;
  connection?: never;
  open?: never;
}

/** A device fetches the messages; see `Connection`. */
interface PulledDefinition<Settings extends z.ZodObject, Kind extends ContentKind>
  extends DefinitionBase<Settings, Kind> {
  connection: "pulled";
  send?: never;
  open?: never;
}

/** See `Connection`. A session `on_demand` reports no status, because no lane waits for it. */
type SessionDefinition<Settings extends z.ZodObject, Kind extends ContentKind> = DefinitionBase<
  Settings,
  Kind
> & { send?: never } & (
    | {
        connection: "on_demand";
        open(settings: z.output<Settings>, host: GatewayHost): Promise<GatewaySession<Kind>>;
      }
    | {
        connection: "held" | "linked";
        open(settings: z.output<Settings>, host: SessionHost): Promise<GatewaySession<Kind>>;
      }
  );

export type GatewayDefinition<
  Settings extends z.ZodObject = z.ZodObject,
  Kind extends ContentKind = ContentKind,
> = CallDefinition<Settings, Kind> | SessionDefinition<Settings, Kind> | PulledDefinition<Settings, Kind>;

/**
 * How a gateway is connected.
 * - `on_demand`: a session is opened with the first message, and the lane never waits for it. Outcomes alone pause the lane.
 *   Opening it reaches nothing outside; what it sends through is connected by its `send`.
 * - `held`: a session is open as long as the lane has an owner, and the lane sends only while it is connected.
 * - `linked`: the same, and a person links a device to it first (`gateway.linked`, `gateway.unlinked`).
 * - `pulled`: a linked device asks for messages, in whichever process its request arrives. Nothing is opened, and no process
 *   owns the lane (`contract/phones/pulled.ts`).
 */
export type Connection = "on_demand" | "held" | "linked" | "pulled";

type Opening =
  | { connection: "on_demand"; open(settings: unknown, host: GatewayHost): Promise<GatewaySession> }
  | { connection: "held" | "linked"; open(settings: unknown, host: SessionHost): Promise<GatewaySession> }
  /** There is nothing to open: it rejects. */
  | { connection: "pulled"; open(settings: unknown, host: GatewayHost): Promise<GatewaySession> };

/** A definition with its types closed inside, so that the registry is a plain list. */
export type GatewayAdapter = AdapterBase & Opening;

interface AdapterBase {
  kind: string;
  channels: readonly Channel[];
  contents: readonly ContentKind[];
  title: string;
  summary: string;
  settings: z.ZodObject;
  takesUserIds: boolean;
  test: boolean;
  onUnknown: "hold" | "resend";
  /** Null: a gateway has the pace that is set. */
  defaultPace: DefaultPace | null;
  pacedBySegments: boolean;
  /** Null: a repetition is not bounded in time. */
  idempotencyWindowMs: number | null;
  /** Null: no known limit. */
  maxMessageBytes: number | null;
  receives: boolean;
  maxCallbackBytes: number;
  urls(settings: unknown): string[];
  timeoutMs(settings: unknown): number;
  /** Null: the adapter sends no email. */
  email(settings: unknown): EmailSender | null;
  receive(callback: CallbackRequest, settings: unknown, tools: CallbackTools): Promise<Received>;
  /** Null: its messages from people have no files. */
  openFile: {
    keptMs: number;
    open(file: ReceivedFile, settings: unknown, tools: FileTools): Promise<OpenedFile>;
  } | null;
  /** Null: there is nothing to check. */
  check: ((settings: unknown, tools: CheckTools) => Promise<GatewayCheck>) | null;
  /** Null: its numbers are not registered. */
  register: ((settings: unknown, pin: string, tools: CheckTools) => Promise<Registration>) | null;
}

/**
 * Closes a gateway definition. `settings` handed to its functions must have passed its schema, and the content of a
 * message handed to `send` must be of one of its `contents`.
 */
export function defineGateway<Settings extends z.ZodObject, Kind extends ContentKind>(
  definition: GatewayDefinition<Settings, Kind> & DeclaredSender<Settings, Kind>,
): GatewayAdapter {
  type Parsed = z.output<Settings>;
  if ((definition.urls === undefined) !== (urlFieldPath(definition.settings).length === 0))
    throw new Error(`Gateway kind ${definition.kind}: \`urls\` and the field that decides them go together.`);
  const secretsOf = (settings: unknown) => [
    ...secretsIn(definition.settings, settings),
    ...(definition.encodedSecrets?.(settings as Parsed) ?? []),
  ];
  const { check, register, openFile } = definition;
  return {
    kind: definition.kind,
    channels: definition.channels,
    contents: definition.contents,
    title: definition.title,
    summary: definition.summary,
    settings: definition.settings,
    takesUserIds: definition.takesUserIds ?? false,
    test: definition.test ?? false,
    onUnknown: definition.onUnknown ?? "hold",
    defaultPace: definition.defaultPace ?? null,
    pacedBySegments: definition.pacedBySegments ?? false,
    idempotencyWindowMs: definition.idempotencyWindowMs ?? null,
    maxMessageBytes: definition.maxMessageBytes ?? null,
    receives: definition.receive !== undefined,
    maxCallbackBytes: definition.maxCallbackBytes ?? defaultCallbackBytes,
    urls: (settings) => definition.urls?.(settings as Parsed) ?? [],
    timeoutMs: (settings) => definition.timeoutMs?.(settings as Parsed) ?? defaultTimeoutMs,
    email: (settings) => definition.email?.(settings as Parsed) ?? null,
    receive: async (callback, settings, tools) => {
      const received = await definition.receive?.(callback, settings as Parsed, tools);
      if (received !== undefined) return redactReceived(received, secretsOf(settings));
      const reason = `Gateways of kind ${definition.kind} take no callbacks.`;
      return { kind: "not_taken", reason };
    },
    openFile:
      openFile === undefined
        ? null
        : {
            keptMs: openFile.keptMs,
            open: (file, settings, tools) => openFile.open(file, settings as Parsed, tools),
          },
    check: check === undefined ? null : (settings, tools) => check(settings as Parsed, tools),
    register:
      register === undefined ? null : (settings, pin, tools) => register(settings as Parsed, pin, tools),
    ...openingOf(definition, secretsOf),
  };
}

/** How a definition is opened. Calls become a session with nothing to open and nothing to close. */
function openingOf<Settings extends z.ZodObject, Kind extends ContentKind>(
  definition: GatewayDefinition<Settings, Kind>,
  secretsOf: (settings: unknown) => readonly string[],
): Opening {
  type Parsed = z.output<Settings>;
  switch (definition.connection) {
    case "pulled":
      return {
        connection: "pulled",
        open: async () => {
          throw new Error(`Messages of gateways of kind ${definition.kind} are fetched, not sent.`);
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
