// The fault runs. Each starts a fresh installation, lets a fault strike under load, gives everything the
// time to end, and compares. A fault that did not strike is no success: then the run fails too.

import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "./checker.ts";
import {
  concurrency,
  type Engine,
  type Installation,
  openInstallation,
  senders,
  takeoverMs,
  wire,
} from "./installation.ts";
import { early, hooksFor, keyed, restMs, stalling, startLoad, throughout } from "./load.ts";
import { pause, seeded } from "./marker.ts";
import { EarlyEnd, type Ended, type Server } from "./server.ts";
import type { ProviderFault } from "./simulator.ts";
import type { HookSettings } from "./webhook-sink.ts";

export interface Result {
  fault: string;
  engine: Engine;
  seed: number;
  /** How often the fault struck. */
  fired: number;
  verdict: Verdict;
  /** What violated messages went through. */
  histories: string[];
  ms: number;
}

/** What the run expects of itself beyond the checker's verdict. */
interface Struck {
  fired: number;
  drained: boolean;
  /** The server to ask about the outcome. */
  base: string;
  unknownAtMost: number | null;
}

/** Where the process can be made to die. `commit.*`: inside the database thread of SQLite. */
export const crashPoints = [
  "accept.before",
  "accept.after",
  "stamp.before",
  "stamp.after",
  "send.before",
  "send.after",
  "settle.before",
  "settle.after",
  "receipt.before",
  "receipt.after",
  "fan_out.before",
  "fan_out.after",
  "post.before",
  "post.after",
] as const;

export const commitPoints = ["commit.before", "commit.after"] as const;

/** A point that is not reached by then is not reached at all; a busy machine has taken 25 s. */
const pointLimitMs = 90_000;

async function run(
  fault: string,
  engine: Engine,
  seed: number,
  strike: (installation: Installation) => Promise<Struck>,
  hooks: HookSettings = early,
): Promise<Result> {
  const started = performance.now();
  const installation = await openInstallation(engine, seed, hooks);
  let sound = false;
  try {
    const { base, fired, drained, unknownAtMost } = await strike(installation);
    const verdict = await installation.verdict(base, { drained: true, unknownAtMost });
    if (!drained) verdict.violations.push("not everything ended within its time");
    if (fired === 0) verdict.violations.push("the fault never struck");
    for (const count of ["acknowledged", "notified", "repeated", "inbound"] as const) {
      if (verdict[count] === 0) verdict.violations.push(`nothing was ${count}: then nothing was compared`);
    }
    const used = new Set(installation.simulator.taken().map(({ gateway }) => gateway));
    for (const { gateways } of senders)
      if (!gateways.some((gateway) => used.has(gateway)))
        verdict.violations.push(`nothing went through ${gateways}: then nothing was compared`);
    sound = verdict.violations.length === 0;
    const histories = sound ? [] : await installation.histories(base, verdict.violations);
    return { fault, engine, seed, fired, verdict, histories, ms: performance.now() - started };
  } finally {
    // What broke stays to be looked at, when asked for.
    const keep = !sound && process.env.TRUNKLINE_FAULTS_KEEP !== undefined;
    if (keep) console.error(`kept: ${installation.folder}`);
    await installation.close(keep);
  }
}

/** How the process ended after load on it, or while it was starting on what the last one left behind. */
async function dieAt(
  installation: Installation,
  crashPoint: string,
  seed: number,
  atMost: number,
): Promise<Ended | null> {
  try {
    const env = { TRUNKLINE_CRASH_AT: crashPoint, TRUNKLINE_TAKEOVER_MS: "1000" };
    const server = await installation.start(0, env);
    const load = startLoad(installation, () => [server.base], seed, { atMost });
    let limit: NodeJS.Timeout | undefined;
    const overdue = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, pointLimitMs);
    });
    const ended = await Promise.race([server.ended, overdue]);
    clearTimeout(limit);
    await load.stop();
    return ended ?? null;
  } catch (error) {
    if (error instanceof EarlyEnd) return error.ended;
    throw error;
  }
}

