// How vendors sign their callbacks, written from their documentation and apart from the adapters. Vendors that are not listed send
// the token of the gateway's settings.

import { createHash, createHmac, createPrivateKey, sign } from "node:crypto";
import type { CallbackRequest } from "#gateways/callback.ts";
import type { CallbackCases, Unsigned } from "../../conformance-callbacks.ts";
import { callbackUrl, now } from "../../conformance-samples.ts";
import * as ses from "../../email/ses/ses-example.ts";

type Settings = Record<string, unknown>;
type Signing = Pick<CallbackCases, "sign" | "covers" | "withoutSecret"> &
  Partial<Pick<CallbackCases, "strip" | "unsigned" | "outbound" | "readsQuery">>;

const seconds = String(now / 1000);
const nothing = { body: false, url: false };
const body = { body: true, url: false };

/** The call as it is sent, with headers that prove it. */
function call(
  { method, query, contentType, body: bytes }: Unsigned,
  headers: Record<string, string>,
  more: [string, string][] = [],
): CallbackRequest {
  const parameters = new URLSearchParams([...query, ...more]);
  const url = parameters.size === 0 ? callbackUrl : `${callbackUrl}?${parameters}`;
  return {
    method,
    url,
    query: parameters,
    headers: { "content-type": contentType, ...headers },
    body: bytes,
  };
}

const without =
  (...names: string[]): Signing["withoutSecret"] =>
  (settings: Settings) =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));

const hmacOf = (hash: string, key: unknown, text: string | Buffer) =>
  createHmac(hash, String(key)).update(text);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** RFC 7519, by hand. */
export function jwtOf(claims: object, key: unknown, algorithm = "HS256"): string {
  const text = `${base64url({ alg: algorithm, typ: "JWT" })}.${base64url(claims)}`;
  return `${text}.${hmacOf(algorithm.replace("HS", "sha"), key, text).digest("base64url")}`;
}

export const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

/** The private key of RFC 8032, 7.1, test 1, whose public key is in Telnyx's settings. */
const ed25519Key = createPrivateKey({
  key: Buffer.from(
    `302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60`,
    "hex",
  ),
  format: "der",
  type: "pkcs8",
});

export const signers: Record<string, (settings: Settings) => Signing> = {
  telnyx: () => ({
    sign: (unsigned) => {
      const text = Buffer.concat([Buffer.from(`${seconds}|`), unsigned.body]);
      return call(unsigned, {
        "telnyx-signature-ed25519": sign(null, text, ed25519Key).toString("base64"),
        "telnyx-timestamp": seconds,
      });
    },
    withoutSecret: without("public_key"),
    covers: body,
  }),
  vonage: ({ signature_secret }) => ({
    sign: (unsigned) => {
      const claims = { iat: now / 1000, api_key: "key", payload_hash: sha256(unsigned.body) };
      return call(unsigned, { authorization: `Bearer ${jwtOf(claims, signature_secret)}` });
    },
    withoutSecret: without("signature_secret"),
    covers: body,
    unsigned: "unavailable",
  }),
  plivo: ({ auth_token, callback_token }) => ({
    sign: (unsigned) => {
      const signature = hmacOf("sha256", auth_token, `${callbackUrl}nonce-1`).digest("base64");
      return call(unsigned, { "x-plivo-signature-v2": signature, "x-plivo-signature-v2-nonce": "nonce-1" }, [
        ["token", String(callback_token)],
      ]);
    },
    withoutSecret: (settings: Settings) => ({ ...settings, auth_token: "" }),
    covers: nothing,
    readsQuery: true,
  }),
  "aws-sms": () => ({
    sign: ses.sign,
    withoutSecret: without("topic_arn", "inbound_topic_arn"),
    covers: body,
    outbound: ses.amazon(),
  }),
  messagebird: ({ signing_key }) => ({
    sign: (unsigned) => {
      const { url } = call(unsigned, {});
      const claims = {
        iss: "MessageBird",
        nbf: now / 1000,
        exp: now / 1000 + 60,
        jti: "j1",
        url_hash: sha256(url),
        ...(unsigned.body.length === 0 ? {} : { payload_hash: sha256(unsigned.body) }),
      };
      return call(unsigned, { "messagebird-signature-jwt": jwtOf(claims, signing_key, "HS512") });
    },
    withoutSecret: without("signing_key"),
    covers: { body: true, url: true },
  }),
  termii: ({ secret_key }) => ({
    sign: (unsigned) =>
      call(unsigned, { "x-termii-signature": hmacOf("sha512", secret_key, unsigned.body).digest("hex") }),
    withoutSecret: without("secret_key"),
    covers: body,
  }),
  gatewayapi: ({ webhook_secret }) => ({
    // The claims are the event; the body that comes with them says the same and is not proved.
    sign: (unsigned) => {
      let claims: object = {};
      try {
        claims = JSON.parse(unsigned.body.toString()) ?? {};
      } catch {}
      return call(
        { ...unsigned, body: Buffer.from('{"id":1,"status":"DELIVERED"}') },
        { "x-gwapi-signature": jwtOf(claims, webhook_secret) },
      );
    },
    withoutSecret: without("webhook_secret"),
    covers: nothing,
  }),
  seven: ({ signing_secret }) => ({
    sign: (unsigned) => {
      const { url } = call(unsigned, {});
      const digest = createHash("md5").update(unsigned.body).digest("hex");
      const text = [seconds, "n1", unsigned.method, url, digest].join("\n");
      return call(unsigned, {
        "x-signature": hmacOf("sha256", signing_secret, text).digest("hex"),
        "x-timestamp": seconds,
        "x-nonce": "n1",
      });
    },
    withoutSecret: without("signing_secret"),
    covers: { body: true, url: true },
  }),
  sinch: ({ webhook_secret }) => ({
    sign: (unsigned) => {
      const text = Buffer.concat([unsigned.body, Buffer.from(`.n1.${seconds}`)]);
      return call(unsigned, {
        "x-sinch-webhook-signature": hmacOf("sha256", webhook_secret, text).digest("base64"),
        "x-sinch-webhook-signature-nonce": "n1",
        "x-sinch-webhook-signature-timestamp": seconds,
      });
    },
    withoutSecret: without("webhook_secret", "callback_token"),
    covers: body,
  }),
};

/** The signing of a kind. */
export function signingOf(kind: string, settings: Settings): Signing {
  const signer = signers[kind];
  if (signer !== undefined) return signer(settings);
  return {
    sign: (unsigned) => call(unsigned, {}, [["token", String(settings.callback_token)]]),
    withoutSecret: without("callback_token"),
    covers: nothing,
    readsQuery: true,
  };
}
