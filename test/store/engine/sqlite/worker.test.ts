// The SQLite threads, spoken to directly: groups in one transaction, members singly after a fault, a full disk, a disk that fails.
// Runs in a process of its own: for a moment no file of the process may grow.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after } from "node:test";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { GatheredTexts } from "#store/engine/sqlite/long-texts.ts";
import type { Reply, Work } from "#store/engine/sqlite/protocol.ts";
import { storeSends } from "#store/messages/insert.ts";
import { sendOf } from "../../rows.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-worker-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function startThread(options: WorkerOptions = {}) {
  const worker = new Worker(new URL(import.meta.resolve("#store/engine/sqlite/worker.ts")), options);
  const ask = async (work: Work): Promise<Reply> => {
    worker.postMessage(JSON.stringify(work));
    return (await once(worker, "message"))[0];
  };
  const open = (path: string, crashAt: string | null = null) =>
    ask({ kind: "open", path, access: "write", crashAt });
  return { ask, open, terminate: () => worker.terminate() };
}

const fact = (name: string, value: string | null = "v") => ({ name, value });

test("a group of calls is answered one by one, in order", async () => {
  const { ask, open, terminate } = startThread();
  assert.deepEqual(await open(join(folder, "group.db")), { answers: [[{ ok: true, value: null }]] });
  const reply = await ask({
    kind: "run",
    calls: [
      { name: "getOrSetFact", inputs: [fact("a", "1"), fact("a", "2")] },
      { name: "countAccounts", inputs: [null] },
    ],
  });
  assert.deepEqual(reply.answers, [
    [
      { ok: true, value: "1" },
      { ok: true, value: "1" },
    ],
    [{ ok: true, value: 0 }],
  ]);
  await ask({ kind: "close" });
  await terminate();
});

test("a group with a fault is undone, and its members are run again each for itself", async () => {
  const path = join(folder, "fault.db");
  const { ask, open, terminate } = startThread();
  await open(path);
  const { answers } = await ask({
    kind: "run",
    calls: [
      { name: "getOrSetFact", inputs: [fact("one"), fact("bad", null), fact("two")] },
      { name: "noSuchOperation", inputs: [null] },
    ],
  });
  assert.deepEqual(
    answers.map((list) => list.map((answer) => (answer.ok ? answer.value : answer.fault))),
    [["v", "failed", "v"], ["failed"]],
  );
  await ask({ kind: "close" });
  await terminate();
  const raw = new DatabaseSync(path, { readOnly: true });
  const names = raw
    .prepare("select name from installation_facts where name <> 'oldest_schema' order by name")
    .all();
  assert.deepEqual(
    names.map((row) => row.name),
    ["one", "two"],
  );
  raw.close();
});

test("commits are counted anew for each file, and a file without a crash point has none", async () => {
  // Here the thread fails where it would kill the process.
  const noKill = "process.kill = (_, signal) => { throw new Error(signal); }";
  const { ask, open, terminate } = startThread({
    execArgv: ["--import", `data:text/javascript,${encodeURIComponent(noKill)}`],
  });
  let made = 0;
  const commit = async () => {
    made += 1;
    const call = { name: "getOrSetFact", inputs: [fact(`n${made}`)] };
    const [answer] = (await ask({ kind: "run", calls: [call] })).answers[0]!;
    return answer!.ok ? answer!.value : answer!.message;
  };
  await open(join(folder, "first.db"), "commit.before:3");
  assert.deepEqual([await commit(), await commit()], ["v", "v"]);
  await ask({ kind: "close" });
  await open(join(folder, "second.db"), "commit.before:3");
  assert.deepEqual([await commit(), await commit(), await commit()], ["v", "v", "SIGKILL"]);
  await ask({ kind: "close" });
  await open(join(folder, "third.db"));
  assert.deepEqual([await commit(), await commit(), await commit()], ["v", "v", "v"]);
  await ask({ kind: "close" });
  await terminate();
});

test("a full disk is called full, stores nothing, and is over when there is room again", async () => {
  const flag = join(folder, "full");
  const path = join(folder, "full.db");
  const { ask, open, terminate } = startThread({
    execArgv: ["--import", new URL("./full-disk.ts", import.meta.url).href],
    env: { ...process.env, TRUNKLINE_TEST_FULL: flag },
  });
  assert.deepEqual(await open(path), { answers: [[{ ok: true, value: null }]] });
  const raw = new DatabaseSync(path);
  raw.exec(`
    insert into accounts (id, name, time_zone, plan_name, created_at, updated_at) values ('acc_1', 'a', 'UTC', 'p', 1, 1);
    insert into gateways (id, account_id, identifier, channel, kind, active, is_default, test, settings, rules, created_at, updated_at)
      values ('gw_1', 'acc_1', 'g', 'sms', 'sandbox', 1, 1, 1, '', '{}', 1, 1);
  `);
  raw.close();
  writeFileSync(flag, "");
  const send = sendOf("acc_1", "gw_1", { count: 2000 });
  const run: Work = {
    kind: "run",
    calls: [{ name: "storeSends", inputs: [storeSends.codec?.encode(send, new GatheredTexts())] }],
  };
  const [answer] = (await ask(run)).answers[0]!;
  assert.ok(answer && !answer.ok);
  assert.equal(answer.fault, "full");
  const count = () => {
    const raw = new DatabaseSync(path, { readOnly: true });
    const counted = raw.prepare("select count(*) as n from messages").get()?.n;
    raw.close();
    return counted;
  };
  assert.equal(count(), 0);
  rmSync(flag);
  assert.deepEqual((await ask(run)).answers, [[{ ok: true, value: { kind: "stored" } }]]);
  assert.equal(count(), 2000);
  await ask({ kind: "close" });
  await terminate();
});

/** How large files of this process may become, bytes. Beyond it a write fails, which SQLite reports as an I/O error. */
function limitFiles(bytes: number | "unlimited"): void {
  const { status, stderr } = spawnSync("prlimit", [`--pid=${process.pid}`, `--fsize=${bytes}:unlimited`]);
  assert.equal(status, 0, String(stderr));
}

const noLimits = spawnSync("prlimit", ["--version"]).status === 0 ? false : "there is no prlimit";

test("what an I/O error of the commit left behind is unknown; an error before it stored nothing", {
  skip: noLimits,
}, async () => {
  const path = join(folder, "io.db");
  const { ask, open, terminate } = startThread();
  await open(path);
  const set = async (...facts: object[]) => {
    const { answers } = await ask({ kind: "run", calls: [{ name: "getOrSetFact", inputs: facts }] });
    return answers[0]!.map((answer) => (answer.ok ? "ok" : answer.fault));
  };
  const limited = async (...facts: object[]) => {
    limitFiles(statSync(`${path}-wal`).size + 8_192);
    try {
      return await set(...facts);
    } finally {
      limitFiles("unlimited");
    }
  };
  const long = "x".repeat(300_000);
  assert.deepEqual(await set(fact("before")), ["ok"]);
  assert.deepEqual(await limited(fact("alone", long)), ["commit_unknown"]);
  assert.deepEqual(await limited(fact("first", long), fact("second", long)), [
    "commit_unknown",
    "commit_unknown",
  ]);
  // It is larger than the cache, so that SQLite writes it before the commit.
  assert.deepEqual(await limited(fact("huge", "x".repeat(20_000_000))), ["io"]);
  assert.deepEqual(await set(fact("first", long), fact("second", long)), ["ok", "ok"]);
  await ask({ kind: "close" });
  await terminate();
});
