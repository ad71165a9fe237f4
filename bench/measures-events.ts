// The measurements of webhooks, of which some endpoints are dead, and of providers' reports.
// Both are open loops, since neither events nor providers wait for us.

import { request } from "undici";
import { freePort, type Server } from "../test/faults/server.ts";
import { expectClean, type Figure, figure, type Measure, ms, onStage, pause, perSecond } from "./figure.ts";
import type { JobResult } from "./job.ts";
import { reportsFor } from "./requests.ts";
import type { SinkPorts, Sunk } from "./sink.ts";
import { account, apiKey, providerGateway, type Stage, startPeer } from "./stage.ts";

/** `--short`: for trying the measures out; the figures mean nothing. */
const seconds = (count: number) => (process.argv.includes("--short") ? Math.ceil(count / 10) : count);

/** Asks until the answer suits, for so long. Returns the last answer. */
async function until<T>(
  ask: () => Promise<T>,
  suits: (answer: T) => boolean,
  patienceMs: number,
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (suits(answer) || performance.now() > end) return answer;
    await pause(100);
  }
}

/** Beside every figure of an open loop, so that the load client's own slowness is not taken for the server's. */
function lateness(result: JobResult): Figure {
  const late = result.ownDelayP99Ms;
  return figure("  the load client's own lateness, p99", ms(late), "", null);
}

const endpoints = 100;
/** Of ten endpoints the first is dead: refusing or silent, in turn. */
const oneDeadOf = 10;
const isDead = (index: number) => index % oneDeadOf === 0;
const sendsPerSecond = 500;

const keyOf = (index: number) => `tl_${String(index).padStart(4, "0")}${"w".repeat(32)}`;

function webhookAccounts(urls: readonly string[]): object[] {
  return urls.map((url, index) => ({
    name: `bench-${index}`,
    time_zone: "UTC",
    country: "DE",
    api_key: keyOf(index),
    plan: { name: "bench" },
    gateways: [{ identifier: `bench-${index}`, channel: "sms", kind: "sandbox", default: true }],
    // One send is one event.
    webhooks: [
      {
        url,
        secret: `whsec_${Buffer.from(`the secret of endpoint ${index}`.padEnd(32)).toString("base64")}`,
        events: ["message.delivered"],
      },
    ],
  }));
}

/** How many of so many sends in turn are of accounts whose endpoint is alive. */
function forTheHealthy(sends: number): number {
  const rounds = Math.floor(sends / endpoints);
  const rest = Array.from({ length: sends % endpoints }, (_, index) => index);
  return rounds * (endpoints - endpoints / oneDeadOf) + rest.filter((index) => !isDead(index)).length;
}

/** Each send is delivered by the account's sandbox at once, and its endpoint gets the event. A tenth of the endpoints is dead. */
export const webhooks: Measure = async (engine) => {
  const sink = await startPeer("./sink.ts");
  const dead = endpoints / oneDeadOf;
  const ports = await sink.ask<SinkPorts>({
    listen: { healthy: endpoints - dead, silent: dead / 2 },
  });
  const refusing = await Promise.all(Array.from({ length: dead / 2 }, () => freePort()));
  const deadPorts = ports.silent.flatMap((port, index) => [port, refusing[index] ?? 0]);
  const urls = Array.from({ length: endpoints }, (_, index) => {
    const port = isDead(index) ? deadPorts.shift() : ports.healthy.shift();
    return `http://127.0.0.1:${port}/hook`;
  });
  const arrived = (expected: number, patienceMs: number) =>
    until(
      () => sink.ask<Sunk>({}),
      ({ events }) => events >= expected,
      patienceMs,
    );
  try {
    return await onStage(
      engine,
      async (stage) => {
        const server = await stage.start();
        const job = {
          ask: {
            kind: "spread",
            apiKeys: Array.from({ length: endpoints }, (_, index) => keyOf(index)),
          } as const,
          connections: 64,
          requests: Infinity,
          warmupMs: 0,
          restMs: 0,
          perSecond: sendsPerSecond,
        };
        const warm = await stage.run(server, { ...job, durationMs: seconds(5) * 1000 });
        expectClean(warm);
        const before = forTheHealthy(warm.asked);
        await arrived(before, 10_000);
        await sink.ask<Sunk>({ forget: true });
        const result = await stage.run(server, { ...job, durationMs: seconds(30) * 1000 });
        expectClean(result);
        const expected = before + forTheHealthy(result.asked);
        const { events, repeats, delay } = await arrived(expected, 20_000);
        const times = `${ms(delay.p50Ms)} / ${ms(delay.p95Ms)} / ${ms(delay.p99Ms)}`;
        return [
          figure(
            `webhooks at ${sendsPerSecond}/s, ${endpoints} endpoints, ${dead} of them dead: p50 / p95 / p99 of the healthy`,
            times,
            "p95 < 2 s",
            delay.p95Ms < 2000,
          ),
          figure(
            "  events expected / arrived (of these twice)",
            `${expected.toLocaleString("en-US")} / ${events.toLocaleString("en-US")} (${repeats})`,
            "none missing",
            events >= expected,
          ),
          figure("  single sends meanwhile: p50 / p99", `${ms(result.p50Ms)} / ${ms(result.p99Ms)}`),
          lateness(result),
        ];
      },
      () => webhookAccounts(urls),
    );
  } finally {
    sink.stop();
  }
};

