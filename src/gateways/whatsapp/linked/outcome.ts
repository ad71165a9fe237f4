// The bridge's report about a message as its outcome. Only WhatsApp's own answer counts as acceptance.

import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { type LinkedContent, noteOf } from "./outgoing.ts";
import type { SendResult } from "./protocol.ts";

/** The number may not write to people who never wrote to it. */
export const restricted = "463";
/** WhatsApp knows other devices of the recipient than we do. */
const staleDevices = "479";
/** The server refuses the device itself. */
const deviceRefused: ReadonlySet<string> = new Set(["401", "403"]);

/** Attempts for a message that cannot be encrypted. */
const maxFailures = 3;
const throttledMs = 60_000;

/** `reference`: WhatsApp's id of the message. */
export function outcomeOf(
  result: SendResult,
  reference: string,
  message: OutgoingMessage<LinkedContent>,
): Outcome {
  const { attempt } = message;
  switch (result.kind) {
    case "left":
      return {
        kind: "unknown",
        code: "no_ack",
        reason: "WhatsApp did not answer before the connection ended, or in time.",
      };
    case "acked":
      return result.error === null
        ? accepted(reference, noteOf(message), result.knownAs)
        : refusal(result.error, attempt);
    case "not_sent":
      return unsent(result.why, attempt);
  }
}

const accepted = (reference: string, note: string | null, knownAs: string | undefined): Outcome => ({
  kind: "accepted",
  reference,
  ...(note !== null && { note }),
  ...(knownAs !== undefined && { knownAs }),
});

function refusal(code: string, attempt: number): Outcome {
  const reason = `WhatsApp refused it (${code}).`;
  if (code === restricted)
    return { kind: "deferred", code, reason: "WhatsApp forbids the number to begin chats for a time." };
  if (code === staleDevices && attempt === 1) return { kind: "deferred", code, reason };
  if (deviceRefused.has(code)) return { kind: "deferred", code, reason, gatewayFault: "refused" };
  // WhatsApp documents none of these codes.
  return { kind: "rejected", code, reason, mayBeGatewayFault: true };
}

function unsent(why: (SendResult & { kind: "not_sent" })["why"], attempt: number): Outcome {
  switch (why) {
    case "closed":
      return notConnected;
    case "not_on_whatsapp":
      return { kind: "rejected", code: "not_on_whatsapp", reason: "The number is not on WhatsApp." };
    case "no_devices": {
      const reason = "WhatsApp knows no device of the number.";
      return { kind: attempt === 1 ? "deferred" : "rejected", code: "no_devices", reason };
    }
    case "throttled":
      return {
        kind: "deferred",
        code: "throttled",
        reason: "WhatsApp answers no questions about numbers for a moment.",
        retryAfterMs: throttledMs,
      };
    case "check_failed":
      return {
        kind: "deferred",
        code: "check_failed",
        reason: "WhatsApp did not say whether the number is on WhatsApp.",
      };
    case "not_stored":
    case "failed":
      return {
        kind: attempt < maxFailures ? "deferred" : "rejected",
        code: "not_encrypted",
        reason: "The message could not be encrypted for the recipient.",
      };
  }
}

export const notConnected: Outcome = {
  kind: "deferred",
  code: "not_connected",
  reason: "The device is not connected.",
  gatewayFault: "unreachable",
};
