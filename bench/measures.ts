// The measurements. Each stops by itself and returns rows of a table: what, how much, against what goal.

import { request } from "undici";
import type { Server } from "../test/faults/server.ts";
import { memoryMib, resetPeak } from "../test/process-memory.ts";
import { bareRequestsIn, shareOfBare } from "./bare.ts";
import { expectClean, type Figure, figure, type Measure, ms, onStage, pause, perSecond } from "./figure.ts";
import { gateways, heldGateway, metric, type Stage } from "./stage.ts";

/** What the load client itself can do: its own ceiling, against a peer that does nothing but answer. */
export const ceiling: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const job = {
      ask: { kind: "single", gateway: "bench-a", scheduleAt: null } as const,
      connections: 64,
      requests: Infinity,
      restMs: 0,
    };
    const result = await stage.run(
      { base: stage.provider.base },
      { ...job, durationMs: 4000, warmupMs: 1000 },
    );
    expectClean(result);
    return [figure("load client's own ceiling", perSecond(result.perSecond))];
  });

const lag = "nodejs_eventloop_lag_p99_seconds";

/**
 * Single-contact sends from 64 connections, a closed loop: first accepted only (for a gateway outside its
 * hours), which the goals are about; then for at once, so that the same core also delivers them.
 */
export const single: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const server = await stage.start();
    const job = { connections: 64, requests: Infinity, restMs: 0 };
    const later = {
      ...job,
      ask: { kind: "single", gateway: heldGateway, scheduleAt: null } as const,
    };
    const now = { ...job, ask: { kind: "single", gateway: "bench-a", scheduleAt: null } as const };
    await metric(server, lag);
    await pause(2000);
    const idleLag = await metric(server, lag);
    expectClean(await stage.run(server, { ...later, durationMs: 1, warmupMs: 4000 }));
    await metric(server, lag); // its counting starts anew with each reading
    const result = await stage.run(server, { ...later, durationMs: 10_000, warmupMs: 0 });
    const busyLag = await metric(server, lag);
    expectClean(result);
    const both = await stage.run(server, { ...now, durationMs: 5000, warmupMs: 1000 });
    expectClean(both);
    const delay = busyLag === null || idleLag === null ? null : (busyLag - idleLag) * 1000;
    const times = ({ p50Ms, p99Ms, maxMs }: typeof result) => `${ms(p50Ms)} / ${ms(p99Ms)} / ${ms(maxMs)}`;
    return [
      figure(
        "single sends, 64 connections",
        perSecond(result.perSecond),
        "≥ 12,000/s",
        result.perSecond >= 12_000,
      ),
      await shareOfBare(result.perSecond, 0.5),
      figure("  their p50 / p99 / max", times(result), "p99 < 40 ms", result.p99Ms < 40),
      delay === null
        ? figure("  event-loop delay p99", "not shown by /metrics", "< 10 ms", false)
        : figure("  event-loop delay p99 (over idle)", ms(Math.max(0, delay)), "< 10 ms", delay < 10),
      figure("single sends, delivered meanwhile", perSecond(both.perSecond)),
      figure("  their p50 / p99 / max", times(both)),
    ];
  });

