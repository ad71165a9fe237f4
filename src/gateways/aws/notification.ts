// Verifies the messages of Amazon SNS that arrive over HTTPS
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). The message names the certificate that proves it, so
// its URL is critical: only SNS's own host in the topic's region is called, and only for our topic. The envelope is flat and has a dozen
// texts; the event inside it is parsed after the signature was verified.

import { verify, X509Certificate } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import type { CallbackTools } from "#gateways/connection.ts";
import { type Json, parseUnverified, textAt } from "#gateways/json-path.ts";
import { eventTime, isFresh } from "#gateways/vendor-event.ts";

/** The name of an SNS topic, with its region and partition. */
export const topicPattern = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[\w-]{1,256}$/;

type Notification =
  | { kind: "notification"; id: string; message: string }
  /** A GET of `url` confirms the subscription. */
  | { kind: "subscription"; url: string }
  /** The subscription was ended; there is nothing to do. */
  | { kind: "ended" }
  | { kind: "forbidden" | "unavailable" | "malformed"; reason: string };

/** What verifying a signature needs. */
type VerifyTools = Pick<CallbackTools, "clock" | "outbound">;

/** Loads SNS's signing certificate from a URL. `forbidden`: the URL has no certificate. */
type Certificates = (
  url: string,
  tools: VerifyTools,
) => Promise<X509Certificate | "forbidden" | "unavailable">;

/** The verified message of a callback. Everything else is `forbidden`, including unreadable messages: they are not signed. */
export async function verifiedNotification(
  callback: CallbackRequest,
  topic: string,
  certificates: Certificates,
  tools: VerifyTools,
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

/** Name and value of each signed field, each on its own line; the subject only if there is one. */
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

const maxCached = 20;
const maxConcurrentFetches = 4;
const fetchTimeoutMs = 5000;
const maxCertificateBytes = 64 * 1024;

/**
 * Caches at most 20 certificates: Amazon uses a few at a time, and each new one has another name. At most 4 are fetched concurrently, so
 * that forged callbacks cannot make this server send requests without end.
 */
export function createCertificates(): Certificates {
  const cache = new Map<string, X509Certificate>();
  const pending = new Map<string, ReturnType<Certificates>>();

  async function load(url: string, { outbound }: VerifyTools): ReturnType<Certificates> {
    const result = await outbound.request({
      method: "GET",
      url,
      timeoutMs: fetchTimeoutMs,
      maxBytes: maxCertificateBytes,
    });
    if (result.kind !== "answer" || result.status >= 500 || result.status === 429) return "unavailable";
    if (result.status !== 200) return "forbidden";
    try {
      const certificate = new X509Certificate(result.body);
      if (certificate.publicKey.asymmetricKeyType !== "rsa") return "forbidden";
      if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
      cache.set(url, certificate);
      return certificate;
    } catch {
      return "forbidden";
    }
  }

  return async (url, tools) => {
    const known = cache.get(url) ?? pending.get(url);
    if (known !== undefined) return known;
    if (pending.size >= maxConcurrentFetches) return "unavailable";
    const fetching = load(url, tools).finally(() => pending.delete(url));
    pending.set(url, fetching);
    return fetching;
  };
}
