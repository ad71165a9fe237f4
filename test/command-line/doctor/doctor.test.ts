// The doctor, with one thing after another broken: each is named, with what to do.

import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, cpSync, rmSync, type StatsFs, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { before, describe } from "node:test";
import { checkDisk, checkNode } from "#command-line/doctor/machine.ts";
import { attentionWords, pricesFinding } from "#command-line/doctor/running.ts";
import { judgeClocks } from "#command-line/doctor/storage.ts";
import { readConfig } from "#config.ts";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { cert, key } from "../../gateways/email/certificate.ts";
import { commands } from "../commands.ts";

interface Finding {
  what: string;
  state: string;
  detail: string;
  advice: string | null;
}

const { folder, call, callWith, run, serve } = commands();

/** What the doctor finds wrong. Everything that is wrong has an advice. */
async function wrong(data: string, variables: Record<string, string> = {}) {
  const { code, out, error } = await callWith(variables, data, "doctor", "--json");
  assert.notEqual(out, "", error);
  const findings: Finding[] = JSON.parse(out);
  const bad = findings.filter(({ state }) => state !== "ok");
  assert.ok(bad.every(({ advice }) => advice !== null));
  assert.equal(code, bad.some(({ state }) => state === "error") ? 1 : 0);
  return bad.map(({ what, state, detail }) => ({ what, state, detail }));
}

before(async () => {
  // Makes the installation, as a first start does.
  const { code, error } = await call("good", "setup");
  assert.equal(code, 0, error);
});

/** A copy of the good installation. */
function copied(name: string): string {
  cpSync(join(folder, "good"), join(folder, name), { recursive: true });
  chmodSync(join(folder, name), 0o700);
  return join(folder, name);
}