const callbackGateway = "bench-reported";
const callbackToken = "the-token-of-the-bench";
const callbacksPerSecond = 2000;

const callbackAccounts = (provider: string) => [
  account([
    providerGateway(provider, callbackGateway, {
      default: true,
      callback: { token: callbackToken, reference: "$.id", status: "$.state", delivered: ["DELIVRD"] },
    }),
  ]),
];

/** A page of the messages with a status, newest first. */
async function page(server: Server, status: string, limit: number, cursor: string | null) {
  const next = cursor === null ? "" : `&cursor=${cursor}`;
  const answer = await request(`${server.base}/api/get/sms?status=${status}&limit=${limit}${next}`, {
    headers: { "api-key": apiKey },
  });
  return (await answer.body.json()) as { data: unknown[]; next_cursor: string | null };
}

async function countWith(server: Server, status: string): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const { data, next_cursor } = await page(server, status, 200, cursor);
    count += data.length;
    cursor = next_cursor;
  } while (cursor !== null);
  return count;
}

/** Sends that many messages; the provider calls the first of them `p1`. */
async function sendAll(stage: Stage, server: Server, messages: number): Promise<void> {
  const contacts = 1000;
  stage.provider.configure({ expect: messages });
  const result = await stage.run(server, {
    ask: { kind: "bulk", gateways: [callbackGateway], contacts, scheduleAt: null },
    connections: 2,
    requests: messages / contacts,
    durationMs: 60_000,
    warmupMs: 0,
    restMs: 0,
  });
  expectClean(result);
  for (const status of ["queued", "sending"]) {
    const { data } = await until(
      () => page(server, status, 1, null),
      (answer) => answer.data.length === 0,
      60_000,
    );
    if (data.length > 0) throw new Error("not all messages were sent within a minute");
  }
}

/** Reports on messages that were sent before, a fifth of them again: that is what providers do after a slow answer. */
export const callbacks: Measure = (engine) =>
  onStage(
    engine,
    async (stage) => {
      const server = await stage.start();
      const inThousands = (count: number) => Math.ceil(count / 1000) * 1000;
      const warming = inThousands((seconds(4) * callbacksPerSecond * 4) / 5);
      const measured = inThousands((seconds(20) * callbacksPerSecond * 4) / 5);
      await sendAll(stage, server, warming + measured);
      const job = (from: number, to: number) => ({
        ask: {
          kind: "callbacks",
          path: `/callbacks/${callbackGateway}?token=${callbackToken}`,
          from,
          to,
        } as const,
        connections: 128,
        requests: reportsFor(to - from + 1),
        durationMs: Infinity,
        warmupMs: 0,
        restMs: 0,
        perSecond: callbacksPerSecond,
      });
      expectClean(await stage.run(server, job(1, warming)));
      const result = await stage.run(server, job(warming + 1, warming + measured));
      expectClean(result);
      const delivered = await countWith(server, "delivered");
      const all = warming + measured;
      return [
        figure(
          `provider callbacks at ${perSecond(callbacksPerSecond)}, 20 % duplicates: p50 / p99 / max`,
          `${ms(result.p50Ms)} / ${ms(result.p99Ms)} / ${ms(result.maxMs)}`,
          "p99 < 100 ms",
          result.p99Ms < 100,
        ),
        figure("  answered", perSecond(result.perSecond)),
        figure(
          "  messages reported on / delivered",
          `${all.toLocaleString("en-US")} / ${delivered.toLocaleString("en-US")}`,
          "all",
          delivered === all,
        ),
        lateness(result),
      ];
    },
    callbackAccounts,
  );
