// An HTTP provider in a process of its own. Its journal is the oracle of every fault run: a request is
// appended and flushed to disk before anything about it is answered, so what the journal holds was
// really taken, whatever the sender was told. One flush may serve many requests.
//
// `POST /send` or `/send/{gateway}`, any body with a marker in it. Started by `simulator.ts`; spoken to
// over IPC (`configure`, `stats`); ends with its parent.

import { appendFileSync, closeSync, fdatasync, openSync, write } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { faultIn, markerIn, pause, seeded } from "./marker.ts";
import type { ProviderFault, SimulatorSettings, SimulatorStats } from "./simulator.ts";

const path = process.argv[2];
if (path === undefined || process.send === undefined) throw new Error("started by simulator.ts only");
const reportedPath = process.argv[3] ?? `${path}.reported`;
for (const file of [path, reportedPath]) appendFileSync(file, "");
const descriptor = openSync(path, "a");
const flush = promisify(fdatasync);
const append = promisify(write);

let settings: SimulatorSettings = { seed: 1, faults: {}, delayMs: 0, callbacks: null };
let random = seeded(1);
const stats: SimulatorStats = {
  requests: 0,
  journalled: 0,
  faults: {},
  callbacks: 0,
  callbacksLost: 0,
  reporting: 0,
};
const struck = new Set<string>();
let taken = 0;

// ---- the journal, flushed in groups ----

let waiting: { line: string; done: () => void }[] = [];
let flushing = false;

function journal(entry: { marker: string; id: string; gateway: string; answer: string }): Promise<void> {
  return new Promise((done) => {
    waiting.push({ line: `${JSON.stringify({ at: Date.now(), ...entry })}\n`, done });
    if (!flushing) void flushAll();
  });
}

async function flushAll(): Promise<void> {
  flushing = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await append(descriptor, group.map(({ line }) => line).join(""));
    await flush(descriptor);
    stats.journalled += group.length;
    for (const { done } of group) done();
  }
  flushing = false;
}

// ---- what a request meets ----

/** The fault for this transmission: the one its text asks for, else one by chance. */
function chooseFault(body: string, marker: string | null): ProviderFault | null {
  const asked = faultIn(body);
  if (asked !== null) {
    if (!asked.always && struck.has(`${marker}`)) return null;
    struck.add(`${marker}`);
    return asked.name as ProviderFault;
  }
  let roll = random();
  for (const [name, chance] of Object.entries(settings.faults)) {
    roll -= chance;
    if (roll < 0) return name as ProviderFault;
  }
  return null;
}

async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  stats.requests += 1;
  incoming.on("error", () => {});
  answer.on("error", () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  const marker = markerIn(body);
  if (incoming.method !== "POST" || !incoming.url?.startsWith("/send") || marker === null) {
    answer.writeHead(404).end("no such thing");
    return;
  }
  const gateway = incoming.url.split("/")[2] ?? "";
  const fault = chooseFault(body, marker);
  if (fault !== null) stats.faults[fault] = (stats.faults[fault] ?? 0) + 1;
  if (settings.delayMs > 0) await pause(settings.delayMs * random());
  const reply = (status: number, value: unknown, headers: Record<string, string> = {}) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    answer.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  };

  // Faults of a provider that did not take the message.
  if (fault === "reset-early") return void incoming.socket.resetAndDestroy();
  if (fault === "silence-early") return;
  if (fault === "400") return reply(400, { error: { code: "bad_number", message: "no such number" } });
  if (fault === "429") return reply(429, { error: { message: "slow down" } });
  if (fault === "429-after") return reply(429, { error: { message: "slow down" } }, { "retry-after": "1" });
  if (fault === "500-early") return reply(500, { error: { message: "oops" } });
  if (fault === "503") return reply(503, { error: { message: "closed" } });

  taken += 1;
  const id = `p${process.pid}-${taken}`;
  await journal({ marker, id, gateway, answer: fault ?? "ok" });

  // Faults of a provider that took it.
  if (fault === "reset-late") return void incoming.socket.resetAndDestroy();
  if (fault === "silence") return;
  if (fault === "500-late") return reply(500, { error: { message: "oops" } });
  if (fault === "garbage") return reply(200, "<<<\u0000 not JSON");
  if (fault === "cut") {
    answer.writeHead(200, { "content-type": "application/json", "content-length": "500" });
    answer.write('{"messages":[{"id":"', () => incoming.socket.destroy());
    return;
  }
  const callbacks = settings.callbacks;
  const delivery: Delivery = { id, gateway, ours: /"id":"(msg_\w+)"/.exec(body)?.[1] ?? null };
  const early = callbacks !== null && random() < callbacks.early && (await postCallback(delivery, 1));
  if (callbacks !== null && !early) void report(delivery, callbacks.delayMs, callbacks.twice);
  reply(200, { messages: [{ id }] });
}

// ---- receipts ----

/** Every 250 ms; longer than any restart takes. */
const reportTries = 240;

interface Delivery {
  id: string;
  gateway: string;
  /** The sender's own id, when the request carried it. */
  ours: string | null;
}

async function report(delivery: Delivery, delayMs: number, twice: number): Promise<void> {
  stats.reporting += 1;
  await pause(delayMs * random());
  if (!(await postCallback(delivery, reportTries))) stats.callbacksLost += 1;
  if (random() < twice) {
    await pause(delayMs * random());
    await postCallback(delivery, reportTries);
  }
  stats.reporting -= 1;
}

/** Posts a delivery report, and again after a pause until somebody says 2xx, as providers do. */
async function postCallback({ id, gateway, ours }: Delivery, tries: number): Promise<boolean> {
  const body = JSON.stringify({ id, ours, state: "DELIVRD" });
  for (let turn = 0; turn < tries; turn += 1) {
    const callbacks = settings.callbacks;
    const base = callbacks?.bases[turn % callbacks.bases.length];
    if (callbacks === null || base === undefined) return false;
    if (await post(`${base}/callbacks/${gateway}?token=${callbacks.token}`, body)) {
      stats.callbacks += 1;
      appendFileSync(reportedPath, `${id}\n`);
      return true;
    }
    if (turn + 1 < tries) await pause(250);
  }
  return false;
}

function post(url: string, body: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request(url, { method: "POST", headers, timeout: 5000 }, (answer) => {
      answer.resume();
      answer.on("error", () => resolve(false));
      answer.on("close", () => resolve(answer.complete && (answer.statusCode ?? 500) < 300));
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(false));
    call.end(body);
  });
}

// ---- the process ----

const server = createServer((incoming, answer) => {
  serve(incoming, answer).catch(() => incoming.socket.destroy());
});
server.keepAliveTimeout = 60_000;
process.on("disconnect", () => process.exit(0));
process.on("message", (message: { settings?: Partial<SimulatorSettings>; ask?: number; stop?: true }) => {
  if (message.settings !== undefined) {
    settings = { ...settings, ...message.settings };
    if (message.settings.seed !== undefined) random = seeded(message.settings.seed);
  }
  if (message.stop) {
    closeSync(descriptor);
    process.exit(0);
  }
  if (message.ask !== undefined) process.send?.({ answer: message.ask, stats });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
});