describe("while no service runs", () => {
  test("nothing else is wrong with a good installation, nor with one that is not made yet", async () => {
    const stopped = [{ what: "service", state: "warning", detail: "It does not run." }];
    assert.deepEqual(await wrong("good"), stopped);
    assert.deepEqual(await wrong("none"), stopped);
  });

  test("wrong and unknown variables are named, all of them", async () => {
    const found = await wrong("good", { TRUNKLINE_PORT: "many", TRUNKLINE_COLOUR: "red" });
    assert.deepEqual(
      found.map(({ what }) => what),
      ["configuration", "configuration"],
    );
  });

  test("ports for mail are named, and what keeps them from opening", async () => {
    const portsOf = async (variables: Record<string, string>) => {
      const { out } = await callWith(variables, "good", "doctor", "--json");
      const findings: Finding[] = JSON.parse(out);
      return findings
        .filter(({ what }) => what === "mail ports")
        .map(({ state, detail }) => `${state} ${detail}`);
    };
    assert.deepEqual(await portsOf({}), []);
    const ports = { TRUNKLINE_SMTP_PORT: "2587" };
    assert.deepEqual(await portsOf(ports), ["ok SMTP on 127.0.0.1, port 2587 without TLS."]);
    const [open = ""] = await portsOf({ ...ports, TRUNKLINE_SMTP_HOST: "0.0.0.0" });
    assert.match(open, /^error TRUNKLINE_SMTP_PORT would take API keys without TLS on 0\.0\.0\.0/);
    const [half = ""] = await portsOf({ ...ports, TRUNKLINE_SMTP_TLS_CERT: "cert.pem" });
    assert.match(half, /^error TRUNKLINE_SMTP_TLS_CERT and TRUNKLINE_SMTP_TLS_KEY belong together/);
    const files = [join(folder, "cert.pem"), join(folder, "key.pem")] as const;
    const tls = {
      TRUNKLINE_SMTP_TLS_CERT: files[0],
      TRUNKLINE_SMTP_TLS_KEY: files[1],
      TRUNKLINE_SMTPS_PORT: "2465",
    };
    const [missing = ""] = await portsOf({ ...ports, ...tls });
    assert.match(missing, /^error The certificate cannot be used: ENOENT/);
    writeFileSync(files[0], cert);
    writeFileSync(files[1], key);
    assert.deepEqual(await portsOf({ ...ports, ...tls, TRUNKLINE_SMTP_HOST: "0.0.0.0" }), [
      "ok SMTP on 0.0.0.0, port 2587 with STARTTLS, port 2465 with TLS.",
    ]);
  });

  test("a folder and a key that others may read are warnings", async () => {
    const path = copied("open");
    chmodSync(path, 0o755);
    chmodSync(join(path, "master.key"), 0o644);
    const found = await wrong("open");
    assert.deepEqual(
      found.map(({ what, state }) => [what, state]),
      [
        ["data folder", "warning"],
        ["master key", "warning"],
        ["service", "warning"],
      ],
    );
  });

  test("another master key, a database of a newer version, and a damaged one are errors", async () => {
    const path = copied("other-key");
    writeFileSync(join(path, "master.key"), `${"k".repeat(43)}\n`);
    assert.match(
      (await wrong("other-key"))[0]?.detail ?? "",
      /not the one that the database was sealed with/,
    );

    const newer = new DatabaseSync(join(copied("newer"), "trunkline.db"));
    newer.exec("insert into migrations (id, name) values (9999, 'of a later version')");
    newer.close();
    assert.match((await wrong("newer"))[0]?.detail ?? "", /A newer version wrote it: it has schema 9999/);

    const damaged = copied("damaged");
    // SQLite may leave a journal behind, which has the pages that it needs here.
    for (const journal of ["-wal", "-shm"]) rmSync(join(damaged, `trunkline.db${journal}`), { force: true });
    writeFileSync(join(damaged, "trunkline.db"), "no database ".repeat(2_000));
    assert.deepEqual((await wrong("damaged"))[0], {
      what: "database",
      state: "error",
      detail: "file is not a database",
    });
  });

  test("a PostgreSQL that does not answer is an error, without its password", async () => {
    const [found] = await wrong("good", {
      TRUNKLINE_DATABASE_URL: "postgres://ada:secret-word@127.0.0.1:1/x",
    });
    assert.deepEqual(found, {
      what: "database",
      state: "error",
      detail: "PostgreSQL: the connection was refused.",
    });
  });

  test("another program on the port is an error", async () => {
    const other = createServer((_request, response) => response.end("something else")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const [found] = await wrong("good", { TRUNKLINE_PORT: String(port) });
    other.close();
    assert.match(found?.detail ?? "", new RegExp(`another program listens on port ${port}`));
  });
});

test("what this machine cannot show: an old Node, a full disk, clocks apart", () => {
  assert.equal(checkNode("22.11.0").state, "error");
  const states = ["26.8.1", "26.9.9", "26.10.0", "26.10.1", "27.0.0"].map(
    (running) => checkNode(running, "26.10.0").state,
  );
  assert.deepEqual(states, ["warning", "warning", "ok", "ok", "ok"]);
  assert.equal(checkNode("26.0.0", null).state, "ok");
  assert.match(checkNode("26.0.0").detail, /older than 26\.\d+\.\d+/);
  const read = readConfig({ TRUNKLINE_DATA_DIR: folder });
  assert.ok("config" in read);
  const free = (bytes: number) => (() => ({ bavail: bytes / 4096, bsize: 4096 }) as StatsFs) as never;
  const state = (bytes: number) => checkDisk(read.config, free(bytes)).state;
  const mib = 1024 * 1024;
  assert.deepEqual([state(50 * mib), state(500 * mib), state(5_000 * mib)], ["error", "warning", "ok"]);
  assert.deepEqual(
    [1_000, 60_000, -400_000].map((apart) => judgeClocks(apart, 0, "the database's server").state),
    ["ok", "warning", "error"],
  );
});

test("while the service runs: its gateways, members and public address are asked", async () => {
  const wiki = createServer((_request, response) => response.end("a wiki about the status of things")).listen(
    0,
    "127.0.0.1",
  );
  await once(wiki, "listening");
  const { port } = wiki.address() as AddressInfo;
  const variables = {
    TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
    TRUNKLINE_PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  const service = await serve("busy", variables);
  const socketPath = join(folder, "busy/trunkline.sock");
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await requestApi(
      { socketPath },
      { method, path: `/api/manage/v1${path}`, silenceMs: 20_000, ...(body === undefined ? {} : { body }) },
    );
    const text = await textOf(answer.body);
    assert.ok(answer.status < 300, text);
    return JSON.parse(text).data;
  };
  const [{ id }] = await ask("GET", "/accounts");
  await ask("POST", `/accounts/${id}/gateways`, {
    identifier: "acme",
    channel: "sms",
    kind: "http-api",
    settings: { url: "http://127.0.0.1:1/send", body: { to: "{{to}}", text: "{{message}}" } },
  });
  const [pool] = await ask("GET", `/accounts/${id}/pools`);
  await ask("POST", `/accounts/${id}/pools/${pool.id}/members`, {
    name: "broken",
    kind: "openai-compatible",
    models: ["m"],
    settings: { base_url: "http://127.0.0.1:1/v1", api_key: "sk-secret-word" },
  });
  const found = await wrong("busy");
  assert.deepEqual(
    found.map(({ what, state }) => [what, state]),
    [
      ["callbacks", "error"],
      ["gateway acme", "error"],
      [`member ${pool.name}/broken`, "error"],
      [`pool ${pool.name}`, "warning"],
    ],
  );
  assert.equal(found[3]?.detail, "No price is known of m (member broken).");
  assert.match(found[0]?.detail ?? "", /and not as Trunkline does/);
  assert.match(found[1]?.detail ?? "", /could not be reached \(ECONNREFUSED\)/);
  const { code, out } = await run("busy", "doctor");
  assert.equal(code, 1);
  assert.match(out, /3 errors, 1 warning\.\n$/);
  assert.ok(!out.includes("secret-word"));
  await service.stop("SIGTERM");
  wiki.close();
});

test("what needs a person begins with its subject", () => {
  assert.equal(
    attentionWords("gateway_paused", "sms-main", "unauthorized"),
    "sms-main: gateway paused, unauthorized",
  );
  assert.equal(attentionWords("domain_unverified", "acme.example", null), "acme.example: domain unverified");
  assert.equal(attentionWords("low_credit", null, null), "low credit");
});

test("models without a price are named, up to ten, and so are calls that had none", () => {
  const detail = (models: readonly string[], calls: number) => pricesFinding("p", models, calls)?.detail;
  assert.equal(pricesFinding("p", [], 0), null);
  assert.equal(detail(["m (member a)"], 0), "No price is known of m (member a).");
  assert.equal(
    detail(["m (member a)"], 1),
    "No price is known of m (member a). 1 call of the last 30 days had no price.",
  );
  assert.equal(detail([], 7), "All models have a price now. 7 calls of the last 30 days had no price.");
  const many = Array.from({ length: 12 }, (_, at) => `m${at}`);
  assert.match(detail(many, 0) ?? "", / m9 and 2 more\.$/);
});
