// `trunkline init` in an empty folder: what it writes starts, and nothing is overwritten.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readConfig } from "#config.ts";
import { childEnvironment, serviceProgram } from "../child-environment.ts";
import { callIn, commands } from "./commands.ts";

const { folder, call, serve } = commands();
/** Runs the program in a folder of its own with these lines at its input. */
async function start(name: string, lines: string[], ...words: string[]) {
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  const child = spawn(process.execPath, [serviceProgram(), "init", ...words], {
    cwd,
    env: childEnvironment(),
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { cwd, code, printed };
}

/** The same in this process. */
async function init(name: string, lines: string[], ...words: string[]) {
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  const { code, out, error } = await callIn(cwd, {}, ["init", ...words], lines);
  return { cwd, code, printed: out + error };
}

/** The variables of a written file. */
const variablesOf = (cwd: string) =>
  Object.fromEntries(
    readFileSync(join(cwd, ".env"), "utf8")
      .split("\n")
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );

test("three answers make an installation that starts with them", async () => {
  const answers = ["acme", "ftp://wrong", "https://sms.example.com", "mysql://wrong", ""];
  const { cwd, code, printed } = await start("answered", answers);
  assert.equal(code, 0, printed);
  assert.match(printed, /An address begins with http/);
  assert.match(printed, /begins with postgres/);
  for (const name of [".env", "provision.yaml"]) assert.equal(statSync(join(cwd, name)).mode & 0o777, 0o600);
  const { TRUNKLINE_PROVISION = "", ...variables } = variablesOf(cwd);
  assert.equal(variables.TRUNKLINE_PUBLIC_URL, "https://sms.example.com");
  assert.equal(variables.TRUNKLINE_DATABASE_URL, undefined);
  const service = await serve("data", { ...variables, TRUNKLINE_PROVISION: join(cwd, TRUNKLINE_PROVISION) });
  const { out, error } = await call("data", "gateways", "--account", "acme");
  assert.match(out, /^sandbox-email +email +sandbox +default +active/m, error);
  const reply = await fetch(`${service.base}/api/account`, {
    headers: { "api-key": variables.TRUNKLINE_API_KEY ?? "" },
  });
  assert.equal(reply.status, 200);
  const asked = await fetch(`${service.base}/api/ai/v1/models`, {
    headers: { authorization: `Bearer ${variables.TRUNKLINE_POOL_KEY}` },
  });
  assert.equal(asked.status, 200);
  await service.stop("SIGTERM");
});

test("without answers everything has its default, and files that are there stay", async () => {
  const first = await init("default", [], "--yes");
  assert.equal(first.code, 0, first.printed);
  const before = readFileSync(join(first.cwd, ".env"), "utf8");
  assert.ok(!/^TRUNKLINE_(PUBLIC_URL|DATABASE_URL)=/m.test(before));
  const again = await init("default", [], "--yes");
  assert.equal(again.code, 1);
  assert.match(again.printed, /\.env and provision\.yaml are here already/);
  assert.equal(readFileSync(join(first.cwd, ".env"), "utf8"), before);
  const closed = await init("closed", ["acme"]);
  assert.equal(closed.code, 0, closed.printed);
  assert.match(readFileSync(join(closed.cwd, "provision.yaml"), "utf8"), /name: "acme"/);
});

test("every example is valid when its comment sign is taken away", async () => {
  const { cwd, code, printed } = await init("examples", [], "--yes");
  assert.equal(code, 0, printed);
  const environment = readFileSync(join(cwd, ".env"), "utf8");
  const settings = environment.match(/^#TRUNKLINE_\w+=.+$/gm) ?? [];
  assert.equal(settings.length, 2);
  for (const line of settings) {
    const [, name = "", value = ""] = /^#(\w+)=(.+)$/.exec(line) ?? [];
    assert.ok(!("errors" in readConfig({ [name]: value })), line);
  }
  const path = join(cwd, "provision.yaml");
  const written = readFileSync(path, "utf8");
  const example = /^( +)# (?=- | {2}\w+: |\w+: )/gm;
  assert.equal(written.match(example)?.length, 6);
  writeFileSync(path, written.replace(example, "$1"));
  const service = await serve("examples-data", {
    ...variablesOf(cwd),
    TRUNKLINE_PROVISION: path,
    TWILIO_AUTH_TOKEN: "0123456789abcdef0123456789abcdef",
    OPENAI_API_KEY: "sk-example",
  });
  const { out, error } = await call("examples-data", "gateways", "--account", "default");
  assert.match(out, /^twilio +sms +twilio +/m, error);
  await service.stop("SIGTERM");
});