/** Dies at each of the points, one after the other, on one database. */
export function crashAt(points: readonly string[], engine: Engine, seed: number): Promise<Result> {
  const name = points.length === 1 ? `kill -9 at ${points[0]}` : `kill -9 at ${points.length} points`;
  return run(name, engine, seed, async (installation) => {
    const random = seeded(seed);
    let fired = 0;
    for (const point of points) {
      const hit = 1 + Math.floor(random() * 12);
      // Outcomes are stored in batches: each gateway has to have several of them, whichever point is to be reached.
      const atMost = points.length === 1 ? 2000 : (50 * wire) / concurrency;
      const ended = await dieAt(installation, `${point}:${hit}`, seed + fired, atMost);
      if (ended === null) throw new Error(`${point}:${hit} was not reached within ${pointLimitMs / 1000} s`);
      if (ended.signal !== "SIGKILL") {
        throw new Error(`the server ended with ${ended.signal ?? ended.code} instead of dying at ${point}`);
      }
      fired += 1;
    }
    const server = await installation.start();
    const load = startLoad(installation, () => [server.base], seed + 1000, { atMost: 200 });
    await pause(300);
    await load.stop();
    // On a slow machine chance alone may repeat no request that was answered.
    for (const sender of senders)
      await installation.recorder.send(server.base, sender, sender.gateways[0]!, 1, { keyed: true });
    const drained = await installation.drained(server.base);
    return { base: server.base, fired, drained, unknownAtMost: fired * wire };
  });
}

/** `kill -9` from outside at random moments under load, over and over. */
export function randomKills(engine: Engine, seed: number, kills: number): Promise<Result> {
  return run(
    `kill -9 at random, ${kills} times`,
    engine,
    seed,
    async (installation) => {
      const random = seeded(seed);
      let server = await installation.start();
      const load = startLoad(installation, () => [server.base], seed, {
        atMost: 1500 * kills,
        restMs: restMs(kills),
      });
      for (let kill = 0; kill < kills; kill += 1) {
        await pause(500 + 2500 * random());
        await server.kill();
        server = await installation.start();
      }
      await pause(300);
      await load.stop();
      const drained = await installation.drained(server.base);
      return { base: server.base, fired: kills, drained, unknownAtMost: kills * wire };
    },
    hooksFor(kills),
  );
}

/** SIGTERM under load: what is on the wire is finished, so nothing may be left in doubt. */
export function gracefulStops(engine: Engine, seed: number, stops: number): Promise<Result> {
  return run(
    `SIGTERM under load, ${stops} times`,
    engine,
    seed,
    async (installation) => {
      const random = seeded(seed);
      let server = await installation.start();
      const load = startLoad(installation, () => [server.base], seed, { atMost: 1500 * stops });
      for (let stop = 0; stop < stops; stop += 1) {
        await pause(500 + 1000 * random());
        server.signal("SIGTERM");
        const ended = await Promise.race([server.ended, pause(35_000)]);
        if (ended?.code !== 0) {
          throw new Error(
            `SIGTERM ended with ${ended?.signal ?? ended?.code ?? "nothing in 35 s"}\n${server.tail()}`,
          );
        }
        server = await installation.start();
      }
      await load.stop();
      const drained = await installation.drained(server.base);
      return { base: server.base, fired: stops, drained, unknownAtMost: 0 };
    },
    throughout,
  );
}

/** Two processes on PostgreSQL; one dies under load and the other has to take its lanes. */
export function lostProcess(seed: number, losses: number): Promise<Result> {
  return run(
    `one of two processes dies, ${losses} times`,
    "postgres",
    seed,
    async (installation) => {
      const random = seeded(seed);
      const servers = [await installation.start(0), await installation.start(1)] as [Server, Server];
      let alive = [...servers];
      const load = startLoad(installation, () => alive.map(({ base }) => base), seed, {
        atMost: 2000 * losses,
        restMs: restMs(losses),
      });
      // Each in turn, so that the one that owned the lanes was certainly among them.
      for (let loss = 0; loss < losses; loss += 1) {
        const victim = loss % 2 === 0 ? 0 : 1;
        await pause(500 + 1500 * random());
        await servers[victim].kill();
        alive = servers.filter((_, index) => index !== victim);
        await pause(takeoverMs * (0.5 + random()));
        if (loss === losses - 1) break;
        servers[victim] = await installation.start(victim);
        alive = [...servers];
      }
      await load.stop();
      const base = alive[0]?.base ?? "";
      const drained = await installation.drained(base, 90_000);
      return { base, fired: losses, drained, unknownAtMost: losses * wire };
    },
    hooksFor(losses),
  );
}

/** An owner is frozen until its lanes are taken, then wakes and goes on where it was. */
export function frozenOwner(seed: number): Promise<Result> {
  return run(
    "each of two processes frozen past its takeover",
    "postgres",
    seed,
    async (installation) => {
      const random = seeded(seed);
      const servers = [await installation.start(0), await installation.start(1)] as const;
      const bases = servers.map(({ base }) => base);
      let fired = 0;
      let drained = true;
      for (const [index, frozen] of servers.entries()) {
        const other = bases[1 - index] ?? "";
        const before = startLoad(installation, () => bases, seed + 10 * index);
        await pause(500 + 1000 * random());
        frozen.signal("SIGSTOP");
        before.quiet();
        const meanwhile = startLoad(installation, () => [other], seed + 10 * index + 1, { atMost: 500 });
        await pause(500);
        await meanwhile.stop();
        // All that was accepted ends without the frozen one: so its lanes were taken.
        drained = (await installation.drained(other, takeoverMs + 60_000)) && drained;
        frozen.signal("SIGCONT");
        await before.stop();
        const after = startLoad(installation, () => bases, seed + 10 * index + 2, { atMost: 500 });
        await pause(500);
        await after.stop();
        fired += 1;
      }
      drained = (await installation.drained(bases[0] ?? "", takeoverMs + 60_000)) && drained;
      return { base: bases[0] ?? "", fired, drained, unknownAtMost: fired * wire };
    },
    throughout,
  );
}

