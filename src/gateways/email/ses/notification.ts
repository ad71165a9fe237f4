// Amazon SNS messages as they come over HTTPS, verified
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). The sender names the certificate that
// proves it, so the URL decides: only SNS's own host in the topic's region is asked, and only for our topic. The envelope
// is flat and has a dozen texts; the event inside it is parsed when the signature fits.

import { verify, X509Certificate } from "node:crypto";
import { eventTime, isFresh } from "#gateways/email/http-mail.ts";
import type { CallbackRequest, CallbackTools } from "#gateways/gateway.ts";
import { type Json, parseUnverified, textAt } from "#gateways/sms/http-api/json-path.ts";

/** The name of an SNS topic, with its region and partition. */
export const topicPattern = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[\w-]{1,256}$/;

export type Notification =
  | { kind: "notification"; id: string; message: string }
  /** `url`: confirms the subscription when it is visited. */
  | { kind: "subscription"; url: string }
  /** Nothing to do: the subscription was ended. */
  | { kind: "ended" }
  | { kind: "forbidden" | "unavailable" | "malformed"; reason: string };

/** What a signature is judged with. */
type Judging = Pick<CallbackTools, "clock" | "outbound">;

/** Fetches SNS's signing certificate at a URL; `forbidden`: there is none. */
export type Certificates = (
  url: string,
  tools: Judging,
) => Promise<X509Certificate | "forbidden" | "unavailable">;

/** The verified message of a callback. Every doubt is `forbidden`, also what cannot be read: nobody has signed it. */
export async function verifiedNotification(
  callback: CallbackRequest,
  topic: string,
  certificates: Certificates,
  tools: Judging,
): Promise<Notification> {
  const json = parseUnverified(callback.body) ?? null;
  const field = (name: string) => textAt(json, `$.${name}`);
  const type = field("Type");
  if (type === null || callback.headers["x-amz-sns-message-type"] !== type) {
    return forbidden("The callback is no message of Amazon SNS.");
  }
  if (field("TopicArn") !== topic) return forbidden("The message is of another topic.");
  if (!isFresh(eventTime(field("Timestamp")), tools.clock.now())) return forbidden("The message is too old.");
  const hosts = snsHost(topic);
  const url = field("SigningCertURL") ?? "";
  if (!certificateUrl(url, hosts)) return forbidden("The signing certificate is not on Amazon SNS's host.");
  const text = signedText(json, type);
  const hash = hashes.get(field("SignatureVersion") ?? "");
  const signature = field("Signature");
  if (text === null || hash === undefined || signature === null)
    return forbidden("The message is not signed.");
  const certificate = await certificates(url, tools);
  if (certificate === "unavailable") {
    return { kind: "unavailable", reason: "Amazon's signing certificate could not be fetched." };
  }
  if (certificate === "forbidden" || !isValid(certificate, tools.clock.now())) {
    return forbidden("The signing certificate is not valid.");
  }
  if (!verify(hash, Buffer.from(text), certificate.publicKey, Buffer.from(signature, "base64"))) {
    return forbidden("The signature does not fit.");
  }
  return meaning(type, field, hosts);
}

function forbidden(reason: string): Notification {
  return { kind: "forbidden", reason };
}

function meaning(type: string, field: (name: string) => string | null, host: string): Notification {
  switch (type) {
    case "Notification":
      return { kind: "notification", id: field("MessageId") ?? "", message: field("Message") ?? "" };
    case "UnsubscribeConfirmation":
      return { kind: "ended" };
    default: {
      const url = URL.parse(field("SubscribeURL") ?? "");
      return url?.protocol === "https:" && url.host === host
        ? { kind: "subscription", url: url.href }
        : { kind: "malformed", reason: "The subscription's URL is not on Amazon SNS's host." };
    }
  }
}

const hashes = new Map([
  ["1", "sha1"],
  ["2", "sha256"],
]);

const signedFields = new Map([
  ["Notification", ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]],
  ...["SubscriptionConfirmation", "UnsubscribeConfirmation"].map(
    (type) =>
      [type, ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]] as const,
  ),
] as [string, readonly string[]][]);

/** Name and value of each signed field, on lines of their own; a subject only where there is one. */
function signedText(json: Json, type: string): string | null {
  let text = "";
  const names = signedFields.get(type);
  if (names === undefined) return null;
  for (const name of names) {
    const value = textAt(json, `$.${name}`);
    if (value === null && name !== "Subject") return null;
    if (value !== null) text += `${name}\n${value}\n`;
  }
  return text;
}

/** The host of SNS in the topic's region. */
function snsHost(topic: string): string {
  const [, partition, region] = topicPattern.exec(topic) ?? [];
  return `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
}

function certificateUrl(text: string, host: string): boolean {
  const prefix = `https://${host}/SimpleNotificationService-`;
  return text.startsWith(prefix) && /^[0-9a-f]{8,64}\.pem$/.test(text.slice(prefix.length));
}

function isValid(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
}

const mostKept = 20;
const mostFetched = 4;
const fetchTimeoutMs = 5000;
const longestCertificate = 64 * 1024;

/**
 * Keeps the certificates that it fetched, at most 20: Amazon uses a few at a time, and the name changes with each new
 * one. At most 4 are fetched at once, so that forged callbacks are no way to make this server ask Amazon without end.
 */
export function createCertificates(): Certificates {
  const kept = new Map<string, X509Certificate>();
  const underWay = new Map<string, ReturnType<Certificates>>();

  async function fetched(url: string, { outbound }: Judging): ReturnType<Certificates> {
    const result = await outbound.request({
      method: "GET",
      url,
      timeoutMs: fetchTimeoutMs,
      maxBytes: longestCertificate,
    });
    if (result.kind !== "answer" || result.status >= 500 || result.status === 429) return "unavailable";
    if (result.status !== 200) return "forbidden";
    try {
      const certificate = new X509Certificate(result.body);
      if (certificate.publicKey.asymmetricKeyType !== "rsa") return "forbidden";
      if (kept.size >= mostKept) kept.delete(kept.keys().next().value!);
      kept.set(url, certificate);
      return certificate;
    } catch {
      return "forbidden";
    }
  }

  return async (url, tools) => {
    const known = kept.get(url) ?? underWay.get(url);
    if (known !== undefined) return known;
    if (underWay.size >= mostFetched) return "unavailable";
    const fetching = fetched(url, tools).finally(() => underWay.delete(url));
    underWay.set(url, fetching);
    return fetching;
  };
}
