// Email vendors that know what they received and say it, in errors wherever an error has words, and in events that are
// really theirs.

import { createHmac, hash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { publicKey, signedCall } from "../../gateways/email/sendgrid/sendgrid-example.ts";
import {
  certificateUrl,
  envelope,
  posted,
  signed,
  topic,
  validCertificate,
} from "../../gateways/email/ses/ses-example.ts";
import { planted } from "./planted.ts";

const mailgunPair = Buffer.from(`api:${planted.mailgunApiKey}`).toString("base64");

/** Settings by kind; `secrets`: what the vendor knows; `token`: what is not signed brings this instead. */
export const vendors = {
  ses: {
    settings: {
      region: "eu-central-1",
      access_key_id: "AKIDEXAMPLEAKIDEXAMPLE",
      secret_access_key: planted.sesSecretKey,
      topic_arn: topic,
    },
    secrets: [planted.sesSecretKey],
    token: null,
  },
  sendgrid: {
    settings: { api_key: planted.sendgridApiKey, webhook_public_key: publicKey },
    secrets: [planted.sendgridApiKey],
    token: null,
  },
  mailgun: {
    settings: {
      domain: "mg.example.com",
      api_key: planted.mailgunApiKey,
      webhook_signing_key: planted.mailgunSigningKey,
    },
    secrets: [planted.mailgunApiKey, mailgunPair, planted.mailgunSigningKey],
    token: null,
  },
  postmark: {
    settings: { server_token: planted.postmarkServerToken, callback_token: planted.postmarkCallbackToken },
    secrets: [planted.postmarkServerToken, planted.postmarkCallbackToken],
    token: planted.postmarkCallbackToken,
  },
  resend: {
    settings: { api_key: planted.resendApiKey, webhook_secret: planted.resendWebhookSecret },
    secrets: [planted.resendApiKey, planted.resendWebhookSecret],
    token: null,
  },
  brevo: {
    settings: { api_key: planted.brevoApiKey, callback_token: planted.brevoCallbackToken },
    secrets: [planted.brevoApiKey, planted.brevoCallbackToken],
    token: planted.brevoCallbackToken,
  },
} as const;
export type Vendor = keyof typeof vendors;

/** What a vendor's host is named after what it does; `ok` takes mails. */
export const vendorHosts = [
  "ok",
  "s200",
  "s400",
  "s401",
  "s429",
  "s503",
  "code",
  "words",
  "long",
  "lost",
  "unsent",
];

/** Secrets in every spelling, another one first each time. */
export function wordsWith(secrets: readonly string[], turn: number): string {
  const spelled = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret)]);
  const first = turn % spelled.length;
  return [...spelled.slice(first), ...spelled.slice(0, first)].join(" ");
}

let answers = 0;

function answer(status: number, body: object | string, headers: Record<string, string> = {}): OutboundResult {
  return {
    kind: "answer",
    status,
    headers,
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  };
}

/** What the vendors answer, by the name of the host; null: another host is asked. */
export function mailAnswer({ url, headers = {} }: OutboundRequest): OutboundResult | null {
  if (url === certificateUrl) return answer(200, validCertificate);
  if (!url.includes(".mail.test/")) return null;
  answers += 1;
  const [host = "", vendor = ""] = new URL(url).hostname.split(".");
  const { secrets } = vendors[vendor as Vendor];
  // What AWS is sent is long, and proves the secret without telling it.
  const reason =
    vendor === "ses"
      ? []
      : ["authorization", "api-key", "x-postmark-server-token"].flatMap((name) => headers[name] ?? []);
  const words = wordsWith(
    [...secrets, ...reason.map((text) => text.replace(/^(?:Bearer|Basic) /, ""))],
    answers,
  );
  const code = "invalid_parameter";
  const errors = (message: string, named: string) => ({
    message,
    Message: message,
    error: message,
    errors: [{ message, field: named }],
    code: named,
    name: named,
    __type: named,
    ErrorCode: 300,
    echo: headers,
  });
  const status = Number(/^s(\d{3})$/.exec(host)?.[1] ?? 400);
  const echo = { "x-echo": encodeURIComponent(JSON.stringify(headers)), "www-authenticate": words };
  switch (host) {
    case "ok": {
      const id = `p-${answers}`;
      const ids = { id, MessageId: id, MessageID: id, messageId: `<${id}@mail.test>` };
      return answer(202, { ...ids, echo: headers }, { ...echo, "x-message-id": id });
    }
    case "code":
      return answer(400, errors(words, secrets[0] ?? ""), { ...echo, "x-amzn-errortype": secrets[0] ?? "" });
    case "words":
      return answer(400, words, echo);
    case "long":
      return answer(400, errors(`${"x".repeat(140 + ((answers * 7) % 50))}${words}`, code), echo);
    case "lost":
      return { kind: "no_answer", reason: `The peer hung up, saying ${words}` };
    case "unsent":
      return { kind: "not_sent", code: "unreachable", reason: `No server there knows ${words}` };
    default:
      return answer(status, errors(words, code), echo);
  }
}

