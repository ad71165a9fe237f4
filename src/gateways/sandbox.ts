// The gateway of a fresh installation. It sends nothing; the recipient's number or address selects an outcome, so that
// every way a message can end can be tried without a provider.

import { z } from "zod";
import { emailSender } from "#gateways/email/settings.ts";
import { defineGateway } from "./gateway.ts";
import type { OutgoingMessage } from "./message.ts";
import type { Outcome } from "./outcome.ts";
import type { GatewayHost } from "./session.ts";

const behaviours = [
  "delivered",
  "undelivered",
  "bounced",
  "refused",
  "deferred",
  "unknown",
  "slow",
  "opened",
] as const;
type Behaviour = (typeof behaviours)[number];

const byLastDigits: Record<string, Behaviour> = {
  "0001": "delivered",
  "0002": "undelivered",
  "0003": "refused",
  "0004": "deferred",
  "0005": "unknown",
  "0006": "slow",
};

const slowMs = 5000;
/** A pixel that is loaded sooner than this counts as loaded by a machine. */
const openedMs = 15_000;

/** The outcome that the recipient selects: a number by its last four digits, an address by its local part. */
function behaviourOf(recipient: string): Behaviour {
  const at = recipient.lastIndexOf("@");
  if (at < 0) return byLastDigits[recipient.slice(-4)] ?? "delivered";
  const local = recipient.slice(0, at).toLowerCase();
  const found = behaviours.find((behaviour) => behaviour === local);
  return found === "undelivered" ? "delivered" : (found ?? "delivered");
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
  const reference = `sbx_${message.id}`;
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
    case "delivered":
      return delivered;
  }
}

/** The recipient opens the mail. Ends with the session: a new owner of the lane simulates nothing of the last one's. */
async function simulateOpen(messageId: string, { clock, report, signal }: GatewayHost): Promise<void> {
  await clock.sleep(openedMs, signal);
  if (signal.aborted) return;
  const opened = {
    kind: "opened",
    reference: null,
    messageId,
    userAgent: "Sandbox",
    machine: false,
  } as const;
  // It rejects when the session is closed before storage takes it.
  await report({ engagements: [opened] }).catch(() => {});
}
