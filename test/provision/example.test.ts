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
import { credentials } from "../providers/vertex/key-file.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-example-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const sendgridKey = publicKey.export({ type: "spki", format: "der" }).toString("base64");

/** Values that their schema reads. Every other `${NAME}` gets one that is made up. */
const formatted: Record<string, string> = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  GOOGLE_CREDENTIALS: credentials,
  TWILIO_ACCOUNT_SID: "AC0123456789",
  SENDGRID_WEBHOOK_KEY: sendgridKey,
  RESEND_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}`,
};
const environment = new Proxy(formatted, {
  get: (known, name: string) => known[name] ?? `made-up-${name.toLowerCase()}-0123456789abcdef`,
});

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
  try {
    assert.deepEqual(await applyProvision(open.deps, read.file), { errors: [], made: [] });
  } finally {
    await open.close();
  }
}

test("the full example of the provisioning page", async () => {
  const [example, ...more] = examplesOf("provisioning.md");
  assert.deepEqual(more, []);
  await applied(example!);
});

test("the example of every kind of gateway", async () => {
  const examples = examplesOf("gateways.md");
  assert.equal(examples.length, adapters.length);
  const phone = examples.find((example) => example.includes("kind: android") && !example.includes("spread"))!;
  for (const example of examples) {
    // A spread names the phone of the other example.
    const whole = example.includes("kind: spread") ? phone + example : example;
    const indented = whole.replace(/^(?=.)/gm, "      ");
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
