// A copy of an installation at work, and what becomes of it: restored elsewhere it sends nothing of the past until
// it is asked to, and then each message once. With real processes, started as anybody starts them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { childEnvironment, serviceProgram } from "../child-environment.ts";
import { callIn } from "../command-line/commands.ts";
import { pause } from "../faults/marker.ts";
import { EarlyEnd, freePort, type Server, startServer } from "../faults/server.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "trunkline-restore-"));
const apiKey = `tl_${"k".repeat(32)}`;
const provision = join(folder, "provision.json");

/** A provider that takes everything and remembers it. */
const provider = { taken: [] as string[], url: "", close: () => {} };
const servers: Server[] = [];

before(async () => {
  const listener = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { text } = JSON.parse(body) as { text: string };
      provider.taken.push(text);
      response.setHeader("content-type", "application/json").end(JSON.stringify({ id: `p-${text}` }));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  provider.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
  provider.close = () => {
    listener.closeAllConnections();
    listener.close();
  };
  const gateway = (identifier: string, active: boolean) => ({
    identifier,
    channel: "sms",
    kind: "http-api",
    default: active,
    active,
    pace: { per_second: 100 },
    settings: {
      url: provider.url,
      body: { to: "{{to}}", text: "{{message}}" },
      success: { reference: "$.id" },
    },
  });
  writeFileSync(
    provision,
    JSON.stringify({
      accounts: [
        {
          name: "acme",
          time_zone: "UTC",
          country: "DE",
          api_key: apiKey,
          plan: { name: "basic", expires_at: null, credit: { sms: 100_000, whatsapp: null, email: null } },
          gateways: [gateway("main", true)],
        },
      ],
    }),
  );
});

after(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  provider.close();
  rmSync(folder, { recursive: true, force: true });
});

const environment = (data: string) => ({
  TRUNKLINE_DATA_DIR: data,
  TRUNKLINE_PROVISION: provision,
  TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
});

async function start(data: string): Promise<Server> {
  const port = await freePort();
  const server = await startServer({ port, logFile: join(folder, `${port}.log`), env: environment(data) });
  servers.push(server);
  return server;
}

