// Transmits one message through its gateway's adapter. First it reads the contents besides the text, and composes a mail. An error before
// the adapter is called means that nothing was sent. An error inside the adapter may come after the message was sent.

import { normaliseAddress, wireAddress } from "#contract/address.ts";
import type { GatewayRules } from "#contract/manage/gateways.ts";
import type { MessagePayload } from "#contract/messages/content.ts";
import type { Core } from "#core/core.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { AttachmentReadError, type OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import {
  type ComposeDeps,
  composeEmail,
  firstRecipient,
  mailRefusal,
  storedEmail,
} from "#messaging/email/compose.ts";
import { composeWritten } from "#messaging/email/written.ts";
import type { BreakerWork } from "#queue/lane-work.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { LeftOut, OutgoingRecipient } from "#store/email/mail-recipients.ts";
import type { DueMessage } from "#store/messages/attempts.ts";
import { readBody, readPayload } from "#store/messages/contents.ts";
import { findFirstAttempt } from "#store/messages/first-attempt.ts";

export interface TransmitDeps
  extends ComposeDeps,
    Pick<Core, "clock" | "crashPoint" | "database" | "log" | "metrics"> {}

/** What a lane sends through: the gateway's session, whether it is open now or not. */
export interface Transport {
  /** For a gateway that holds a connection: opens it. The lane begins suspended, and waits whenever it is not connected. */
  start?(lane: SuspendableLane): void;
  /** Rejects if the session does. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>;
  /** Nothing more will be sent. Resolves when the session is closed, or took too long; never rejects. */
  close(): Promise<void>;
}

/** How a session affects its lane; see `Lane`. */
export interface SuspendableLane {
  suspend(reason: string | null): void;
  resume(): void;
  answered(id: string): void;
}

/** A gateway as the owner of its lane uses it. */
export interface LaneGateway {
  id: string;
  identifier: string;
  adapter: GatewayAdapter;
  rules: GatewayRules;
  transport: Transport;
  /** For an email gateway: the settings that all email gateways have. */
  email: EmailSettings | null;
  /** How long after their due time messages of the account may still be sent, ms. */
  latenessMs: number;
}

/**
 * `uninformative`: the unknown outcome says nothing about the gateway, because it was not called, or reconnects. `leftOut`: of a mail
 * to several, the recipients who were suppressed or refused.
 */
export type SendOutcome = Outcome & { uninformative?: true; leftOut?: readonly LeftOut[] };

/** Bytes of mails and long texts that one lane keeps in memory. Per lane, so that a slow server delays no other lane. */
const maxBytesInFlight = 64 * 1024 * 1024;

/**
 * Returns the function that transmits a lane's messages. The lane limits how many are sent concurrently; `maxBytesInFlight` limits large
 * ones further.
 */
export function createTransmitter(
  deps: TransmitDeps,
  gateway: LaneGateway,
): (row: DueMessage, attempt: number, signal: AbortSignal) => Promise<SendOutcome> {
  const memory = new Semaphore(maxBytesInFlight);
  return (row, attempt, signal) => composeAndTransmit(deps, gateway, memory, row, attempt, signal);
}

/** Composes the contents that need it, and transmits the message. */
async function composeAndTransmit(
  deps: TransmitDeps,
  gateway: LaneGateway,
  memory: Semaphore,
  row: DueMessage,
  attempt: number,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const ended = await pastIdempotencyWindow(deps, gateway, row);
  if (ended !== null) return ended;
  if (!gateway.adapter.contents.includes(row.content)) return notSupported(gateway, row);
  if (row.content === "email") return await transmitEmail(deps, gateway, memory, row, attempt, signal);
  const { body } = row;
  if (body !== null) return await transmitText(deps, gateway, { ...row, body }, attempt, signal);
  return await memory.run(async () => {
    const text = await tryCompose(deps, gateway, row.id, () => bodyOf(deps, row.id));
    if (text === null) return notSent;
    return await transmitText(deps, gateway, { ...row, body: text }, attempt, signal);
  }, bytesInMemory(row.body_bytes));
}

