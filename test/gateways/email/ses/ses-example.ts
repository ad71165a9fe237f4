// An SES gateway, its SNS topic with a signing certificate of its own, and second implementations of both signatures
// that share nothing with the adapter's: the certificate is written as DER by hand, the texts by AWS's documentation.

import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import type { Unsigned } from "../../conformance-callbacks.ts";
import { callbackUrl } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";

export const secretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
export const topic = "arn:aws:sns:eu-central-1:123456789012:mail-events";
export const settings = {
  from: "news@example.com",
  from_name: "Example",
  region: "eu-central-1",
  access_key_id: "AKIDEXAMPLEAKIDEXAMPLE",
  secret_access_key: secretKey,
  configuration_set: "main",
  topic_arn: topic,
};
export const sentAt = "2026-11-20T11:59:58.123Z";
const snsHost = "https://sns.eu-central-1.amazonaws.com";
export const certificateUrl = `${snsHost}/SimpleNotificationService-60eadc530605d63b8e62a523676ef735.pem`;
export const subscribeUrl = `${snsHost}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb687f5d51e6e2425c464dec`;

export const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)),
  );
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** A self-signed certificate (RFC 5280), valid between two times like `20200101000000Z`. */
export function certificate(
  pair: { publicKey: KeyObject; privateKey: KeyObject },
  from: string,
  to: string,
): string {
  const algorithm = der(0x30, "06092a864886f70d01010b0500");
  const commonName = der(0x30, "0603550403", der(0x0c, Buffer.from("sns.amazonaws.com")));
  const name = der(0x30, der(0x31, commonName));
  const validity = der(0x30, der(0x18, Buffer.from(from)), der(0x18, Buffer.from(to)));
  const publicKey = pair.publicKey.export({ type: "spki", format: "der" });
  const body = der(0x30, "020101", algorithm, name, validity, name, publicKey);
  const signature = createSign("sha256").update(body).sign(pair.privateKey);
  const base64 = der(0x30, body, algorithm, der(0x03, "00", signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

export const validCertificate = certificate(keys, "20200101000000Z", "21200101000000Z");

/** Amazon's host of certificates, and nothing else. */
export const amazon = () =>
  scriptedOutbound(({ url }) => (url === certificateUrl ? answer(200, validCertificate) : answer(404)));

export type Message = Record<string, string>;

/** An SNS message that is right but for the signature. */
export function envelope(change: Message = {}): Message {
  return {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: topic,
    Message: "{}",
    Timestamp: sentAt,
    SignatureVersion: "2",
    SigningCertURL: certificateUrl,
    ...change,
  };
}

export const subscription = (change: Message = {}) =>
  envelope({
    Type: "SubscriptionConfirmation",
    Message: "You have chosen to subscribe to the topic.",
    Token: "2336412f37fb687f5d51e6e2425c464dec",
    SubscribeURL: subscribeUrl,
    ...change,
  });

/** Signed by the words of the documentation: the fields' names in byte order, each name and value on its line. */
export function signed(message: Message, key: KeyObject = keys.privateKey): Message {
  const fields = [
    "Message",
    "MessageId",
    "SubscribeURL",
    "Subject",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type",
  ];
  const lines = fields
    .filter((name) => Object.hasOwn(message, name))
    .flatMap((name) => [name, message[name]]);
  const hash = message.SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256";
  const Signature = createSign(hash)
    .update(`${lines.join("\n")}\n`)
    .sign(key, "base64");
  return { ...message, Signature };
}

/** As SNS posts it. */
export function posted(message: Message): CallbackRequest {
  return {
    method: "POST",
    url: callbackUrl,
    query: new URLSearchParams(),
    headers: {
      "content-type": "text/plain; charset=UTF-8",
      "x-amz-sns-message-type": message.Type ?? "",
      "x-amz-sns-topic-arn": message.TopicArn ?? "",
    },
    body: Buffer.from(JSON.stringify(message)),
  };
}

/** For the suite: the bytes become the text of a notification. */
export function sign({ method, body }: Unsigned): CallbackRequest {
  return { ...posted(signed(envelope({ Message: body.toString("utf8") }))), method };
}

/** The headers of one POST to SES at 2026-11-20T12:00:00Z. */
export function awsHeaders(host: string, path: string, body: string): Record<string, string> {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const canonical = `POST\n${path}\n\naccept:application/json\ncontent-type:application/json\nhost:${host}\nx-amz-date:20261120T120000Z\n\naccept;content-type;host;x-amz-date\n${hash(body)}`;
  const scope = "20261120/eu-central-1/ses/aws4_request";
  const text = `AWS4-HMAC-SHA256\n20261120T120000Z\n${scope}\n${hash(canonical)}`;
  const key = mac(mac(mac(mac(`AWS4${secretKey}`, "20261120"), "eu-central-1"), "ses"), "aws4_request");
  return {
    accept: "application/json",
    "content-type": "application/json",
    "x-amz-date": "20261120T120000Z",
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLEAKIDEXAMPLE/${scope}, SignedHeaders=accept;content-type;host;x-amz-date, Signature=${mac(key, text).toString("hex")}`,
  };
}