/** Runs a program to its end, while everything else goes on. */
function run(program: string, args: string[], env: Record<string, string>) {
  const child = spawn(program, args, { cwd: root, env: childEnvironment(env) });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** A command as a program. */
const command = (data: string, ...args: string[]) =>
  run(process.execPath, [serviceProgram(), ...args], environment(data));

/** A command in this process. */
async function call(variables: Record<string, string>, ...args: string[]) {
  const { code, out, error } = await callIn(folder, variables, args);
  return { code, output: out + error };
}

/** The same, where no file may grow beyond so many blocks of 512 bytes. */
const limited = (data: string, blocks: number, ...args: string[]) => {
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`;
  return run("sh", ["-c", script, "sh", process.execPath, serviceProgram(), ...args], environment(data));
};

async function ask<T>(base: string, method: "GET" | "POST", path: string, body?: object): Promise<T> {
  const pool = new Pool(base, { connections: 1 });
  try {
    const headers = { "api-key": apiKey, "content-type": "application/json" };
    const answer = await pool.request({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    assert.equal(answer.statusCode, 200, text);
    return JSON.parse(text) as T;
  } finally {
    await pool.close();
  }
}

type Sent = { data: { contact: { id: string }[] } };
const send = (base: string, texts: string[], schedule_at: string | null = null) =>
  ask<Sent>(base, "POST", "/api/sms/send", {
    contact: texts.map((message) => ({ number: "+4915112345678", message, schedule_at })),
  });

const sms = async (base: string) =>
  (await ask<{ data: { credit: { sms: { remaining: number } } } }>(base, "GET", "/api/account")).data.credit
    .sms;

/** Until it is so; fails after 20 s. */
async function until(what: string, so: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await so())) {
    assert.ok(performance.now() < deadline, `not in time: ${what}`);
    await pause(20);
  }
}

function query<T>(file: string, text: string): T[] {
  const raw = new DatabaseSync(file, { readOnly: true });
  try {
    return raw.prepare(text).all() as T[];
  } finally {
    raw.close();
  }
}

/** A fresh data folder with the copy and the key. */
function restore(name: string, copy: string, key: string | null): string {
  const data = join(folder, name);
  mkdirSync(data, { mode: 0o700 });
  copyFileSync(copy, join(data, "trunkline.db"));
  if (key !== null) copyFileSync(key, join(data, "master.key"));
  return data;
}

describe("an installation at work", () => {
  const data = join(folder, "data");
  const copy = join(folder, "copy.db");
  const key = join(folder, "copy.key");
  let held: string[] = [];

  test("is copied while messages flow", async () => {
    const server = await start(data);
    let stop = false;
    const flow = (async () => {
      // Half of the gateway's pace: more would wait in an ever longer row, since small requests go before large ones.
      for (let i = 0; !stop; i++) {
        await send(server.base, [`flow ${i}`]);
        await pause(20);
      }
    })();
    await send(server.base, ["later 1", "later 2"], "2099-01-01 00:00:00");
    // A backlog of 8 to 16 seconds, of which the copy catches a part.
    await send(
      server.base,
      Array.from({ length: 800 }, (_, i) => `bulk ${i}`),
    );
    await until("the first of the backlog", () => provider.taken.some((text) => text.startsWith("bulk")));
    const made = await command(data, "backup", copy, "--key", key);
    stop = true;
    await flow;
    assert.equal(made.code, 0, made.output);
    assert.match(made.output, /copy\.db: \d+ messages, \d+ bytes, checked/);
    for (const file of [copy, key]) assert.equal(statSync(file).mode & 0o777, 0o600);

    const again = await call(environment(data), "backup", copy);
    assert.equal(again.code, 1);
    assert.match(again.output, /copy\.db exists already/);
    const keyAgain = await call(environment(data), "backup", join(folder, "other.db"), "--key", key);
    assert.equal(keyAgain.code, 1);
    assert.equal(existsSync(join(folder, "other.db")), false);
    const tooLarge = await limited(data, 100, "backup", join(folder, "large.db"));
    assert.equal(tooLarge.code, 1);
    assert.match(tooLarge.output, /large\.db was not made: .*Nothing of it was left behind/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("large")),
      [],
    );

    // All but the two of 2099 has been settled, so that the kill leaves nothing in doubt.
    await until("the backlog", async () => {
      for (const status of ["queued", "sending"]) {
        const path = `/api/get/sms?limit=1&status=${status}`;
        if ((await ask<{ data: object[] }>(server.base, "GET", path)).data.length > 0) return false;
      }
      return true;
    });
    await server.kill();
    assert.equal(new Set(provider.taken).size, provider.taken.length, "the original sent everything once");

    const rows = query<{ body: string; status: string }>(
      copy,
      "select body, status from messages where held_due_at is not null",
    );
    held = rows.map(({ body }) => body).sort();
    assert.ok(
      held.includes("later 1") && held.some((text) => text.startsWith("bulk")),
      `${held.length} held`,
    );
    assert.deepEqual(
      query(copy, "select id from messages where due_at is not null or status = 'sending'"),
      [],
    );
  });

  test("restored without its key, or with another, it does not start", async () => {
    const data = restore("wrong", copy, null);
    // A new key is made where the file has no key.
    await assert.rejects(
      start(data),
      (error) => error instanceof EarlyEnd && /master key is not the one/.test(error.message),
    );
  });

  test("restored, it sends what is new and nothing of the past, until it is released: then each held message once", async () => {
    const data = restore("released", copy, key);
    provider.taken = [];
    const first = await start(data);
    const [warning] = first
      .tail()
      .split("\n")
      .filter((line) => line.includes("is held"));
    assert.equal(JSON.parse(warning ?? "{}").messages, held.length);
    await send(first.base, ["new"]);
    await until("the new message", () => provider.taken.includes("new"));
    assert.deepEqual(provider.taken, ["new"]);
    // While it runs, and again, which changes nothing.
    const released = await call(environment(data), "release");
    assert.equal(released.output, `Released: ${held.length} messages, 0 webhook deliveries, 0 events.\n`);
    const again = await call(environment(data), "release");
    assert.equal(again.output, "Released: 0 messages, 0 webhook deliveries, 0 events.\n");
    first.signal("SIGTERM");
    await first.ended;
    const second = await start(data);
    assert.doesNotMatch(second.tail(), /is held/);
    const due = held.filter((text) => !text.startsWith("later"));
    await until("the held messages", () => provider.taken.length >= due.length + 1);
    await send(second.base, ["last"]);
    await until("the last", () => provider.taken.includes("last"));
    assert.deepEqual(provider.taken.toSorted(), [...due, "last", "new"].sort());
    await second.kill();
  });

  test("a snapshot of a file system is held by hand, and cancelling gives the credit back", async () => {
    // As it was at the kill: its journal beside it, two messages waiting for 2099.
    const data = join(folder, "snapshot");
    mkdirSync(data, { mode: 0o700 });
    for (const name of ["trunkline.db", "trunkline.db-wal", "master.key"]) {
      const from = join(folder, "data", name);
      if (existsSync(from)) copyFileSync(from, join(data, name));
    }
    const hold = await command(data, "hold");
    assert.match(hold.output, /^Held until you release it: 2 messages, 0 webhook deliveries, 0 events\.\n$/);
    const server = await start(data);
    const before = await sms(server.base);
    const [waiting] = (
      await ask<{ data: { id: string; next_attempt_at: string | null }[] }>(
        server.base,
        "GET",
        "/api/get/sms?status=scheduled&limit=1",
      )
    ).data;
    assert.equal(waiting?.next_attempt_at, null);
    await ask(server.base, "POST", `/api/cancel/sms/${waiting?.id}`);
    assert.equal((await sms(server.base)).remaining, before.remaining + 1);
    await server.kill();
  });
});

test("the command line says how it is used, and what is not for PostgreSQL", async () => {
  const data = join(folder, "usage");
  for (const [args, words] of [
    [["backup", "a", "b"], /too many arguments for 'backup'/],
    [["backup", "a", "--key"], /option '--key <keyfile>' argument missing/],
  ] as const) {
    const { code, output } = await call(environment(data), ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(output, words);
  }
  const none = await call(environment(data), "backup", join(folder, "none.db"));
  assert.match(none.output, /There is no database at/);
  const nothing = await call(environment(data), "release");
  assert.match(nothing.output, /There is no database at/);
  const url = { TRUNKLINE_DATABASE_URL: "postgres://127.0.0.1:1/none" };
  const other = await call(url, "backup", join(folder, "none.db"));
  assert.equal(other.code, 1);
  assert.match(other.output, /pg_dump.*trunkline hold/s);
});
