// The settings of an `smtp` gateway, and what is derived from them: where and how to connect, and which key signs. Encryption never depends
// on what the server offers: without it the connection is closed.

import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { readAddress } from "#contract/address.ts";
import { callbackTokenField } from "#gateways/callback-token.ts";
import { privateKeyRule, readPrivateKey } from "#gateways/email/mime/dkim-key.ts";
import { emailFields } from "#gateways/email/settings.ts";
import type { DkimKey } from "#gateways/message.ts";
import { secret } from "#settings/secrets.ts";
import { hostField, hostUrl } from "#settings/url.ts";

const isCertificate = (pem: string) => {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
};

const dkim = z
  .strictObject({
    domain: z
      .string()
      .refine((name) => readAddress(`a@${name}`) !== null, { error: "Must be a domain name." })
      .describe("The domain that signs."),
    selector: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/i, "Must be a selector, such as mail2026.")
      .describe("The selector of the public key in DNS."),
    private_key: secret()
      .refine((pem) => readPrivateKey(pem) !== null, { error: privateKeyRule })
      .describe("The private key in PEM."),
  })
  .optional()
  .describe("A key of your own that signs every mail, instead of those of the account's sending domains.");

export const smtpSettings = z
  .strictObject({
    host: hostField().describe("The mail server that accepts mails for delivery."),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe("Default: 587 with `starttls`, 465 with `tls`, 25 with `none`."),
    security: z
      .enum(["starttls", "tls", "none"])
      .default("starttls")
      .describe(
        "How the connection is encrypted. `starttls`: by STARTTLS, which is required and never skipped. `tls`: from the start. `none`: not at all.",
      ),
    ca: z
      .string()
      .refine(isCertificate, { error: "Must be a certificate in PEM." })
      .optional()
      .describe(
        "The certificate authority, or a self-signed server's own certificate (PEM), to trust instead of the public ones.",
      ),
    username: z.string().min(1).optional().describe("Signs in with this name; needs `password`."),
    password: secret().optional().describe("The password of `username`."),
    ...emailFields,
    dkim,
    callback_token: callbackTokenField.describe(
      "Authenticates the mail server that posts returned mails (`message/rfc822`) to the callback URL: as `?token=…`, as its Basic password or as a Bearer token. Without it they are refused.",
    ),
    name: z
      .string()
      .regex(/^[a-z0-9.:[\]_-]{1,255}$/i, "Must be a host name.")
      .optional()
      .describe("What this server calls itself to the mail server (EHLO). Default: the machine's full name."),
    timeout_ms: z
      .int()
      .min(1000)
      .max(300_000)
      .default(30_000)
      .describe(
        "How long each step may take, ms: connecting, signing in, the envelope, each piece of the mail. The answer to the whole mail may take ten minutes.",
      ),
  })
  .refine(({ username, password }) => (username === undefined) === (password === undefined), {
    path: ["password"],
    error: "Give `username` and `password` together, or neither.",
  });

export type SmtpSettings = z.output<typeof smtpSettings>;

/** Where and how to connect. */
export interface SmtpTarget {
  host: string;
  port: number;
  security: SmtpSettings["security"];
  auth: { user: string; pass: string } | null;
  name: string | null;
  ca: string | null;
  /** Texts that must not appear in a reason. */
  secrets: readonly string[];
}

const defaultPorts = { starttls: 587, tls: 465, none: 25 } as const;

export function smtpTarget(settings: SmtpSettings): SmtpTarget {
  const { host, security, username, password } = settings;
  const auth = username === undefined || password === undefined ? null : { user: username, pass: password };
  return {
    host,
    port: settings.port ?? defaultPorts[security],
    security,
    auth,
    name: settings.name ?? null,
    ca: settings.ca ?? null,
    secrets: [
      settings.callback_token ?? "",
      ...(auth === null ? [] : [auth.pass, ...encodedCredentials(auth)]),
    ],
  };
}

/** As AUTH PLAIN and LOGIN encode them, and as their bytes are read in a report: a server may repeat what it received. */
function encodedCredentials({ user, pass }: { user: string; pass: string }): string[] {
  const encoded = [pass, `\0${user}\0${pass}`].map((text) => Buffer.from(text).toString("base64"));
  return [...encoded, Buffer.from(pass).toString("latin1")];
}

/** The mail server as a URL, for the outbound guard. */
export function targetUrl(settings: SmtpSettings): string {
  const { host, port } = smtpTarget(settings);
  return hostUrl(host, port);
}

/** The DKIM key in the settings. Null if they have none. */
export function configuredDkimKey({ dkim }: SmtpSettings): DkimKey | null {
  if (dkim === undefined) return null;
  const { domain, selector, private_key } = dkim;
  const parsed = readPrivateKey(private_key);
  return parsed && { domain, selector, algorithm: parsed.algorithm, privateKey: parsed.key };
}
