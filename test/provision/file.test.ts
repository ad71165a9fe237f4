// The provisioning file: read whole or refused with every fault, in its place, and never with a secret.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { type ProvisionFile, readProvisionFile } from "#provision/file.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-provision-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "provision.yaml");

function read(text: string, environment: Record<string, string> = {}) {
  writeFileSync(path, text);
  return readProvisionFile(path, environment);
}

function good(text: string, environment: Record<string, string> = {}): ProvisionFile {
  const result = read(text, environment);
  assert.ok("file" in result, JSON.stringify(result));
  return result.file;
}

function errors(text: string, environment: Record<string, string> = {}): string[] {
  const result = read(text, environment);
  return "errors" in result ? result.errors : [];
}

const key = "tl_0123456789abcdef0123456789abcdef";

test("YAML and JSON say the same", () => {
  const yaml = `
accounts:
  - name: acme
    api_key: ${key}
    plan: { name: basic, expires_at: 2027-01-01T00:00:00Z, credit: { sms: 1000 } }
    gateways:
      - { identifier: sms-main, channel: sms, kind: sandbox, default: true }
`;
  const json = JSON.stringify({
    accounts: [
      {
        name: "acme",
        api_key: key,
        plan: { name: "basic", expires_at: "2027-01-01T00:00:00Z", credit: { sms: 1000 } },
        gateways: [{ identifier: "sms-main", channel: "sms", kind: "sandbox", default: true }],
      },
    ],
  });
  const file = good(yaml);
  assert.deepEqual(file, good(json));
  assert.equal(file.accounts[0]?.gateways[0]?.pace.concurrency, 8, "defaults are filled in");
});

test("an empty file, and one without accounts, name nothing", () => {
  for (const text of ["", "# nothing yet\n", "{}", "accounts: []"])
    assert.deepEqual(good(text), { accounts: [], management_tokens: [] });
});

test("environment variables are filled into texts, once, and all missing ones reported", () => {
  const text = `accounts: [{ name: "\${NAME}-\${NAME}", api_key: "\${KEY}" }]`;
  const [account] = good(text, { NAME: `\${KEY}`, KEY: key }).accounts;
  assert.equal(account?.name, `\${KEY}-\${KEY}`, "what a variable holds is text");
  assert.equal(account?.api_key, key);
  assert.equal(good(`accounts: [{ name: "$NAME \${} \${1X}" }]`).accounts[0]?.name, `$NAME \${} \${1X}`);
  const missing = errors(text);
  assert.ok(missing.includes("The environment variable NAME is not set."));
  assert.ok(missing.includes("The environment variable KEY is not set."));
  assert.equal(new Set(missing).size, missing.length, "each once");
});

test("every fault is reported at once, in its place", () => {
  const found = errors(`
accounts:
  - name: ""
    time_zone: Mars/Olympus
    api_key: short
    colour: red
    gateways:
      - { identifier: "a b", channel: fax, kind: sandbox, pace: { hours: always } }
  - plan: { name: x, credit: { sms: -1 } }
webhook: []
`);
  for (const start of [
    "accounts.0.name: ",
    "accounts.0.time_zone: is not a time zone",
    "accounts.0.api_key: must have at least 20 characters",
    'accounts.0: Unrecognized key: "colour"',
    "accounts.0.gateways.0.identifier: must be 1 to 100",
    "accounts.0.gateways.0.channel: ",
    "accounts.0.gateways.0.pace.hours: must look like",
    "accounts.1.name: ",
    "accounts.1.plan.credit.sms: ",
    'file: Unrecognized key: "webhook"',
  ]) {
    assert.ok(
      found.some((error) => error.startsWith(start)),
      `${start}\n${found.join("\n")}`,
    );
  }
  assert.equal(found.length, 10);
});

test("what is given twice is refused: account names, gateway identifiers, API keys", () => {
  const gateway = "{ identifier: same, channel: sms, kind: sandbox }";
  assert.deepEqual(
    errors(
      `accounts: [{ name: a, api_key: ${key}, gateways: [${gateway}] }, { name: b, api_key: ${key}, gateways: [${gateway}] }, { name: a }]`,
    ),
    [
      "accounts: a is given twice",
      "accounts: b has the api_key of another account",
      "gateways: same is given twice",
    ],
  );
});

test("what is no YAML is refused with its line, what cannot be read with its reason", () => {
  assert.deepEqual(errors("accounts:\n  - name: [unclosed\n    canary: 1\n"), [
    "The provisioning file is not YAML or JSON (line 3).",
  ]);
  for (const text of ["- a\n- b", "just text", "5"]) assert.equal(errors(text).length, 1, text);
  assert.deepEqual(readProvisionFile(join(folder, "none.yaml"), {}), {
    errors: ["The provisioning file cannot be read: ENOENT."],
  });
});

test("aliases that grow without end are refused", () => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (const [from, to] of ["ab", "bc", "cd", "de"].map((pair) => [...pair])) {
    bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
  }
  assert.deepEqual(errors(bomb.join("\n")), ["The provisioning file is not YAML or JSON."]);
});

test("a fault never repeats a value", () => {
  const canary = "canary0canary0canary0canary0canary0canary0";
  const wrong = `
accounts:
  - name: [${canary}]
    time_zone: ${canary}
    country: ${canary}
    api_key: [${canary}]
    plan: { name: x, expires_at: ${canary}, credit: { sms: ${canary} }, renews: ${canary} }
    rate_limit: ${canary}
    gateways: [{ identifier: " ${canary}", channel: ${canary}, kind: sandbox, active: ${canary}, settings: ${canary}, on_unknown: ${canary}, pace: { hours: ${canary} } }]
`;
  const found = errors(wrong);
  assert.ok(found.length >= 12, found.join("\n"));
  assert.ok(!found.join("\n").includes(canary));
  assert.ok(!errors(`accounts: "\${SECRET}"`, { SECRET: canary }).join().includes(canary));
});
