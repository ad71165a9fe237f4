// `trunkline provision --check`: what a start would say of a provisioning file, without a start.

import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import test, { suite } from "node:test";
import { reload } from "#command-line/provision/reload.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { harness } from "../harness.ts";
import { memoryLog } from "../log.ts";
import { commands } from "./commands.ts";
import { serveHere } from "./serve-here.ts";

const { folder, call, serve } = commands();
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

test("a file or --export: anything else is an error of the command", async () => {
  const path = join(folder, "good.yaml");
  for (const words of [[], ["--check"], [path, "--export"], [path, "--check", "--export"]]) {
    const { code, error } = await call("data", "provision", ...words);
    assert.equal(code, 2, words.join(" "));
    assert.match(error, /name a file, or --export without one/);
  }
  const { code, error } = await call("data", "provision", path);
  assert.equal(code, 1);
  assert.match(error, /There is no database at .*The first start applies the file/);
});

suite("beside a running service", () => {
  const service = serveHere(folder, "running");
  const path = join(folder, "good.yaml");
  const provision = (...words: string[]) => call("running", "provision", ...words);

  test("a file is compared, applied, and then changes nothing", async () => {
    const before = await provision(path, "--check");
    assert.match(
      before.out,
      /Nothing was changed\.\nIn the service that runs here, it would change:\n {2}new: account acme\n/,
    );
    const applied = await provision(path);
    assert.equal(applied.code, 0, applied.error);
    assert.match(applied.out, /^The file was applied:\n {2}new: account acme\n {2}new: gateway sms-main\n/);
    assert.match(applied.out, /API key of account acme \(shown once\): tl_/);
    assert.match(
      (await provision(path, "--check")).out,
      /The service that runs here has all of it: nothing would change\./,
    );
    assert.equal((await provision(path)).out, "The file was applied: nothing changed.\n");
  });

  test("a faulty file changes nothing and says every fault", async () => {
    const wrong = file(
      "taken.yaml",
      "accounts: [{ name: acme, country: FR, gateways: [{ identifier: new, channel: sms, kind: twilio }] }]",
    );
    const { code, error } = await provision(wrong);
    assert.equal(code, 1);
    assert.match(error, /gateway new: settings\.auth_token/);
    assert.match(error, /gateway new: settings\.account_sid/);
    assert.doesNotMatch((await provision("--export")).out, /FR/);
  });

  test("an export names its variables, and changes nothing where it comes from", async () => {
    const exported = await provision("--export");
    assert.equal(exported.code, 0, exported.error);
    assert.match(exported.out, /api_key: \$\{ACME_API_KEY\}/);
    assert.match(exported.error, /Secrets that the file takes from variables:\n {2}\w+/);
    assert.ok(service.url.startsWith("http://"));
    const { file: content } = JSON.parse((await provision("--export", "--json")).out);
    // Keys that an installation has by their hash alone stay as they are where the file does not name them.
    const { api_key: _, ...acme } = content.accounts.find((one: { name: string }) => one.name === "acme");
    const again = file("again.json", JSON.stringify({ accounts: [acme] }));
    assert.match((await provision(again, "--check")).out, /nothing would change/);
  });
});

suite("SIGHUP", () => {
  test("the file is read again: its changes are logged, a faulty one changes nothing, and generated keys are not in the log", async () => {
    const it = await harness();
    try {
      const log = memoryLog();
      const printed: string[] = [];
      const path = file("reload.yaml", "accounts: [{ name: acme, country: DE }]");
      const terminal = {
        environment: {},
        folder,
        input: Readable.from([]),
        output: { write: (text: string) => printed.push(text) },
        errors: { write: () => {} },
        colours: false,
      };
      const again = () => reload(terminal, path, log, it.system);
      await again();
      file("reload.yaml", "accounts: [{ name: acme, country: FR }]");
      await again();
      await again();
      file("reload.yaml", "accounts: [{ name: acme, country: XYZ }, { name: other }]");
      await again();
      file("reload.yaml", "accounts: [");
      await again();
      assert.deepEqual(
        log.lines().map(({ event, changes, errors }) => [event, changes ?? errors]),
        [
          ["provision.applied", ["new: account acme"]],
          ["provision.applied", ["changed: account acme (country)"]],
          ["provision.applied", []],
          ["provision.refused", ["accounts.0.country: must be two capital letters (ISO 3166), such as DE"]],
          ["provision.refused", ["The provisioning file is not YAML or JSON (line 1)."]],
        ],
      );
      const [, key = "none"] =
        /^API key of account acme \(shown once\): (tl_[\w-]+)\n$/.exec(printed.join("")) ?? [];
      assert.match(key, /^tl_/);
      assert.ok(!log.text().includes(key));
      const account = await it.system.database.run(findAccountByName, "acme");
      assert.equal(account?.country, "FR");
      assert.equal(await it.system.database.run(findAccountByName, "other"), null);
    } finally {
      await it.close();
    }
  });

  test("a real service takes the signal and goes on", async () => {
    const path = file("signal.yaml", "accounts: [{ name: acme }]");
    const running = await serve("signal", { TRUNKLINE_PROVISION: path, TRUNKLINE_LOG_FORMAT: "json" });
    file("signal.yaml", "accounts: [{ name: acme, country: DE }]");
    running.signal("SIGHUP");
    await running.prints("provision.applied");
    assert.match(running.printed(), /"changes":\["changed: account acme \(country\)"\]/);
    assert.equal((await fetch(`${running.base}/health/ready`)).status, 200);
    await running.stop("SIGTERM");
    // The stopped installation is opened by the command itself.
    file("signal.yaml", "accounts: [{ name: acme, country: FR }]");
    assert.equal(
      (await call("signal", "provision", path)).out,
      "The file was applied:\n  changed: account acme (country)\n",
    );
    assert.match((await call("signal", "provision", "--export")).out, /^ {4}country: FR$/m);
  });
});
