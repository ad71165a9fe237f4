// `trunkline provision --check`: what a start would say of a provisioning file, without a start.

import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { commands } from "./commands.ts";

const { folder, call } = commands();
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const leftOver = () => readdirSync(tmpdir()).filter((name) => name.startsWith("trunkline-provision-"));

test("a file that a fresh installation takes is counted, and nothing is kept", async () => {
  const path = file(
    "good.yaml",
    `accounts:
  - name: acme
    gateways:
      - { identifier: sms-main, channel: sms, kind: sandbox, default: true }
      - { identifier: mail, channel: email, kind: smtp, settings: { host: mail.test, from: a@acme.test } }
    pools:
      - name: chat
        members: [{ name: one, kind: sandbox, models: [echo] }]
`,
  );
  const { code, out, error } = await call("data", "provision", path, "--check");
  assert.equal(code, 0, error);
  assert.equal(
    out,
    "A fresh installation takes the file: 1 account, 2 gateways, 1 pool, 0 webhooks, 0 management tokens. Nothing was changed.\n",
  );
  assert.equal(existsSync(join(folder, "data")), false, "the installation was opened");
  assert.deepEqual(leftOver(), []);
});

test("every fault is said with its place: of the form, of a gateway's settings, and of a variable", async () => {
  const wrong = file(
    "wrong.yaml",
    `accounts:
  - name: acme
    gateways:
      - { identifier: a, channel: sms, kind: twilio, settings: { account_sid: no } }
`,
  );
  const settings = await call("data", "provision", wrong, "--check");
  assert.equal(settings.code, 1);
  assert.match(settings.error, /gateway a: settings\.auth_token/);
  const form = await call(
    "data",
    "provision",
    file("form.yaml", `accounts: [{ name: acme, api_key: "$${"{NO_SUCH_VARIABLE}"}", gateway: [] }]`),
    "--check",
  );
  assert.equal(form.code, 1);
  assert.match(form.error, /NO_SUCH_VARIABLE is not set/);
  const missing = await call("data", "provision", join(folder, "none.yaml"), "--check");
  assert.match(missing.error, /cannot be read: ENOENT/);
  assert.deepEqual(leftOver(), []);
});

test("without --check it says what is missing and changes nothing", async () => {
  const { code, error } = await call("data", "provision", join(folder, "good.yaml"));
  assert.equal(code, 2);
  assert.match(error, /--check/);
});
