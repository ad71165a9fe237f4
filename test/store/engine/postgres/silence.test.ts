// A server that is connected and silent is an outage after two seconds. A slow one is not. The clock is moved by hand, so that how
// quickly calls are refused does not depend on the machine.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test, { describe } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { movableClock } from "#runtime/movable-clock.ts";
import { readOperation, StorageError, writeOperation } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { watchSilence } from "#store/engine/postgres/silence.ts";
import { probeRead, probeWrite } from "#store/engine/probe.ts";
import { startPostgres } from "../../../postgres.ts";

const isRefused = (error: unknown) =>
  error instanceof StorageError && error.fault === "unavailable" && /has not answered/.test(error.message);

describe("the rule", () => {
  /** `answers`: whether the server answers what it is asked. */
  function watching(answers: boolean) {
    const clock = movableClock();
    const seen: string[] = [];
    const server = { answers, asked: 0 };
    const ask = async () => {
      server.asked += 1;
      if (!server.answers) throw new Error("timeout");
    };
    const watch = watchSilence({
      clock,
      limitMs: 1_800,
      ask,
      askAnew: ask,
      onSilence: () => seen.push("silent"),
      onAnswer: () => seen.push("answers"),
    });
    return { clock, seen, server, watch };
  }
  const forever = () => new Promise<never>(() => {});

  test("a call that waits for long is no outage while the server answers when asked", async () => {
    const { clock, seen, server, watch } = watching(true);
    void watch.during(forever);
    await clock.advance(60_000);
    assert.deepEqual(seen, []);
    assert.ok(server.asked > 10 && server.asked < 100, String(server.asked));
  });

  test("nor while any call is answered, though the server's probe is not", async () => {
    const { clock, seen, watch } = watching(false);
    void watch.during(forever);
    for (let i = 0; i < 40; i++) {
      await clock.advance(1_500);
      if (i % 2 === 0) await watch.during(async () => {});
      else await assert.rejects(watch.during(async () => Promise.reject(new StorageError("failed", ""))));
    }
    assert.deepEqual(seen, []);
  });

  test("a connection that fails is no answer", async () => {
    const { clock, seen, watch } = watching(false);
    void watch.during(forever);
    for (const fault of ["unavailable", "commit_unknown", "unavailable"] as const) {
      await clock.advance(600);
      await watch.during(async () => Promise.reject(new StorageError(fault, ""))).catch(() => {});
    }
    assert.deepEqual(seen, ["silent"]);
  });

  test("without any answer calls are refused at once until there is one, also those that wait to connect", async () => {
    const { clock, seen, server, watch } = watching(false);
    const waits = assert.rejects(
      watch.during(() => watch.unlessSilent(forever())),
      isRefused,
    );
    await clock.advance(1_799);
    assert.deepEqual(seen, []);
    assert.equal(watch.isSilent(), false);
    await clock.advance(1);
    await waits;
    assert.deepEqual(seen, ["silent"]);
    await assert.rejects(watch.during(assert.fail), isRefused);
    await clock.advance(60_000);
    await assert.rejects(watch.during(assert.fail), isRefused);
    server.answers = true;
    await clock.advance(250);
    assert.deepEqual(seen, ["silent", "answers"]);
    assert.equal(await watch.during(async () => 1), 1);
  });

  test("nothing is asked while nothing waits, and nothing sleeps", async () => {
    const { clock, seen, server, watch } = watching(false);
    await watch.during(async () => {});
    await clock.advance(60_000);
    assert.deepEqual([seen, server.asked, clock.sleeping()], [[], 0, 0]);
  });
});

/** Stops or continues the processes of the server that has this backend: all of them. */
function signal(which: "SIGSTOP" | "SIGCONT", backend: number): void {
  const parentOf = (pid: number) =>
    Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  const postmaster = parentOf(backend);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  process.kill(postmaster, which);
  for (const pid of pids) {
    try {
      if (parentOf(Number(pid)) === postmaster) process.kill(Number(pid), which);
    } catch {
      // It has just ended.
    }
  }
}

describe("a server of its own", { skip: process.platform !== "linux" && "reads /proc" }, () => {
  const backendPid = readOperation("backendPid", async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.db);
    return rows[0]!.pid;
  });
  const slow = writeOperation("slow", async (tx, seconds: number) => {
    await sql`select pg_sleep(${seconds})`.execute(tx.db);
    return "slept";
  });

  test("frozen, it refuses all calls at once, and works again after it", async () => {
    const server = await startPostgres();
    const clock = movableClock();
    const seen: string[] = [];
    let wake = () => {};
    const notice = (event: string) => {
      seen.push(event);
      wake();
    };
    const database = await openPostgres({ url: server.url, clock, notice, connections: 4 });
    const pid = await database.run(backendPid, null);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    signal("SIGSTOP", pid);
    try {
      // More than there are connections: some wait for one.
      const calls = Array.from({ length: 40 }, (_, i) => [
        database.run(probeRead, null),
        database.run(probeWrite, i),
      ]).flat();
      const outcomes = Promise.allSettled(calls);
      // One step more, because the calls began within one.
      await clock.advance(2_000);
      assert.deepEqual(seen, ["silent"]);
      for (const outcome of await outcomes) {
        assert.equal(outcome.status, "rejected");
        assert.ok(outcome.reason instanceof StorageError && outcome.reason.fault === "unavailable");
      }
      await assert.rejects(database.run(probeRead, null), isRefused);
      await assert.rejects(database.run(probeWrite, 1), isRefused);
      database.notify("lanes");
    } finally {
      signal("SIGCONT", pid);
    }
    const answered = new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (let i = 0; i < 200 && seen.length < 2; i++) {
      await clock.advance(250);
      await admin.query("select pg_sleep(0.05)");
    }
    await answered;
    assert.deepEqual(seen, ["silent", "answers"]);
    await Promise.all(Array.from({ length: 10 }, (_, i) => database.run(probeWrite, i)));
    await database.close();

    // By the real clock: a lone call that takes longer than the limit.
    const busy = await openPostgres({ url: server.url, connections: 3, notice: assert.fail });
    assert.equal(await busy.run(slow, 2.5), "slept");
    await busy.close();
    await admin.end();
    await server.stop();
  });
});
