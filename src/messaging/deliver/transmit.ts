// Hands one message to its gateway's adapter, a mail put together before: whatever goes wrong until then, nothing has left,
// and whatever goes wrong inside the adapter may have happened after it had.

import { wireAddress } from "#contract/address.ts";
import type { Core } from "#core/core.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import {
  AttachmentReadError,
  type DkimKey,
  type GatewayAdapter,
  type GatewayTools,
  type Outcome,
  type OutgoingMessage,
} from "#gateways/gateway.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import { type ComposeDeps, composeEmail, type StoredEmail, storedEmail } from "#messaging/email/compose.ts";
import type { Health } from "#queue/breaker.ts";
import type { SendResult } from "#queue/lane.ts";
import type { DueMessage } from "#store/messages/attempts.ts";
import { firstAttempt } from "#store/messages/first-attempt.ts";
import { ByteSemaphore } from "./byte-semaphore.ts";

export interface TransmitDeps
  extends Pick<Core, "clock" | "crashPoint" | "database" | "log" | "metrics" | "outbound"> {
  /** What mails are composed with. */
  composing: ComposeDeps;
}

/** A gateway as its lane's owner knows it. */
export interface LaneGateway {
  id: string;
  identifier: string;
  adapter: GatewayAdapter;
  settings: unknown;
  rules: GatewayRules;
  timeoutMs: number;
  callbackUrl: string | null;
  /** Of an email gateway: its settings as all of them have them, and the keys that sign for it. */
  email: { settings: EmailSettings; dkim: readonly DkimKey[] } | null;
  /** How late its account's messages may still go out, ms. */
  latenessMs: number;
}

/** Bytes of mails that one lane puts together and sends at once: its own, so that a slow server holds up no other lane. */
const maxBytesInFlight = 64 * 1024 * 1024;

/** Sends a lane's messages: as many at once as it is asked to, of large mails as many as there is room for. */
export function createSender(
  parts: TransmitDeps,
  gateway: LaneGateway,
): (row: DueMessage, attempt: number, signal: AbortSignal) => Promise<SendResult<Outcome>> {
  const room = new ByteSemaphore(maxBytesInFlight);
  return (row, attempt, signal) => send(parts, gateway, room, row, attempt, signal);
}

/** A message of the channel `email` is put together first; any other goes as it is. */
async function send(
  parts: TransmitDeps,
  gateway: LaneGateway,
  room: ByteSemaphore,
  row: DueMessage,
  attempt: number,
  signal: AbortSignal,
): Promise<SendResult<Outcome>> {
  const { id, channel, recipient, body: message } = row;
  const ended = await pastIdempotencyWindow(parts, gateway, row);
  if (ended !== null) return ended;
  if (gateway.email === null)
    return await transmit(parts, gateway, { id, channel, recipient, message, attempt }, signal);
  const stored = await tryCompose(parts, gateway, id, () => storedEmail(parts.composing, id));
  if (stored === null) return notSent;
  const { maxMessageBytes: mostBytes } = gateway.adapter;
  if (mostBytes !== null && stored.bytes > mostBytes) {
    const reason = `Of ${stored.bytes} bytes, and the gateway takes ${mostBytes} at most.`;
    return { outcome: { kind: "rejected", code: "too_large", reason }, health: "well", reason };
  }
  const bytes = bytesInMemory(stored);
  await room.enter(bytes);
  try {
    const { settings } = gateway.email;
    const email = await tryCompose(parts, gateway, id, () => composeEmail(parts.composing, stored, settings));
    if (email === null) return notSent;
    // Suppression compares addresses in lower case; the mail goes to the one that was given.
    const written = wireAddress(row.number) ?? recipient;
    const text = email.html ?? email.text;
    return await transmit(
      parts,
      gateway,
      { id, channel, recipient: written, message: text, attempt, email },
      signal,
    );
  } finally {
    room.release(bytes);
  }
}

/**
 * The end of a message that may have been sent, when its provider would not know a repetition for one any more; null:
 * it may go out. A lane may have paused for days since.
 */
async function pastIdempotencyWindow(
  { clock, database, log }: TransmitDeps,
  gateway: LaneGateway,
  { id, resends }: DueMessage,
): Promise<SendResult<Outcome> | null> {
  const { idempotencyWindowMs: repeatWithinMs } = gateway.adapter;
  if (resends === 0 || repeatWithinMs === null) return null;
  try {
    const first = await database.run(firstAttempt, id);
    if (first !== null && clock.now() - first <= repeatWithinMs) return null;
  } catch (error) {
    log.error(
      { gateway: gateway.identifier, message: id, error },
      "a message's first attempt could not be read",
    );
    return notSent;
  }
  const reason =
    "It may have been sent, and the provider would not notice any more that this is a repetition.";
  return { outcome: { kind: "unknown", code: "too_late_to_repeat", reason }, health: "well", reason };
}

/**
 * About what a mail takes up on its way: its files as they are, in base64, in the request and in the socket, and its
 * texts no less often.
 */
const bytesInMemory = ({ bytes }: StoredEmail) => bytes * 4;

/** Nothing of it left: what it consists of could not be read, or is not there any more. */
const notSent: SendResult<Outcome> = (() => {
  const reason = "The mail could not be put together; see the log.";
  return { outcome: { kind: "deferred", code: "not_composed", reason }, health: "well", reason };
})();

/** What `make` makes; null, with a word in the log, when it throws. */
async function tryCompose<Made>(
  { log }: TransmitDeps,
  gateway: LaneGateway,
  messageId: string,
  make: () => Made | Promise<Made>,
): Promise<Made | null> {
  try {
    return await make();
  } catch (error) {
    log.error({ gateway: gateway.identifier, message: messageId, error }, "a mail could not be composed");
    return null;
  }
}

async function transmit(
  parts: TransmitDeps,
  gateway: LaneGateway,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendResult<Outcome>> {
  const tools: GatewayTools = {
    outbound: parts.outbound,
    clock: parts.clock,
    callbackUrl: gateway.callbackUrl,
    timeoutMs: gateway.timeoutMs,
    signal,
    dkim: gateway.email?.dkim ?? [],
  };
  const known = { gateway: gateway.identifier, message: message.id };
  parts.crashPoint("send.before");
  let outcome: Outcome;
  try {
    outcome = await gateway.adapter.send(message, gateway.settings, tools);
  } catch (error) {
    if (error instanceof AttachmentReadError) {
      parts.log.error({ ...known, error: error.cause }, "a mail could not be composed");
      return notSent;
    }
    // A bug in the adapter: what was already on the wire then is not known.
    parts.log.error({ ...known, error }, "a gateway adapter threw");
    outcome = { kind: "unknown", code: "adapter_error", reason: "The gateway adapter failed; see the log." };
  }
  parts.crashPoint("send.after");
  parts.metrics.outcome(gateway.identifier, outcome.kind);
  return { outcome, health: healthOf(outcome), reason: outcome.kind === "accepted" ? "" : outcome.reason };
}

function healthOf(outcome: Outcome): Health {
  if (outcome.kind === "unknown") return "doubtful";
  return outcome.kind === "deferred" && outcome.gatewayFault ? outcome.gatewayFault : "well";
}