interface MailEvent {
  /** Our id. */
  id: string;
  words: string;
  /** Whether the mail came back; else it is late. */
  final: boolean;
  /** Takes the place where a vendor has a code. */
  code: string;
}

interface Call {
  query: string;
  headers: Record<string, string>;
  body: string;
}

const json = { "content-type": "application/json" };

/** An event as the vendor sends it. `now`: epoch ms. */
export function eventOf(vendor: Vendor, { id, words, final, code }: MailEvent, now: number): Call {
  const seconds = Math.floor(now / 1000);
  const ours = { trunkline_message: id };
  switch (vendor) {
    case "ses": {
      const diagnostics = [{ diagnosticCode: words, status: code }];
      const Message = JSON.stringify({
        eventType: final ? "Bounce" : "DeliveryDelay",
        mail: { messageId: `p-${id}`, tags: { trunkline_message: [id] } },
        bounce: { bounceType: "Permanent", bounceSubType: code, bouncedRecipients: diagnostics },
        deliveryDelay: { delayType: code, delayedRecipients: diagnostics },
      });
      const Timestamp = new Date(now).toISOString();
      const MessageId = `${id}${final}${words.length}`;
      const { headers, body } = posted(signed(envelope({ Message, MessageId, Timestamp })));
      return { query: "", headers, body: body.toString() };
    }
    case "sendgrid": {
      const event = {
        event: final ? "bounce" : "deferred",
        type: "bounce",
        status: code,
        reason: words,
        response: words,
      };
      const body = JSON.stringify([
        { ...event, ...ours, sg_event_id: `${final}${words.length}`, timestamp: seconds },
      ]);
      const { headers } = signedCall(Buffer.from(body), String(seconds));
      return { query: "", headers, body };
    }
    case "mailgun": {
      // One token for each event, as Mailgun has it.
      const token = hash("sha256", `${id} ${final} ${words}`);
      const signature = createHmac("sha256", planted.mailgunSigningKey)
        .update(`${seconds}${token}`)
        .digest("hex");
      const event = {
        event: "failed",
        severity: final ? "permanent" : "temporary",
        id: `${final}${words.length}`,
        timestamp: seconds,
        reason: code,
        "delivery-status": { description: words, message: words },
        "user-variables": ours,
      };
      const document = { signature: { timestamp: String(seconds), token, signature }, "event-data": event };
      return { query: "", headers: json, body: JSON.stringify(document) };
    }
    case "postmark": {
      const Type = final ? code : "Transient";
      const event = {
        RecordType: "Bounce",
        ID: words.length,
        Type,
        Inactive: true,
        Details: words,
        Metadata: ours,
      };
      return { query: `?token=${planted.postmarkCallbackToken}`, headers: json, body: JSON.stringify(event) };
    }
    case "resend": {
      const bounce = { type: "Permanent", subType: code, message: words };
      const data = { email_id: `p-${id}`, tags: ours, bounce };
      const body = JSON.stringify({ type: final ? "email.bounced" : "email.delivery_delayed", data });
      const headers = {
        ...json,
        "svix-id": `evt_${final}${words.length}`,
        "svix-timestamp": String(seconds),
        "svix-signature": new Webhook(planted.resendWebhookSecret).sign(
          `evt_${final}${words.length}`,
          new Date(now),
          body,
        ),
      };
      return { query: "", headers, body };
    }
    case "brevo": {
      const event = {
        event: final ? "hard_bounce" : "deferred",
        reason: words,
        "X-Mailin-custom": id,
        ts_epoch: now,
      };
      return { query: `?token=${planted.brevoCallbackToken}`, headers: json, body: JSON.stringify(event) };
    }
  }
}
