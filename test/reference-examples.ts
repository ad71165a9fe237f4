// The examples of the generated reference pages, and made-up values for what examples take from the environment.

import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { credentials } from "./providers/vertex/key-file.ts";

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Values that their schema reads. Every other `${NAME}` gets one that is made up. */
const formatted: Record<string, string> = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  GOOGLE_CREDENTIALS: credentials,
  AZURE_TENANT_ID: "acme.onmicrosoft.com",
  AZURE_CLIENT_ID: "01234567-89ab-cdef-0123-456789abcdef",
  TWILIO_ACCOUNT_SID: "AC0123456789",
  TWILIO_SID: "AC0123456789",
  SENDGRID_WEBHOOK_KEY: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  RESEND_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}`,
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}`,
};

export const environment = new Proxy(formatted, {
  get: (known, name: string) => known[name] ?? `made-up-${name.toLowerCase()}-0123456789abcdef`,
});

/** The YAML examples of a page below docs/reference, in their order. */
export const examplesOf = (page: string): string[] =>
  [
    ...readFileSync(new URL(`../docs/reference/${page}`, import.meta.url), "utf8").matchAll(
      /```yaml\n([^`]*)```/g,
    ),
  ].map(([, yaml]) => yaml!);