/** A message of any content except an email. */
async function transmitText(
  deps: TransmitDeps,
  gateway: LaneGateway,
  row: DueMessage & { body: string },
  attempt: number,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { id, request_id: requestId, recipient, body: text } = row;
  const message = { id, requestId, recipient, attempt };
  if (row.content === "text") {
    const repeated = row.resends > 0 ? { repeated: true } : {};
    return await transmit(
      deps,
      gateway,
      { ...message, content: { kind: "text", text }, ...repeated },
      signal,
    );
  }
  const payload = await tryCompose(deps, gateway, id, () => payloadOf(deps, id));
  if (payload === null) return notSent;
  return await transmit(deps, gateway, { ...message, content: { text, ...payload } }, signal);
}

async function bodyOf({ database }: TransmitDeps, messageId: string): Promise<string> {
  const body = await database.run(readBody, messageId);
  if (body === null) throw new Error("The message has no body.");
  return body;
}

async function payloadOf({ database }: TransmitDeps, messageId: string): Promise<MessagePayload> {
  const payload = await database.run(readPayload, messageId);
  if (payload === null) throw new Error("The message has no payload.");
  return payload;
}

/**
 * The outcome of a message that its gateway cannot send. Acceptance and rerouting never choose such a gateway, so it was of another kind
 * then, and may have sent the message if this is a repetition.
 */
function notSupported({ adapter }: LaneGateway, { content, resends }: DueMessage): SendOutcome {
  const code = "content_not_supported";
  const reason = `Gateways of kind ${adapter.kind} cannot send ${content} messages.`;
  return resends === 0
    ? { kind: "rejected", code, reason }
    : { kind: "unknown", code, reason, uninformative: true };
}

async function transmitEmail(
  deps: TransmitDeps,
  gateway: LaneGateway,
  memory: Semaphore,
  row: DueMessage,
  attempt: number,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { id, request_id: requestId, recipient } = row;
  if (gateway.email === null) return notSupported(gateway, row);
  const stored = await tryCompose(deps, gateway, id, () => storedEmail(deps, id));
  if (stored === null) return notSent;
  const maxBytes = gateway.adapter.mail?.maxBytes;
  if (maxBytes !== undefined && stored.bytes > maxBytes) {
    const reason = `The mail has ${stored.bytes} bytes, and the gateway takes ${maxBytes} at most.`;
    return { kind: "rejected", code: "too_large", reason };
  }
  const settings = gateway.email;
  const refusal = mailRefusal(stored, settings, gateway.adapter.mail ?? {});
  if (refusal !== null) return { kind: "rejected", ...refusal };
  const { recipients } = stored;
  const first = recipients.length === 0 ? null : firstRecipient(recipients);
  // They were suppressed since the attempt began.
  if (recipients.length > 0 && first === null)
    return { kind: "rejected", code: "suppressed", reason: "Every recipient is on the suppression list." };
  return await memory.run(async () => {
    // `recipient` is in lower case for comparisons; the mail goes to the address as the caller wrote it.
    const address = first ?? wireAddress(row.recipient_raw) ?? recipient;
    const { written } = stored;
    const able = gateway.adapter.mail;
    const content = await tryCompose(deps, gateway, id, () =>
      written === null
        ? composeEmail(deps, stored, settings)
        : composeWritten(deps, { ...stored, written }, { settings, able, recipient: address }),
    );
    if (content === null) return notSent;
    if ("code" in content) return { kind: "rejected", ...content };
    const message = { id, requestId, recipient: address, attempt, content };
    const outcome = await transmit(deps, gateway, message, signal);
    return recipients.length === 0 ? outcome : { ...outcome, leftOut: leftOutOf(recipients, outcome) };
  }, bytesInMemory(stored.bytes));
}

/** The recipients that were suppressed or refused. */
function leftOutOf(recipients: readonly OutgoingRecipient[], outcome: SendOutcome): LeftOut[] {
  if (outcome.kind !== "accepted" && outcome.kind !== "rejected") return [];
  const refused = new Map(outcome.refused?.map((each) => [normaliseAddress(each.recipient), each]));
  return recipients.flatMap(({ position, recipient, suppressed }): LeftOut[] => {
    if (suppressed === 1) {
      const message = "The recipient is on the suppression list.";
      return [{ position, recipient, status: "suppressed", code: "suppressed", message }];
    }
    const refusal = refused.get(recipient);
    if (refusal === undefined) return [];
    return [{ position, recipient, status: "failed", code: refusal.code, message: refusal.reason }];
  });
}

