// `node test/faults/power-loss.ts [--images 150] [--seconds 8] [--seed N]`: what a power cut leaves of SQLite.
//
// The real server runs under strace while it is sent messages and hands them to a provider. The trace says, in order, what
// was written to the database's files, what was flushed, which sends were answered with 200, and what was handed over. From
// it the files are built as a disk may hold them at many moments: all that was flushed, and of the rest nothing, all, or any
// sectors. Each image has to open, be sound, hold every message that was answered, and know of every message that was
// handed over; on a few of them the real server is started, which has to finish the rest and hand nothing over twice.
//
// The same with `synchronous=NORMAL` in a copy of the sources is the control: there answered messages have to be missing,
// or this program would see nothing. Needs strace (`apt-get install strace`). Takes about five minutes and 1 GB
// in the temporary folder; ends by itself.

import { spawn } from "node:child_process";
import {
  cpSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { xorshift32 } from "#runtime/random.ts";
import { childEnvironment, serviceProgram } from "../child-environment.ts";
import { DiskFile, type Fate } from "./disk-image.ts";
import { pause } from "./marker.ts";
import { judgeImage, type Known } from "./power-loss-judge.ts";
import { apiKey, type Provider, provisioning, startProvider } from "./power-loss-provider.ts";
import { freePort, startServer } from "./server.ts";
import { readTrace, straceArguments, type TraceEvent } from "./syscall-trace.ts";

const { values } = parseArgs({
  options: { images: { type: "string" }, seconds: { type: "string" }, seed: { type: "string" } },
});
const images = Number(values.images ?? 150);
const seconds = Number(values.seconds ?? 8);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
/** Images on which the real server is started. */
const starts = 3;
const root = fileURLToPath(new URL("../../", import.meta.url));
setTimeout(() => {
  console.error("not finished after 20 minutes: failed");
  process.exit(1);
}, 1_200_000).unref();

/** A copy of the sources in which commits are not flushed, the control's. */
function unsafeSources(folder: string): string {
  const copy = join(folder, "unsafe");
  mkdirSync(copy);
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const file = join(copy, "src/store/engine/sqlite/connection.ts");
  const text = readFileSync(file, "utf8");
  const changed = text
    .replace("synchronous = full", "synchronous = normal")
    .replace('"synchronous", 2', '"synchronous", 1');
  if (changed === text) throw new Error("The control no longer finds what to change.");
  writeFileSync(file, changed);
  return join(copy, "src/main.ts");
}

/** Runs the server under strace and sends to it for a while; returns its trace. */
async function traced(
  folder: string,
  entry: string,
  provider: Provider,
): Promise<{ trace: string; port: number }> {
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const trace = join(folder, "trace.txt");
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(provider.port)));
  const port = await freePort();
  const child = spawn("strace", [...straceArguments(trace), process.execPath, entry], {
    cwd: root,
    env: childEnvironment({
      TRUNKLINE_DATA_DIR: data,
      TRUNKLINE_PORT: String(port),
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
      TRUNKLINE_LOG_LEVEL: "warn",
    }),
    stdio: ["ignore", "ignore", "inherit"],
    // strace hands no signal on; the group is ended as a whole.
    detached: true,
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const end = () => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  process.on("exit", end);
  await Promise.race([
    new Promise((_, reject) =>
      child.once("error", () => reject(new Error("strace is not installed: apt-get install strace"))),
    ),
    listening(port),
  ]);
  await load(port);
  end();
  await ended;
  return { trace, port };
}

async function listening(port: number): Promise<void> {
  for (let i = 0; i < 600; i++) {
    const reply = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    if (reply?.status === 200) return;
    await pause(100);
  }
  throw new Error("the server was not ready within 60 s");
}

/** Single sends from three clients, and a large one now and then, so that the WAL is checkpointed as well. */
async function load(port: number): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const send = (contacts: number) =>
    fetch(`http://127.0.0.1:${port}/api/sms/send`, {
      method: "POST",
      headers: { "api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        contact: Array.from({ length: contacts }, (_, i) => ({
          number: `+1555${1_000_000 + i}`,
          message: "x".repeat(100),
        })),
      }),
    }).then((reply) => reply.text());
  const client = async (contacts: number, restMs: number) => {
    while (Date.now() < until) {
      await send(contacts).catch(() => {});
      await pause(restMs);
    }
  };
  await Promise.all([client(1, 5), client(1, 20), client(3, 40), client(300, 500)]);
}