const providerFaults: readonly ProviderFault[] = [
  "reset-early",
  "silence-early",
  "500-early",
  "400",
  "429",
  "429-after",
  "503",
  "reset-late",
  "silence",
  "500-late",
  "garbage",
  "cut",
];

/** A provider that misbehaves in every way it can, on every gateway, between messages that go well. */
export function badProvider(engine: Engine, seed: number, each: number): Promise<Result> {
  return run(
    `${providerFaults.length} provider faults, ${each} times each`,
    engine,
    seed,
    async (installation) => {
      const server = await installation.start();
      const { recorder, simulator } = installation;
      installation.hearBack();
      const random = seeded(seed);
      const jobs = senders.flatMap((sender) =>
        sender.gateways.flatMap((gateway) =>
          providerFaults.flatMap((fault) =>
            Array.from({ length: each }, () => ({ sender, gateway, fault, order: random() })),
          ),
        ),
      );
      for (const { sender, gateway, fault } of jobs.sort((a, b) => a.order - b.order)) {
        await recorder.send(server.base, sender, gateway, 1, { fault });
        await recorder.send(server.base, sender, gateway, 3, { keyed: random() < keyed });
      }
      const drained = await installation.drained(server.base, 240_000);
      const struck = (await simulator.stats()).faults;
      const fired = Math.min(...providerFaults.map((fault) => struck[fault] ?? 0));
      return { base: server.base, fired, drained, unknownAtMost: null };
    },
    stalling,
  );
}

/**
 * The control: a run that really loses and really repeats, because the database is put back to an older
 * copy behind the checker's back. Its verdict must be full of violations, or the checker is blind.
 */
export function rolledBack(seed: number): Promise<Result> {
  return run("control: database put back", "sqlite", seed, async (installation) => {
    const { simulator, dataFolder, folder } = installation;
    const copy = join(folder, "older");
    // Slow enough that a backlog waits when the copy is taken.
    simulator.configure({ delayMs: 400 });
    let server = await installation.start();
    const first = startLoad(installation, () => [server.base], seed, { atMost: 400 });
    await pause(600);
    await first.stop();
    await server.kill();
    cpSync(dataFolder, copy, { recursive: true });
    server = await installation.start();
    const takenAtCopy = simulator.taken().length;
    const sentAtCopy = installation.recorder.sent.length;
    const second = startLoad(installation, () => [server.base], seed + 1, { atMost: 100 });
    while (simulator.taken().length < takenAtCopy + 4 * concurrency) await pause(50);
    await second.stop();
    // Something of what will be lost was posted by then.
    const since = new Set(
      installation.recorder.sent
        .slice(sentAtCopy)
        .flatMap(({ result }) => (result.kind === "acknowledged" ? result.ids : [])),
    );
    const isPosted = () => installation.posted().some(({ subject }) => since.has(subject ?? ""));
    for (const deadline = Date.now() + 30_000; !isPosted() && Date.now() < deadline; ) await pause(100);
    await server.kill();
    rmSync(dataFolder, { recursive: true });
    renameSync(copy, dataFolder);
    simulator.configure({ delayMs: 0 });
    server = await installation.start();
    const drained = await installation.drained(server.base);
    return { base: server.base, fired: 1, drained, unknownAtMost: null };
  });
}

/** One line: everything a run has to say about itself. */
export function describe({ fault, engine, seed, fired, verdict, ms }: Result): string {
  return [
    `${fault} · ${engine} · seed ${seed}:`,
    `struck ${fired}, acknowledged ${verdict.acknowledged},`,
    `lost ${verdict.lost.length}, unexpected ${verdict.unexpected.length},`,
    `duplicates ${verdict.duplicates.length} (by policy ${verdict.resent}),`,
    `recovered ${verdict.recovered}, unknown ${verdict.unknown}, not sent ${verdict.notSent},`,
    `told ${verdict.notified}, repeated ${verdict.repeated}, inbound ${verdict.inbound},`,
    `other violations ${verdict.violations.length - verdict.lost.length - verdict.unexpected.length - verdict.duplicates.length},`,
    `${(ms / 1000).toFixed(1)} s`,
  ].join(" ");
}
