// The examples of the reference pages are files that Trunkline takes as they stand.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { adapters } from "#gateways/registry.ts";
import { providers } from "#providers/registry.ts";
import { applyProvision } from "#provision/apply.ts";
import { readProvisionFile } from "#provision/file.ts";
import { openConfiguring } from "../configure/deps.ts";
import { environment, examplesOf } from "../reference-examples.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-example-"));
after(() => rmSync(folder, { recursive: true, force: true }));

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