/** Follows a trace: the files, and what the outside has been sent. */
class Follower {
  readonly files = { database: new DiskFile(), wal: new DiskFile() };
  readonly known: Known = { answered: new Set(), handed: new Set() };
  readonly #ports: { server: number; provider: number };
  readonly #replies = new Map<string, Buffer>();

  constructor(ports: { server: number; provider: number }) {
    this.#ports = ports;
  }

  /** Returns whether the outside learned something by it. */
  take(event: TraceEvent): boolean {
    if (event.kind === "sent") return this.#sent(event);
    const file = event.file.endsWith("/trunkline.db")
      ? this.files.database
      : event.file.endsWith("/trunkline.db-wal")
        ? this.files.wal
        : null;
    if (event.kind === "write") file?.write(event.offset, event.data);
    else if (event.kind === "truncate") file?.truncate(event.size);
    else file?.[event.kind](event.thread);
    return false;
  }

  #sent({ socket, port, peer, data }: Extract<TraceEvent, { kind: "sent" }>): boolean {
    const learned = peer === this.#ports.provider ? this.known.handed : this.known.answered;
    if (peer !== this.#ports.provider && port !== this.#ports.server) return false;
    const text = Buffer.concat([this.#replies.get(socket) ?? Buffer.alloc(0), data]);
    const head = text.indexOf("\r\n\r\n");
    const length = Number(
      /content-length: (\d+)/i.exec(text.toString("latin1", 0, Math.max(0, head)))?.[1] ?? 0,
    );
    const whole = head >= 0 && text.length >= head + 4 + length;
    this.#replies.set(socket, whole ? Buffer.alloc(0) : text);
    // A request says what it hands over with its first byte already; an answer counts once it is whole.
    if (learned === this.known.answered && (!whole || !text.toString("latin1", 0, 20).includes(" 200 ")))
      return false;
    const before = learned.size;
    for (const [id] of text.toString("latin1").matchAll(/msg_[0-9a-z]{20,}/g)) learned.add(id);
    return learned.size > before;
  }
}

const fates: [string, (fraction: () => number) => Fate][] = [
  ["nothing unflushed survives", () => ({ kind: "lost" })],
  ["everything written survives", () => ({ kind: "kept" })],
  ["512-byte sectors", (fraction) => ({ kind: "sectors", size: 512, fraction, garbage: false })],
  ["4096-byte sectors", (fraction) => ({ kind: "sectors", size: 4096, fraction, garbage: false })],
  [
    "512-byte sectors, garbage for the lost ones",
    (fraction) => ({ kind: "sectors", size: 512, fraction, garbage: true }),
  ],
];

interface Outcome {
  checked: number;
  restarted: number;
  violations: string[];
  answered: number;
  handed: number;
  flushes: number;
}

/** Cuts the power at `count` moments of a trace, at each in one of the ways. */
async function cut(
  folder: string,
  run: { trace: string; port: number },
  provider: Provider,
  count: number,
  restarts: number,
): Promise<Outcome> {
  const ports = { server: run.port, provider: provider.port };
  const lines = () =>
    createInterface({ input: createReadStream(run.trace), crlfDelay: Number.POSITIVE_INFINITY });
  // Once to learn how many moments there are, once to cut at some of them.
  const moments = await walk(new Follower(ports), lines(), async () => {});
  const next = xorshift32(seed);
  const random = () => next() / 2 ** 32;
  const chosen = new Set(Array.from({ length: count }, () => Math.floor(random() * moments.learned)));
  const outcome: Outcome = {
    checked: 0,
    restarted: 0,
    violations: [],
    answered: 0,
    handed: 0,
    flushes: moments.flushes,
  };
  const follower = new Follower(ports);
  await walk(follower, lines(), async (moment) => {
    if (!chosen.has(moment)) return;
    for (const [name, fate] of fates) {
      const image = join(folder, "image");
      rmSync(image, { recursive: true, force: true });
      mkdirSync(image, { mode: 0o700 });
      const chosenFate = fate(random);
      // A drive that loses a sector of the database leaves what was there before.
      const ofDatabase = chosenFate.kind === "sectors" ? { ...chosenFate, garbage: false } : chosenFate;
      writeFileSync(join(image, "trunkline.db"), follower.files.database.image(ofDatabase));
      writeFileSync(join(image, "trunkline.db-wal"), follower.files.wal.image(chosenFate));
      const found = judgeImage(join(image, "trunkline.db"), follower.known);
      outcome.violations.push(...found.map((one) => `moment ${moment}, ${name}: ${one}`));
      outcome.checked += 1;
      if (
        outcome.restarted < restarts &&
        outcome.checked % Math.ceil((count * fates.length) / restarts) === 1
      ) {
        outcome.restarted += 1;
        const again = await restart(folder, image, provider, follower.known);
        outcome.violations.push(...again.map((one) => `moment ${moment}, ${name}, started: ${one}`));
      }
    }
  });
  outcome.answered = follower.known.answered.size;
  outcome.handed = follower.known.handed.size;
  return outcome;
}

async function walk(
  follower: Follower,
  lines: AsyncIterable<string>,
  learned: (moment: number) => Promise<void>,
): Promise<{ learned: number; flushes: number }> {
  const read = readTrace();
  let moment = 0;
  let flushes = 0;
  for await (const line of lines) {
    const event = read(line);
    if (event === null) continue;
    if (event.kind === "synced") flushes += 1;
    if (!follower.take(event)) continue;
    await learned(moment);
    moment += 1;
  }
  return { learned: moment, flushes };
}

/** Starts the real server on an image, and says what it did wrong. */
async function restart(folder: string, image: string, provider: Provider, known: Known): Promise<string[]> {
  cpSync(join(folder, "data/master.key"), join(image, "master.key"));
  provider.taken.clear();
  const server = await startServer({
    port: await freePort(),
    logFile: join(folder, "restart.log"),
    env: {
      TRUNKLINE_DATA_DIR: image,
      TRUNKLINE_PROVISION: join(folder, "provision.json"),
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
      TRUNKLINE_LOG_LEVEL: "info",
    },
  });
  const wrong: string[] = [];
  const asked = async (path: string) =>
    (await (await fetch(`${server.base}${path}`, { headers: { "api-key": apiKey } })).json()) as {
      data: { status: string };
    };
  const left = new Set(known.answered);
  for (const deadline = Date.now() + 60_000; left.size > 0; ) {
    for (const id of left) {
      const { status } = (await asked(`/api/get/sms/${id}`)).data ?? { status: "not there" };
      if (["queued", "sending"].includes(status)) continue;
      left.delete(id);
      if (!["sent", "delivered", "unknown"].includes(status)) wrong.push(`${id} is ${status}`);
      if (status === "unknown" && provider.taken.has(id))
        wrong.push(`${id} is unknown and was handed over again`);
    }
    if (Date.now() > deadline) {
      wrong.push(`${left.size} answered messages did not end within 60 s`);
      break;
    }
    if (left.size > 0) await pause(200);
  }
  for (const [id, times] of provider.taken) {
    if (times > 1) wrong.push(`${id} was handed over ${times} times`);
    if (known.handed.has(id)) wrong.push(`${id} was handed over before the power went, and again`);
  }
  await server.kill();
  return wrong;
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-power-"));
  const provider = await startProvider();
  let failures = 0;
  try {
    for (const mode of ["full", "normal"] as const) {
      const own = join(folder, mode);
      mkdirSync(own);
      const entry = mode === "full" ? serviceProgram() : unsafeSources(own);
      const run = await traced(own, entry, provider);
      const control = mode === "normal";
      const outcome = await cut(
        own,
        run,
        provider,
        Math.ceil(images / fates.length / (control ? 3 : 1)),
        control ? 0 : starts,
      );
      const { checked, restarted, violations, answered, handed, flushes } = outcome;
      console.log(
        `synchronous=${mode}, seed ${seed}: ${answered} messages answered, ${handed} handed over, ${flushes} flushes; ${checked} images, ${restarted} of them started, ${violations.length} violations`,
      );
      for (const line of violations.slice(0, control ? 2 : 20)) console.log(`    ${line}`);
      if (!control && (violations.length > 0 || answered === 0 || handed === 0)) failures += 1;
      if (control && violations.length === 0) {
        console.log("    the control lost nothing: this program does not see what it is made to see");
        failures += 1;
      }
    }
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return failures;
}

process.exit((await main()) === 0 ? 0 : 1);