/**
 * The outcome of a message that may have been sent before, if its provider would no longer recognise the idempotency key because the lane
 * was paused for days. Null if the message may be sent.
 */
async function pastIdempotencyWindow(
  { clock, database, log }: TransmitDeps,
  gateway: LaneGateway,
  { id, resends }: DueMessage,
): Promise<SendOutcome | null> {
  const { idempotencyWindowMs: repeatWithinMs } = gateway.adapter;
  if (resends === 0 || repeatWithinMs === undefined) return null;
  try {
    const first = await database.run(findFirstAttempt, id);
    if (first !== null && clock.now() - first <= repeatWithinMs) return null;
  } catch (error) {
    log.error(
      { event: "message.not_sent", gateway: gateway.identifier, message: id, error },
      "The first attempt of a message could not be read.",
    );
    return notSent;
  }
  const reason =
    "The message may have been sent, and the provider would no longer recognise this attempt as a repetition.";
  return { kind: "unknown", code: "too_late_to_repeat", reason, uninformative: true };
}

/** An estimate: files and texts exist as they are, in base64, in the request and in the socket. */
const bytesInMemory = (bytes: number) => bytes * 4;

/** Nothing was sent: the body, the payload or an attachment could not be loaded. */
const notSent: SendOutcome = {
  kind: "deferred",
  code: "not_composed",
  reason: "The message could not be composed; see the log.",
};

/** The result of `compose`; null, after logging the error, if it throws. */
async function tryCompose<Composed>(
  { log }: TransmitDeps,
  gateway: LaneGateway,
  messageId: string,
  compose: () => Composed | Promise<Composed>,
): Promise<Composed | null> {
  try {
    return await compose();
  } catch (error) {
    log.error(
      { event: "message.not_composed", gateway: gateway.identifier, message: messageId, error },
      "A message could not be composed.",
    );
    return null;
  }
}

async function transmit(
  deps: TransmitDeps,
  gateway: LaneGateway,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const context = { gateway: gateway.identifier, message: message.id };
  deps.crashPoint("send.before");
  let outcome: SendOutcome;
  try {
    outcome = await gateway.transport.send(message, signal);
  } catch (error) {
    if (error instanceof AttachmentReadError) {
      deps.log.error(
        { event: "message.not_composed", ...context, error: error.cause },
        "An attachment of a mail could not be read.",
      );
      return notSent;
    }
    // A bug in the adapter. The message may or may not have been sent.
    deps.log.error({ event: "adapter.failed", ...context, error }, "A gateway adapter threw while sending.");
    outcome = { kind: "unknown", code: "adapter_error", reason: "The gateway adapter failed; see the log." };
  }
  deps.crashPoint("send.after");
  deps.metrics.outcome(gateway.identifier, outcome.kind);
  return outcome;
}

/** What the outcome of a message to `recipient` says about its gateway. */
export function healthOf(
  outcome: SendOutcome,
  recipient: string,
): ReturnType<BreakerWork<DueMessage, SendOutcome>["healthOf"]> {
  if (outcome.kind === "accepted") return { health: "healthy", reason: "" };
  const { reason } = outcome;
  if (outcome.kind === "unknown")
    return { health: outcome.uninformative ? "answering" : "uncertain", reason };
  if (outcome.kind === "rejected" && outcome.mayBeGatewayFault) {
    const why = `It refuses its messages with a code that may be about its settings (${outcome.code}). ${reason}`;
    return { health: "unclear", reason: why, recipient };
  }
  if (outcome.kind !== "deferred" || !outcome.gatewayFault) return { health: "answering", reason };
  const health = outcome.gatewayFault === "refused" ? "misconfigured" : "unreachable";
  return { health, reason, minPauseMs: outcome.pauseMs ?? 0 };
}