/** Bulk requests one after the other, with a light probe of single requests beside them. */
export const bulk: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const server = await stage.start();
    const figures: Figure[] = [];
    const probeJob = {
      ask: { kind: "single", gateway: "bench-b", scheduleAt: null } as const,
      connections: 4,
      requests: Infinity,
      restMs: 2,
    };
    expectClean(await stage.run(server, { ...probeJob, durationMs: 1, warmupMs: 3000 }));
    const alone = await stage.probe(server, { ...probeJob, durationMs: 2000, warmupMs: 0 });
    figures.push(figure("probe alone: p99", ms(alone.p99Ms)));
    for (const [contacts, rounds, limitMs] of [
      [10_000, 6, 250],
      [100_000, 3, 2000],
    ] as const) {
      const job = {
        ask: { kind: "bulk", gateways: ["bench-a"], contacts, scheduleAt: inSeconds(3600) } as const,
        connections: 1,
        requests: rounds,
        durationMs: 60_000,
        warmupMs: 0,
        restMs: 0,
      };
      // The first one warms up the path and is not counted.
      expectClean(await stage.run(server, { ...job, requests: 1 }));
      const big = stage.run(server, job);
      let running = true;
      void big.then(() => {
        running = false;
      });
      const probes = [];
      while (running) probes.push(await stage.probe(server, { ...probeJob, durationMs: 250, warmupMs: 0 }));
      const result = await big;
      expectClean(result);
      for (const probe of probes) expectClean(probe);
      const worst = Math.max(...probes.map(({ p99Ms }) => p99Ms));
      const name = `one request of ${contacts.toLocaleString("en-US")} contacts`;
      figures.push(
        figure(
          `${name}: median / worst of ${rounds}`,
          `${ms(result.p50Ms)} / ${ms(result.maxMs)}`,
          `< ${limitMs} ms`,
          result.p50Ms < limitMs,
        ),
      );
      if (contacts === 100_000) figures.push(await bareRequestsIn(result.p50Ms, 50_000));
      figures.push(
        figure("  other requests' p99 meanwhile (worst 250 ms)", ms(worst), "< 250 ms", worst < 250),
      );
    }
    return figures;
  });

/** `Y-m-d H:i:s` in UTC, the account's zone here. */
function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

async function enqueue(
  stage: Stage,
  server: Server,
  messages: number,
  scheduleAt: string | null,
): Promise<string[]> {
  const contacts = Math.min(messages, 10_000);
  const result = await stage.run(server, {
    ask: { kind: "bulk", gateways, contacts, scheduleAt },
    connections: 2,
    requests: Math.ceil(messages / contacts),
    durationMs: 600_000,
    warmupMs: 0,
    restMs: 0,
    ids: true,
  });
  expectClean(result);
  return result.ids;
}

const backlog = 200_000;

/**
 * A backlog scheduled for one instant, drained through the instant provider. SQLite: one process.
 * PostgreSQL: two, on the same two cores as the database and the provider.
 */
export const drain: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const servers = [await stage.start({ pin: engine === "sqlite" })];
    const [first] = servers as [Server];
    if (engine === "postgres") servers.push(await stage.start({ pin: false }));
    // Far enough ahead that all of it is stored before any of it is due.
    const begun = performance.now();
    await enqueue(stage, first, 20_000, inSeconds(86_400));
    const aheadSeconds = 10 + (backlog / 20_000) * 1.5 * ((performance.now() - begun) / 1000);
    const dueAt = Date.now() + aheadSeconds * 1000;
    stage.provider.configure({ expect: backlog });
    await enqueue(stage, first, backlog, inSeconds(aheadSeconds));
    const late = Date.now() > dueAt;
    let before = -1;
    for (let quietSince = Date.now(); ; ) {
      await pause(250);
      const { count } = await stage.provider.arrivals();
      if (count >= backlog) break;
      if (count !== before) quietSince = Date.now();
      before = count;
      if (Date.now() > dueAt && Date.now() - quietSince > 60_000)
        throw new Error(`the drain stood still at ${count}`);
    }
    const { marks } = await stage.provider.arrivals();
    const span = (from: number, to: number) => ((marks[to] ?? 0) - (marks[from] ?? 0)) / 1000;
    const rate = backlog / span(0, 10);
    const tenths = Array.from({ length: 10 }, (_, index) => backlog / 10 / span(index, index + 1));
    const goal = engine === "sqlite" ? 8000 : 4000;
    const name = `drain of ${backlog.toLocaleString("en-US")}, ${servers.length} process${servers.length > 1 ? "es" : ""}`;
    const slowdown = 1 - (tenths[9] ?? 0) / (tenths[0] ?? 1);
    return [
      figure(name, perSecond(rate), `≥ ${perSecond(goal)}`, rate >= goal),
      ...(engine === "sqlite" ? [await shareOfBare(rate, 0.32)] : []),
      figure(
        "  by tenths",
        tenths.map((tenth) => Math.round(tenth)).join(" "),
        "no slowdown",
        slowdown <= 0.2,
      ),
      ...(late ? [figure("  note", "the first became due before the last was stored")] : []),
    ];
  });

