// An HTTP provider in a process of its own. Its journal is the oracle of every fault run: a request is
// appended and flushed to disk before anything about it is answered, so what the journal holds was
// really taken, with any answer to the sender.
//
// `POST /send` or `/send/{gateway}`, any body with a marker in it; `POST /hook/{account}`: `webhook-sink.ts`; SMPP: `smsc-simulator.ts`;
// a phone: `phone-simulator.ts`.
// Started by `simulator.ts`; spoken to over IPC (`configure`, `stats`); ends with its parent.

import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { createSource } from "./inbound-source.ts";
import { openJournal } from "./journal.ts";
import { faultIn, markerIn, pause, seeded } from "./marker.ts";
import { runPhone } from "./phone-simulator.ts";
import { patience, postUntilTaken } from "./posting.ts";
import {
  graph,
  journals,
  type ProviderFault,
  type SimulatorSettings,
  type SimulatorStats,
} from "./simulator.ts";
import { openSmsc } from "./smsc-simulator.ts";
import { createSink } from "./webhook-sink.ts";

const folder = process.argv[2];
if (folder === undefined || process.send === undefined) throw new Error("started by simulator.ts only");

let settings: SimulatorSettings = {
  seed: 1,
  faults: {},
  delayMs: 0,
  callbacks: null,
  hooks: { faults: {}, atMost: 0 },
  phone: null,
  inbound: null,
};
let random = seeded(1);
// Of their own, so that a run's provider meets the same with anything in between.
let hookRandom = seeded(2);
let inboundRandom = seeded(3);
let phoneRandom = seeded(4);
const stats: SimulatorStats = {
  requests: 0,
  journalled: 0,
  faults: {},
  callbacks: 0,
  callbacksLost: 0,
  reporting: 0,
  isPhoneLinked: false,
  hooks: 0,
  hookFaults: {},
  inboundLost: 0,
};
const struck = new Set<string>();
let taken = 0;

const journal = openJournal(join(folder, journals.taken), (lines) => {
  stats.journalled += lines;
});
const reported = openJournal(join(folder, journals.reported));
const sink = createSink(
  openJournal(join(folder, journals.posted)),
  () => settings.hooks,
  () => hookRandom(),
  (fault) => {
    stats.hookFaults[fault] = (stats.hookFaults[fault] ?? 0) + 1;
  },
);
const source = createSource(
  openJournal(join(folder, journals.handed)),
  `in${process.pid}`,
  () => inboundRandom(),
  {
    begun: () => {
      stats.reporting += 1;
    },
    ended: (got) => {
      stats.reporting -= 1;
      if (!got) stats.inboundLost += 1;
    },
  },
);

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

/** Journals what was taken; returns its id. */
async function take(marker: string, gateway: string, answer: string): Promise<string> {
  taken += 1;
  const id = `p${process.pid}-${taken}`;
  await journal.add({ at: Date.now(), marker, id, gateway, answer });
  return id;
}

async function serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  incoming.on("error", () => {});
  answer.on("error", () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  if (incoming.method === "POST" && incoming.url?.startsWith("/hook/")) {
    stats.hooks += 1;
    return sink.serve(incoming, body, answer);
  }
  stats.requests += 1;
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
  const refuse = (status: number, message: string, code: number, headers?: Record<string, string>) =>
    reply(status, { error: { message, ...(gateway === graph.gateway ? { code } : {}) } }, headers);
  if (fault === "400") return refuse(400, "no such number", 131026);
  if (fault === "429") return refuse(429, "slow down", 130429);
  if (fault === "429-after") return refuse(429, "slow down", 130429, { "retry-after": "1" });
  if (fault === "500-early") return refuse(500, "oops", 131000);
  if (fault === "503") return refuse(503, "closed", 131016);

  const id = await take(marker, gateway, fault ?? "ok");

  // Faults of a provider that took it.
  if (fault === "reset-late") return void incoming.socket.resetAndDestroy();
  if (fault === "silence") return;
  if (fault === "500-late") return refuse(500, "oops", 131000);
  if (fault === "garbage") return reply(200, "<<<\u0000 not JSON");
  if (fault === "cut") {
    answer.writeHead(200, { "content-type": "application/json", "content-length": "500" });
    answer.write('{"messages":[{"id":"', () => incoming.socket.destroy());
    return;
  }
  const callbacks = settings.callbacks;
  const delivery: Delivery = {
    id,
    gateway,
    ours: /"(?:id|biz_opaque_callback_data)":"(msg_\w+)"/.exec(body)?.[1] ?? null,
  };
  const early = callbacks !== null && random() < callbacks.early && (await postCallback(delivery, 1));
  if (callbacks !== null && !early) void report(delivery, callbacks.delayMs, callbacks.twice);
  reply(200, { messages: [{ id }] });
}

// ---- receipts ----

interface Delivery {
  id: string;
  gateway: string;
  /** The sender's own id, when the request carried it. */
  ours: string | null;
}

async function report(delivery: Delivery, delayMs: number, twice: number): Promise<void> {
  stats.reporting += 1;
  await pause(delayMs * random());
  if (!(await postCallback(delivery, patience))) stats.callbacksLost += 1;
  if (random() < twice) {
    await pause(delayMs * random());
    await postCallback(delivery, patience);
  }
  stats.reporting -= 1;
}

/** Posts a delivery report, and again after a pause until the service says 2xx, as providers do. */
async function postCallback({ id, gateway, ours }: Delivery, tries: number): Promise<boolean> {
  const call = {
    bases: () => settings.callbacks?.bases ?? [],
    path: `/callbacks/${gateway}?token=${settings.callbacks?.token}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, ours, state: "DELIVRD" }),
    ...(gateway === graph.gateway ? metaCall(id, ours) : {}),
  };
  if (!(await postUntilTaken(call, tries))) return false;
  stats.callbacks += 1;
  await reported.add({ id });
  return true;
}

/** The same report as Meta makes it. */
function metaCall(id: string, ours: string | null) {
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "15550783881", phone_number_id: graph.phoneNumberId },
    statuses: [{ id, status: "delivered", timestamp: "1750263773", biz_opaque_callback_data: ours }],
  };
  const changes = [{ field: "messages", value }];
  const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1022", changes }] });
  const proof = createHmac("sha256", graph.appSecret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${proof}` };
  return { path: `/callbacks/${graph.gateway}`, body, headers };
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
    const { seed, inbound } = message.settings;
    if (seed !== undefined) {
      random = seeded(seed);
      hookRandom = seeded(seed + 1);
      inboundRandom = seeded(seed + 2);
      phoneRandom = seeded(seed + 3);
    }
    if (inbound !== undefined) source.set(inbound);
  }
  if (message.stop) process.exit(0);
  if (message.ask !== undefined) process.send?.({ answer: message.ask, stats });
});
const smscPort = await openSmsc({
  settings: () => settings,
  stats,
  random: () => random(),
  chooseFault,
  take,
  reported: (id) => reported.add({ id }),
});
void runPhone({ settings: () => settings, stats, random: () => phoneRandom(), journal: journal.add });
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0, smscPort });
});
