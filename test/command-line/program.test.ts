// The commands as a person runs them, beside the real process and without it.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { shells } from "#command-line/completion.ts";
import { createProgram } from "#command-line/program.ts";
import { ownTerminal } from "#command-line/terminal.ts";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { version } from "#runtime/program.ts";
import { freshDatabase } from "../postgres.ts";
import { commands } from "./commands.ts";

const { folder, call, callWith, run, serve } = commands();

type Asked = Partial<Parameters<typeof requestApi>[1]>;

async function status(url: string, path: string, asked: Asked = {}): Promise<number> {
  const answer = await requestApi({ url }, { method: "GET", path, silenceMs: 20_000, ...asked });
  await textOf(answer.body);
  return answer.status;
}

const setUp = (base: string, link: string, email: string) =>
  status(base, "/api/manage/v1/setup", {
    method: "POST",
    body: { code: link.split("#")[1], email, name: "Ada", password: "correct horse battery" },
  });

const asKey = (key: string) => ({ headers: { "api-key": key } });
const keyIn = (text: string) => /shown once\): (\S+)/.exec(text)?.[1] ?? "";

describe("while the service runs on SQLite", () => {
  test("its commands work beside it, and the files are its owner's alone", async () => {
    const service = await serve("beside");
    const socket = join(folder, "beside/trunkline.sock");
    assert.equal(statSync(socket).mode & 0o777, 0o600);

    const renewed = await run("beside", "key", "default");
    assert.equal(renewed.code, 0, renewed.error);
    const key = keyIn(renewed.out);
    assert.equal(await status(service.base, "/api/account", asKey(key)), 200);

    const again = JSON.parse((await call("beside", "key", "default", "--json")).out);
    assert.equal(again.account, "default");
    assert.equal(await status(service.base, "/api/account", asKey(again.api_key)), 200);
    assert.equal(await status(service.base, "/api/account", asKey(key)), 403);

    const unknown = await call("beside", "key", "acme");
    assert.equal(unknown.code, 1);
    assert.equal(unknown.error, "trunkline: There is no account called acme. There are: default.\n");

    const anybody = JSON.parse((await call("beside", "setup", "--json")).out);
    assert.match(anybody.setup_link, /\/setup#\S{20,}$/);
    const { setup_link } = JSON.parse((await run("beside", "operator", "ada@trunkline.test", "--json")).out);
    assert.equal(await setUp(service.base, setup_link, "eve@trunkline.test"), 401);
    assert.equal(await setUp(service.base, setup_link, "ada@trunkline.test"), 200);

    const copied = await call("beside", "backup", join(folder, "beside.db"));
    assert.match(copied.out, /beside\.db: 0 messages, \d+ bytes, checked/, copied.error);
    const held = await run("beside", "hold");
    assert.deepEqual([held.code, /Stop it first/.test(held.error)], [1, true]);
    const released = await run("beside", "release");
    assert.equal(released.out, "Released: 0 messages, 0 webhook deliveries, 0 events.\n");

    await service.stop("SIGTERM");
    assert.equal(existsSync(socket), false);
  });

  test("with a delay a process that stops says so, and still takes requests until it is over", async () => {
    const service = await serve("delayed", { TRUNKLINE_STOP_DELAY_MS: "4000" });
    const key = keyIn((await call("delayed", "key", "default")).out);
    const stopped = service.stop("SIGTERM");
    while ((await status(service.base, "/health/ready")) === 200);
    assert.equal(await status(service.base, "/health/ready"), 503);
    assert.equal(await status(service.base, "/api/account", asKey(key)), 200);
    await stopped;
    assert.match(service.printed(), /process\.stopped/);
  });

  test("on PostgreSQL the folder of the socket is made, and the commands that need it work", async (t) => {
    const { url, drop } = await freshDatabase();
    t.after(drop);
    const variables = { TRUNKLINE_DATABASE_URL: url, TRUNKLINE_MASTER_KEY: "m".repeat(32) };
    const service = await serve("new/folder", variables);
    assert.equal(statSync(join(folder, "new/folder")).mode & 0o777, 0o700);
    const { code, out } = await callWith(variables, "new/folder", "gateways");
    assert.deepEqual([code, /sms-sandbox|sandbox/.test(out)], [0, true]);
    await service.stop("SIGTERM");
  });

  test("after kill -9 the commands work without it, and the next start takes the socket again", async () => {
    const service = await serve("killed");
    await service.stop("SIGKILL");
    assert.equal(existsSync(join(folder, "killed/trunkline.sock")), true);
    const key = keyIn((await run("killed", "key", "default")).out);
    const next = await serve("killed");
    assert.equal(await status(next.base, "/api/account", asKey(key)), 200);
    const beside = keyIn((await call("killed", "key", "default")).out);
    assert.equal(await status(next.base, "/api/account", asKey(beside)), 200);
    await next.stop("SIGKILL");
  });

  test("each start prints a link as long as no operator can sign in", async () => {
    const linkOf = async ({ base, printed }: Awaited<ReturnType<typeof serve>>) => {
      // It comes after the line that says where the service listens.
      while (!/setup#\S+\n/.test(printed())) await status(base, "/health/ready");
      return /\S+\/setup#\S+/.exec(printed())?.[0] ?? "";
    };
    const first = await serve("unclaimed");
    const unused = await linkOf(first);
    assert.match(first.printed(), /Its keys, shown this once/);
    await first.stop("SIGKILL");
    const second = await serve("unclaimed");
    const link = await linkOf(second);
    assert.notEqual(link, unused);
    assert.equal(await setUp(second.base, link, "ada@trunkline.test"), 200);
    await second.stop("SIGKILL");
    assert.doesNotMatch(second.printed(), /shown this once/);
    const third = await serve("unclaimed");
    await third.stop("SIGTERM");
    assert.doesNotMatch(third.printed(), /setup#/);
  });
});

describe("a backup", () => {
  test("is restored into a folder without a database, and into no other", async () => {
    // Makes the installation, as a first start does.
    assert.equal((await call("original", "setup")).code, 0);
    const copy = join(folder, "copy.db");
    const copyKey = join(folder, "copy.key");
    const made = await run("original", "backup", copy, "--key", copyKey);
    assert.equal(made.code, 0, made.error);

    const refused = await call("original", "restore", copy, "--key", copyKey);
    assert.equal(refused.code, 1);
    assert.match(refused.error, /trunkline\.db.* there already\. A restore replaces nothing/);

    const withoutKey = await call("keyless", "restore", copy);
    assert.match(withoutKey.out, /The master key is missing/);

    const restored = await run("restored", "restore", copy, "--key", copyKey);
    assert.equal(restored.code, 0, restored.error);
    const database = join(folder, "restored/trunkline.db");
    assert.equal(statSync(database).mode & 0o777, 0o600);
    assert.deepEqual(readFileSync(database), readFileSync(copy));
    const next = await serve("restored");
    await next.stop("SIGTERM");
  });

  test("is refused when the file is something else", async () => {
    const text = join(folder, "text.txt");
    writeFileSync(text, "not a database");
    const { code, error } = await call("none", "restore", text);
    assert.deepEqual([code, error], [1, `trunkline: ${text} is no SQLite database, and so no backup.\n`]);
    assert.equal(existsSync(join(folder, "none/trunkline.db")), false);
  });
});

describe("words", () => {
  test("that are wrong end with 2 and the nearest known one", async () => {
    const { code, error } = await run("none", "opertor", "ada@trunkline.test");
    assert.equal(code, 2);
    assert.equal(error, "trunkline: unknown command 'opertor'\n(Did you mean operator?)\n");
    const option = await call("none", "backup", "file.db", "--kye", "x");
    assert.deepEqual(
      [option.code, /unknown option '--kye'\n\(Did you mean --key\?\)/.test(option.error)],
      [2, true],
    );
    assert.equal((await call("none", "key")).code, 2);
  });

  test("of help and version end with 0", async () => {
    assert.deepEqual(await call("none", "--version"), { code: 0, out: `${version}\n`, error: "" });
    const help = await call("none", "help");
    assert.equal(help.code, 0);
    for (const command of createProgram(ownTerminal()).commands)
      assert.match(help.out, new RegExp(`^  ${command.name()} `, "m"));
  });

  test("are completed in each shell", async () => {
    for (const shell of shells) {
      const { code, out } = await call("none", "completion", shell);
      assert.equal(code, 0);
      for (const word of ["backup", "operator", "key"]) assert.ok(out.includes(word), `${shell}: ${word}`);
    }
    const { code, out, error } = await run("none", "completion", "csh");
    assert.deepEqual(
      [code, out, error],
      [1, "", "trunkline: There is no completion for csh. There is for: bash, zsh, fish.\n"],
    );
  });
});
