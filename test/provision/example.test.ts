// The examples of the reference pages are files that Trunkline takes as they stand.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { adapters } from "#gateways/registry.ts";
import { providers } from "#providers/registry.ts";
import { applyProvision } from "#provision/apply.ts";
import { readProvisionFile } from "#provision/file.ts";
import { openConfiguring } from "../configure/deps.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-example-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const sendgridKey = publicKey.export({ type: "spki", format: "der" }).toString("base64");

const environment = {
  ACME_API_KEY: "tl_0123456789abcdef0123456789abcdef",
  ACME_POOL_KEY: "tlp_0123456789abcdef0123456789abcdef",
  OPENAI_API_KEY: "an openai key",
  ANTHROPIC_API_KEY: "an anthropic key",
  GEMINI_API_KEY: "a gemini key",
  SMS_TOKEN: "a provider's token",
  SMS_CALLBACK_TOKEN: "callback-token",
  TWILIO_ACCOUNT_SID: "AC0123456789",
  TWILIO_AUTH_TOKEN: "an auth token",
  SMTP_PASSWORD: "a mail server's password",
  SMPP_PASSWORD: "smpp-pw",
  WHATSAPP_TOKEN: "whatsapp-token",
  WHATSAPP_APP_SECRET: "whatsapp-app-secret-0123456789ab",
  WHATSAPP_VERIFY_TOKEN: "whatsapp-verify-token",
  VONAGE_API_SECRET: "vonage-secret",
  VONAGE_SIGNATURE_SECRET: "vonage-signature",
  PLIVO_AUTH_TOKEN: "plivo-token",
  PLIVO_CALLBACK_TOKEN: "plivo-callback-token",
  INFOBIP_API_KEY: "infobip-key",
  INFOBIP_CALLBACK_TOKEN: "infobip-callback-token",
  SINCH_API_TOKEN: "sinch-token",
  TELNYX_API_KEY: "telnyx-key",
  MESSAGEBIRD_ACCESS_KEY: "messagebird-key",
  MESSAGEBIRD_SIGNING_KEY: "messagebird-signing",
  BANDWIDTH_PASSWORD: "bandwidth-password",
  BANDWIDTH_CALLBACK_TOKEN: "bandwidth-callback-token",
  CLICKSEND_API_KEY: "clicksend-key",
  CLICKSEND_CALLBACK_TOKEN: "clicksend-callback-token",
  AFRICASTALKING_API_KEY: "africastalking-key",
  AFRICASTALKING_CALLBACK_TOKEN: "africastalking-token",
  TERMII_API_KEY: "termii-key",
  TERMII_SECRET_KEY: "termii-secret",
  ELKS_API_PASSWORD: "elks-password",
  ELKS_CALLBACK_TOKEN: "elks-callback-token",
  GATEWAYAPI_TOKEN: "gatewayapi-token",
  GATEWAYAPI_WEBHOOK_SECRET: "gatewayapi-secret",
  SEVEN_API_KEY: "seven-key",
  SEVEN_SIGNING_SECRET: "seven-secret",
  BULKSMS_TOKEN_SECRET: "bulksms-secret",
  BULKSMS_CALLBACK_TOKEN: "bulksms-callback-token",
  CLICKATELL_API_KEY: "clickatell-key",
  CLICKATELL_CALLBACK_TOKEN: "clickatell-callback-token",
  SMSGLOBAL_API_SECRET: "smsglobal-secret",
  SMSGLOBAL_CALLBACK_TOKEN: "smsglobal-callback-token",
  TEXTMAGIC_API_KEY: "textmagic-key",
  TEXTMAGIC_CALLBACK_TOKEN: "textmagic-callback-token",
  D7_API_TOKEN: "d7-token",
  KANNEL_PASSWORD: "kannel-password",
  KANNEL_CALLBACK_TOKEN: "kannel-callback-token",
  JASMIN_PASSWORD: "jasmin-password",
  JASMIN_CALLBACK_TOKEN: "jasmin-callback-token",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "an aws secret",
  SENDGRID_API_KEY: "a sendgrid key",
  SENDGRID_WEBHOOK_KEY: sendgridKey,
  MAILGUN_API_KEY: "a mailgun key",
  MAILGUN_SIGNING_KEY: "a signing key",
  POSTMARK_SERVER_TOKEN: "a server token",
  POSTMARK_CALLBACK_TOKEN: "a callback token of ours",
  RESEND_API_KEY: "a resend key",
  RESEND_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}`,
  BREVO_API_KEY: "a brevo key",
  BREVO_CALLBACK_TOKEN: "a callback token of ours",
};

const examplesOf = (page: string) =>
  [
    ...readFileSync(new URL(`../../docs/reference/${page}`, import.meta.url), "utf8").matchAll(
      /```yaml\n([^`]*)```/g,
    ),
  ].map(([, yaml]) => yaml!);

async function applied(yaml: string): Promise<void> {
  const path = join(folder, "provision.yaml");
  writeFileSync(path, yaml);
  const read = readProvisionFile(path, environment);
  assert.ok("file" in read, JSON.stringify(read));
  const open = await openConfiguring();
  assert.deepEqual(await applyProvision(open.deps, read.file), { errors: [], made: [] });
  await open.close();
}

test("the full example of the provisioning page", async () => {
  const [example, ...more] = examplesOf("provisioning.md");
  assert.deepEqual(more, []);
  await applied(example!);
});

test("the example of every kind of gateway", async () => {
  const examples = examplesOf("gateways.md");
  assert.equal(examples.length, adapters.length);
  for (const example of examples) {
    const indented = example.replace(/^(?=.)/gm, "      ");
    await applied(
      `accounts:\n  - name: acme\n    api_key: ${environment.ACME_API_KEY}\n    gateways:\n${indented}`,
    );
  }
});

test("the example of every kind of provider", async () => {
  const examples = examplesOf("providers.md");
  assert.equal(examples.length, providers.length);
  for (const example of examples) {
    const indented = example.replace(/^(?=.)/gm, "          ");
    await applied(
      `accounts:\n  - name: acme\n    api_key: ${environment.ACME_API_KEY}\n    pools:\n      - name: default\n        members:\n${indented}`,
    );
  }
});
