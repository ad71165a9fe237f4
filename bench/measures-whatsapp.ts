// The measurements of WhatsApp's Cloud API: a backlog of texts through an instant Graph, one file for a thousand people, and
// Meta's webhooks in batches.

import { request } from "undici";
import type { Server } from "../test/faults/server.ts";
import { at, cpuMs, ratesOf, untilArrived } from "./backlog.ts";
import { expectClean, figure, type Measure, ms, onStage, pause, perSecond } from "./figure.ts";
import type { GraphArrivals } from "./graph-sink.ts";
import { batchesOf, reportsFor } from "./requests.ts";
import { account, apiKey, type Peer, type Stage, startPeer } from "./stage.ts";

const isShort = process.argv.includes("--short");
const gateway = "bench-whatsapp";
const phoneNumberId = "106540352242922";
const appSecret = "the-app-secret-of-the-bench";
const contacts = 10_000;
const backlog = isShort ? 10_000 : 60_000;
const textGoal = 2000;
const updatesPerSecond = 3000;
const updatesInBatch = 100;

const cloudAccount = (port: number): object =>
  account([
    {
      identifier: gateway,
      channel: "whatsapp",
      kind: "whatsapp-cloud",
      default: true,
      pace: { per_second: 10_000, concurrency: 64 },
      settings: {
        phone_number_id: phoneNumberId,
        access_token: "EAAbench",
        app_secret: appSecret,
        base_url: `http://127.0.0.1:${port}`,
      },
    },
  ]);

async function send(
  stage: Stage,
  server: Server,
  job: { contacts: number; requests: number; scheduleAt: string | null; file: string | null },
): Promise<void> {
  const { contacts: each, requests, scheduleAt, file } = job;
  const result = await stage.run(server, {
    ask: { kind: "whatsapp", gateway, contacts: each, scheduleAt, file },
    connections: 1,
    requests,
    durationMs: 600_000,
    warmupMs: 0,
    restMs: 0,
  });
  expectClean(result);
}

async function texts(stage: Stage, server: Server, sink: Peer) {
  const job = { contacts, requests: backlog / contacts, file: null };
  const begun = performance.now();
  await send(stage, server, { ...job, scheduleAt: at(Date.now() + 86_400_000) });
  const dueAt = Date.now() + 5000 + 2 * (performance.now() - begun);
  sink.send({ expect: backlog });
  await send(stage, server, { ...job, scheduleAt: at(dueAt) });
  const late = Date.now() > dueAt;
  const before = cpuMs(server.pid);
  await untilArrived(sink, backlog, dueAt);
  const after = cpuMs(server.pid);
  const { marks } = await sink.ask<GraphArrivals>({});
  const { rate, tenths } = ratesOf(marks, backlog);
  const name = `${backlog.toLocaleString("en-US")} texts through the Cloud API`;
  const each = before === null || after === null ? null : Math.round(((after - before) / backlog) * 1000);
  return [
    figure(name, perSecond(rate), `≥ ${perSecond(textGoal)}`, rate >= textGoal),
    figure("  by tenths", tenths.join(" ")),
    ...(each === null ? [] : [figure("  CPU of the server for each", `${each} µs`)]),
    ...(late ? [figure("  note", "the first became due before the last was stored")] : []),
  ];
}

async function oneFile(stage: Stage, server: Server, sink: Peer) {
  const people = 1000;
  sink.send({ expect: people });
  const begun = performance.now();
  await send(stage, server, {
    contacts: people,
    requests: 1,
    scheduleAt: null,
    file: `http://127.0.0.1:${sink.port}/campaign.png`,
  });
  await untilArrived(sink, people, Date.now());
  const { fetches, uploads } = await sink.ask<GraphArrivals>({});
  return [
    figure(
      "a file of 2 MB for 1,000 people: fetches / uploads",
      `${fetches} / ${uploads}`,
      "1 / 1",
      fetches === 1 && uploads === 1,
    ),
    figure("  from the request to the last of them at the Graph API", ms(performance.now() - begun)),
  ];
}

/** Messages with this status, in pages. */
async function countWith(server: Server, status: string): Promise<number> {
  let count = 0;
  for (let cursor = ""; ; ) {
    const path = `/api/get/whatsapp?status=${status}&limit=200${cursor}`;
    const answer = await request(`${server.base}${path}`, { headers: { "api-key": apiKey } });
    const { data, next_cursor } = (await answer.body.json()) as {
      data: unknown[];
      next_cursor: string | null;
    };
    count += data.length;
    if (next_cursor === null) return count;
    cursor = `&cursor=${next_cursor}`;
  }
}

async function webhooksOf(stage: Stage, server: Server, sink: Peer) {
  const inThousands = (seconds: number) =>
    Math.ceil((seconds * updatesPerSecond * 4) / 5 / (isShort ? 10 : 1) / 1000) * 1000;
  const [warming, measured] = [inThousands(4), inThousands(20)];
  const all = warming + measured;
  sink.send({ expect: all });
  await send(stage, server, { contacts: 1000, requests: all / 1000, scheduleAt: null, file: null });
  await untilArrived(sink, all, Date.now());
  // The last answers are settled.
  await pause(2000);
  const job = (from: number, to: number) => ({
    ask: {
      kind: "meta",
      path: `/callbacks/${gateway}`,
      phoneNumberId,
      appSecret,
      from,
      to,
      batch: updatesInBatch,
    } as const,
    connections: 32,
    requests: batchesOf(reportsFor(to - from + 1), updatesInBatch),
    durationMs: Infinity,
    warmupMs: 0,
    restMs: 0,
    perSecond: updatesPerSecond / updatesInBatch,
  });
  expectClean(await stage.run(server, job(1, warming)));
  const result = await stage.run(server, job(warming + 1, all));
  expectClean(result);
  const delivered = await countWith(server, "delivered");
  return [
    figure(
      `Meta's updates at ${perSecond(updatesPerSecond)} in batches of ${updatesInBatch}, 20 % duplicates: p50 / p99 / max`,
      `${ms(result.p50Ms)} / ${ms(result.p99Ms)} / ${ms(result.maxMs)}`,
      "p99 < 250 ms",
      result.p99Ms < 250,
    ),
    figure(
      "  messages reported on / delivered",
      `${all.toLocaleString("en-US")} / ${delivered.toLocaleString("en-US")}`,
      "all",
      delivered === all,
    ),
    figure("  the load client's own lateness, p99", ms(result.ownDelayP99Ms)),
  ];
}

export const whatsapp: Measure = async (engine) => {
  const figures = [];
  for (const measure of [texts, oneFile, webhooksOf]) {
    const sink = await startPeer("./graph-sink.ts");
    try {
      figures.push(
        ...(await onStage(
          engine,
          async (stage) => await measure(stage, await stage.start(), sink),
          () => [cloudAccount(sink.port)],
        )),
      );
    } finally {
      sink.stop();
    }
  }
  return figures;
};
