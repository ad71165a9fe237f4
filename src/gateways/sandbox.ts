// The gateway of a fresh installation. It sends nothing; the recipient's number or address selects an outcome, so that
// every way a message can end can be tried without a provider.

import { z } from "zod";
import { emailSender } from "#gateways/email/settings.ts";
import type { InboundMessage, Receipt } from "./callback.ts";
import { defineGateway } from "./gateway.ts";
import type { ListContent, OutgoingMessage } from "./message.ts";
import type { Outcome, RefusedRecipient } from "./outcome.ts";
import type { GatewayHost, SessionReport } from "./session.ts";

const byLocalPart = ["delivered", "bounced", "refused", "deferred", "unknown", "slow", "opened"] as const;
type Behaviour = (typeof byLocalPart)[number] | "undelivered" | "answered" | "read";

const byLastDigits: Record<string, Behaviour> = {
  "0001": "delivered",
  "0002": "undelivered",
  "0003": "refused",
  "0004": "deferred",
  "0005": "unknown",
  "0006": "slow",
  "0007": "answered",
  "0008": "read",
};

const slowMs = 5000;
/** A pixel that is loaded sooner than this counts as loaded by a machine. */
const openedMs = 15_000;
/** After this time a person reads and answers, when the message has settled, ms. */
const personMs = 2000;

/** The outcome that the recipient selects: a number by its last four digits, an address by its local part. */
function behaviourOf(recipient: string): Behaviour {
  const at = recipient.lastIndexOf("@");
  if (at < 0) return byLastDigits[recipient.slice(-4)] ?? "delivered";
  const local = recipient.slice(0, at).toLowerCase();
  return byLocalPart.find((behaviour) => behaviour === local) ?? "delivered";
}

export const sandbox = defineGateway({
  kind: "sandbox",
  channels: ["sms", "whatsapp", "email"],
  contents: ["text", "media", "list", "template", "email"],
  title: "Sandbox",
  summary: "Sends nothing; the recipient decides what happens to the message. It costs no credit.",
  settings: z.strictObject({}),
  takesIds: ["user_id", "lid"],
  test: true,
  mail: {
    whole: true,
    sender: () => emailSender({ from: "", tracking: { opens: false, clicks: false }, unsubscribe: false }),
  },
  connection: "on_demand",
  open: async (_settings, host) => ({
    send: (message, signal) => send(message, host, signal),
    close: async () => {},
  }),
  account: {
    check: async () => ({
      facts: {},
      findings: [{ what: "access", state: "ok", detail: "A sandbox has no provider." }],
    }),
    register: async () => ({ kind: "registered" }),
  },
});

async function send(message: OutgoingMessage, host: GatewayHost, signal: AbortSignal): Promise<Outcome> {
  const recipients = recipientsOf(message);
  return recipients.length > 1
    ? await sendToSeveral(message, recipients, host, signal)
    : await sendToOne(message, host, signal);
}

function recipientsOf({ recipient, content }: OutgoingMessage): readonly string[] {
  if (content.kind !== "email") return [recipient];
  const { to = [], cc = [], bcc = [] } = content.copies ?? {};
  return content.written?.recipients ?? [recipient, ...to, ...cc, ...bcc];
}

/**
 * A mail to several: each recipient gets the outcome of a mail to them alone. Without an answer for one, all are unknown, and one who is put
 * off while others are accepted is refused.
 */
async function sendToSeveral(
  message: OutgoingMessage,
  recipients: readonly string[],
  host: GatewayHost,
  signal: AbortSignal,
): Promise<Outcome> {
  const reference = referenceOf(message);
  const outcomes = await Promise.all(
    recipients.map(async (recipient) => ({
      recipient,
      outcome: await sendToOne({ ...message, recipient }, host, signal),
    })),
  );
  const unknown = outcomes.find(({ outcome }) => outcome.kind === "unknown");
  if (unknown !== undefined) return unknown.outcome;
  const refused: RefusedRecipient[] = [];
  const receipts: Receipt[] = [];
  for (const { recipient, outcome } of outcomes) {
    if (outcome.kind !== "accepted") {
      const { code = outcome.kind, reason } = outcome;
      refused.push({ recipient, code, reason });
    } else if (outcome.receipt !== undefined) receipts.push({ ...outcome.receipt, reference, recipient });
  }
  if (refused.length === recipients.length) {
    const later = outcomes.find(({ outcome }) => outcome.kind === "deferred");
    const { outcome } = later ?? outcomes[0]!;
    return outcome.kind === "rejected" ? { ...outcome, refused } : outcome;
  }
  // They wait for the reference, as those of a vendor that is faster than its own answer do.
  await host.report({ receipts });
  return { kind: "accepted", reference, ...(refused.length === 0 ? {} : { refused }) };
}