const many = 1_000_000;

/** A million messages that stay queued because the provider refuses its caller. */
async function fill(stage: Stage): Promise<{ server: Server; ids: string[] }> {
  stage.provider.configure({ open: false });
  const server = await stage.start({ pin: false });
  const begun = performance.now();
  const ids = await enqueue(stage, server, many, null);
  console.error(
    `  stored ${ids.length.toLocaleString("en-US")} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  );
  return { server, ids };
}

export const lookup: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const { server, ids } = await fill(stage);
    return lookups(stage, server, ids);
  });

async function lookups(stage: Stage, server: Server, ids: readonly string[]): Promise<Figure[]> {
  const byId = Array.from(
    { length: 2000 },
    (_, index) => `/api/get/sms/${ids[Math.floor((index * ids.length) / 2000)]}`,
  );
  const paths: [string, string[]][] = [
    ["by id", byId],
    ["the 50 most recent", ["/api/get/sms"]],
    ["200 with status queued (nearly all)", ["/api/get/sms?status=queued&limit=200"]],
    ["50 with status delivered (none)", ["/api/get/sms?status=delivered"]],
  ];
  const figures: Figure[] = [];
  for (const [name, list] of paths) {
    const job = { ask: { kind: "get", paths: list } as const, connections: 4, requests: Infinity, restMs: 5 };
    const result = await stage.run(server, { ...job, durationMs: 4000, warmupMs: 1000 });
    expectClean(result);
    figures.push(
      figure(
        `lookup ${name}, of ${many.toLocaleString("en-US")}: p50 / p99`,
        `${ms(result.p50Ms)} / ${ms(result.p99Ms)}`,
        "p99 < 20 ms",
        result.p99Ms < 20,
      ),
    );
  }
  return figures;
}

export const restart: Measure = (engine) =>
  onStage(engine, async (stage) => restarts(stage, (await fill(stage)).server));

async function restarts(stage: Stage, server: Server): Promise<Figure[]> {
  const figures: Figure[] = [];
  let last = server;
  for (const how of ["kill -9", "SIGTERM"] as const) {
    if (how === "kill -9") await last.kill();
    else {
      last.signal("SIGTERM");
      await last.ended;
    }
    const begun = performance.now();
    last = await stage.start({ pin: false });
    while ((await request(`${last.base}/health/ready`)).statusCode !== 200) await pause(10);
    const ready = performance.now() - begun;
    figures.push(
      figure(
        `ready after ${how} with ${many.toLocaleString("en-US")} queued`,
        ms(ready),
        "< 2,000 ms",
        ready < 2000,
      ),
    );
  }
  return figures;
}

/** Both of the above on one store. */
export const stored: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const { server, ids } = await fill(stage);
    return [...(await lookups(stage, server, ids)), ...(await restarts(stage, server))];
  });

/**
 * Resident memory of the server process: idle, and its peak during a request of 100,000 contacts. Of a second
 * start: the first one compiles the sources, and keeps the compiler's memory.
 */
export const memory: Measure = (engine) =>
  onStage(engine, async (stage) => {
    const first = await stage.start();
    first.signal("SIGTERM");
    await first.ended;
    const server = await stage.start();
    await pause(5000);
    const idle = memoryMib(server.pid, "VmRSS");
    resetPeak(server.pid);
    const contacts = 100_000;
    const result = await stage.run(server, {
      ask: { kind: "bulk", gateways: ["bench-a"], contacts, scheduleAt: null },
      connections: 1,
      requests: 1,
      durationMs: 60_000,
      warmupMs: 0,
      restMs: 0,
    });
    const peak = memoryMib(server.pid, "VmHWM");
    expectClean(result);
    if (idle === null || peak === null) return [figure("memory", "only measured on Linux")];
    return [
      figure("memory idle", `${idle.toFixed(0)} MiB`, "< 180 MiB", idle < 180),
      figure("memory peak during 100,000 contacts", `${peak.toFixed(0)} MiB`, "< 400 MiB", peak < 400),
    ];
  });
