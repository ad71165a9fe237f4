// What the gateway tests send, with which tools, and what makes an outcome fit to be stored and shown.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { CallbackTools, GatewayTools } from "#gateways/connection.ts";
import { readReport } from "#gateways/email/reports/delivery-report.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { EmailContent, OutgoingMessage, TextContent } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { SessionHost } from "#gateways/session.ts";
import { messageUrl, provenMessage } from "#messaging/message-urls.ts";
import type { Clock } from "#runtime/runtime.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { createSealer } from "#store/seal.ts";
import { memoryLog } from "../log.ts";
import { scriptedOutbound } from "./scripted-outbound.ts";

export const now = Date.UTC(2026, 10, 20, 12, 0, 0);
export const callbackUrl = "https://sms.example.test/callbacks/sms-main";
export const seed = 20261120;

/** A text. */
export function sampleMessage(change: Partial<OutgoingMessage<"text">> = {}): OutgoingMessage<"text"> {
  const content = textOf("Grüße & 100% {{to}} 🎉");
  return {
    id: "msg_01test",
    requestId: "req_01test",
    recipient: "+4915112345678",
    attempt: 1,
    content,
    ...change,
  };
}

export const textOf = (text: string): TextContent => ({ kind: "text", text });

const email: EmailContent = {
  kind: "email",
  subject: "Grüße",
  text: "Hallo & willkommen 🎉",
  html: null,
  senderName: null,
  replyTo: [],
  headers: [],
  returnPath: null,
  attachments: [],
};

/** An email; `change` is of its content. */
export function sampleEmail(change: Partial<EmailContent> = {}): OutgoingMessage<"email"> {
  return {
    id: "msg_01test",
    requestId: "req_01test",
    recipient: "ada@example.com",
    attempt: 1,
    content: { ...email, ...change },
  };
}

/** An attachment of these bytes. */
export function sampleAttachment(filename: string, contentType: string, bytes: Buffer) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { filename, contentType, size: bytes.length, sha256, content: async () => bytes };
}

const sealer = createSealer("a master key of the gateway tests", {
  bytes: (count) => new Uint8Array(count),
  random: () => 0,
});
const gatewayId = "gw_conformance";

export const stillClock: Clock = {
  now: () => now,
  monotonic: () => 0,
  steady: () => now,
  sleep: async () => {},
};

export function toolsWith(change: Partial<GatewayTools & CallbackTools> = {}): GatewayTools & CallbackTools {
  return {
    outbound: scriptedOutbound({ kind: "no_answer", reason: "nothing scripted" }),
    clock: stillClock,
    callbackUrl,
    messageUrl: (id) => messageUrl(sealer, gatewayId, callbackUrl, id),
    provenMessage: (callback) => provenMessage(sealer, gatewayId, callback),
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    dkim: [],
    readReport: async (raw) => ({ kind: "read", report: readReport(raw) }),
    ...change,
  };
}

/** What a session is given: the tools of a call, and no storage. */
export function hostWith(change: Partial<SessionHost> = {}): SessionHost {
  const { signal: _, readReport: __, ...tools } = toolsWith();
  return {
    ...tools,
    channel: "sms",
    fileBytes: new Semaphore(64 * 1024 * 1024),
    random: { bytes: (count) => new Uint8Array(count), random: () => 0.5 },
    log: memoryLog(),
    state: { load: async () => new Map(), save: async () => {} },
    linkRequest: null,
    signal: new AbortController().signal,
    report: async () => {},
    lastHeard: async () => null,
    status: () => {},
    answeredLate: () => {},
    fail: () => {},
    child: () => assert.fail("no process is expected"),
    ...change,
  };
}

/** Sends one message through a session of its own. */
export async function sendOnce(
  gateway: GatewayAdapter,
  message: OutgoingMessage,
  settings: unknown,
  tools: GatewayTools = toolsWith(),
): Promise<Outcome> {
  const { signal, ...host } = tools;
  const session = await gateway.open(settings, hostWith(host));
  try {
    return await session.send(message, signal);
  } finally {
    await session.close();
  }
}

/** An outcome that can be stored and shown. */
export function wellFormed(outcome: Outcome, secrets: readonly string[]): void {
  if (outcome.kind === "accepted") {
    const { reference } = outcome;
    if (reference === null) return;
    assert.ok(reference.length > 0 && reference.length <= 255);
    assert.doesNotMatch(reference, /[\u0000-\u001f\u007f]/);
    return;
  }
  cleanReason(outcome.reason, secrets);
  if (outcome.code !== undefined) {
    assert.match(outcome.code, /^[\w.:-]{1,64}$/);
    cleanReason(outcome.code, secrets);
  }
  if (outcome.kind === "deferred" && outcome.retryAfterMs !== undefined) {
    assert.ok(outcome.retryAfterMs >= 1000 && outcome.retryAfterMs <= 3_600_000);
  }
}

/** A reason that can be shown to anybody. */
export function cleanReason(reason: string, secrets: readonly string[]): void {
  assert.ok(reason.length > 0 && reason.length <= 300, `${reason.length} characters`);
  assert.doesNotMatch(reason, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  assert.ok(reason.isWellFormed());
  for (const secret of secrets) {
    for (const spelling of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      assert.ok(!reason.toLowerCase().includes(spelling.toLowerCase()), `${secret} is in: ${reason}`);
    }
  }
}