async function sendToOne(message: OutgoingMessage, host: GatewayHost, signal: AbortSignal): Promise<Outcome> {
  const reference = referenceOf(message);
  const delivered: Outcome = { kind: "accepted", reference, receipt: { status: "delivered" } };
  switch (behaviourOf(message.recipient)) {
    case "undelivered": {
      const reason = "The sandbox did not deliver it, as this recipient asks for.";
      return {
        kind: "accepted",
        reference,
        receipt: { status: "undelivered", code: "sandbox_undelivered", reason },
      };
    }
    case "bounced": {
      const reason = "The sandbox bounced it, as this recipient asks for.";
      return {
        kind: "accepted",
        reference,
        receipt: { status: "bounced", code: "sandbox_bounced", reason },
      };
    }
    case "refused": {
      const reason = "The sandbox refused it, as this recipient asks for.";
      return { kind: "rejected", code: "sandbox_refused", reason };
    }
    case "deferred": {
      if (message.attempt > 2) return delivered;
      const reason = `The sandbox put off attempt ${message.attempt}, as this recipient asks for.`;
      return { kind: "deferred", code: "sandbox_deferred", reason };
    }
    case "unknown": {
      const reason = "The sandbox gave no answer, as this recipient asks for.";
      return { kind: "unknown", code: "sandbox_unknown", reason };
    }
    case "slow":
      await host.clock.sleep(slowMs, signal);
      if (signal.aborted) {
        return {
          kind: "unknown",
          code: "sandbox_aborted",
          reason: "Stopped while the sandbox was being slow.",
        };
      }
      return delivered;
    case "opened":
      void simulateOpen(message.id, host);
      return delivered;
    case "answered":
      if (message.content.kind === "list") void simulateAnswer(message, message.content, host);
      return delivered;
    case "read":
      // Only WhatsApp reports that a message was read.
      if (host.channel === "whatsapp") void simulateReading(reference, host);
      return delivered;
    case "delivered":
      return delivered;
  }
}

/** The recipient opens the mail. */
async function simulateOpen(messageId: string, host: GatewayHost): Promise<void> {
  const opened = {
    kind: "opened",
    reference: null,
    messageId,
    userAgent: "Sandbox",
    machine: false,
  } as const;
  await reportAfter(openedMs, { engagements: [opened] }, host);
}

/** The recipient reads the message. */
async function simulateReading(reference: string, host: GatewayHost): Promise<void> {
  await reportAfter(personMs, { receipts: [{ reference, status: "read" }] }, host);
}

/** The recipient chooses the first row of the list. */
async function simulateAnswer(message: OutgoingMessage, list: ListContent, host: GatewayHost): Promise<void> {
  const row = list.sections[0]?.rows[0];
  if (row === undefined) return;
  const { id, title, description } = row;
  const answer: InboundMessage = {
    reference: `sbx_answer_${message.id}`,
    replyTo: referenceOf(message),
    from: message.recipient,
    to: "sandbox",
    message: title,
    media: [],
    details: {
      type: "interactive",
      reply: { type: "list", id, title, description },
      profileName: "Sandbox",
      userId: null,
      forwarded: false,
    },
  };
  await reportAfter(personMs, { inbound: [answer] }, host);
}

/** Ends with the session: a new owner of the lane does not continue the simulations of the last one. */
async function reportAfter(
  ms: number,
  what: SessionReport,
  { clock, report, signal }: GatewayHost,
): Promise<void> {
  await clock.sleep(ms, signal);
  if (signal.aborted) return;
  // It rejects if the session is closed before storage accepts it.
  await report(what).catch(() => {});
}

const referenceOf = ({ id }: OutgoingMessage) => `sbx_${id}`;
