// The AI gateway's promises about several processes and about a database that goes away, on real processes: exact
// limits over both, a killed process's place, budgets and revocation that the other hears of, usage written once.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import { begins, completionOf, delta, type PeerRequest, replies } from "../http/openai-peer.ts";
import {
  type AiInstallation,
  bearerOf,
  type KeyName,
  openAiInstallation,
  type Reply,
  takeoverMs,
} from "./ai-installation.ts";
import { pause } from "./marker.ts";
import type { Server } from "./server.ts";

/** What the provider counts for a call; see `completionOf`. */
const tokensOfCall = 12;

let it: AiInstallation;
/** Answers of this key's user that wait. */
const held = new Map<unknown, Promise<void>>();

async function answer(asked: PeerRequest): Promise<void> {
  const { body } = asked;
  if (body.stream === true) {
    begins(asked)(delta(body.model, { content: "Once " }));
    return;
  }
  await held.get(body.user);
  const whole = completionOf(body.model, { content: "Hi" }) as { usage: object };
  // A caller that only checks whether it may ask.
  if (body.user === "free") whole.usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  await replies(200, whole)(asked);
}

before(async () => {
  it = await openAiInstallation(answer);
});
after(async () => {
  await it?.close();
});

const outcomeOf = ({ status, code }: Reply) => (code === null ? String(status) : `${status} ${code}`);
const outcome = async (process: Server, key: KeyName | (string & {}), body?: object) =>
  outcomeOf(await it.ask(process, key, body));

function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of outcomes) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

/** Asks again and again until it is so; how long that took, ms. */
async function until(so: () => Promise<boolean> | boolean, maxMs: number): Promise<number> {
  const started = performance.now();
  while (!(await so())) {
    assert.ok(performance.now() - started < maxMs, `not so after ${maxMs} ms`);
    await pause(20);
  }
  return performance.now() - started;
}

/** This many at once, by both in turn, whose answers wait until all are decided. */
async function heldBurst(key: KeyName, count: number, body: object): Promise<Record<string, number>> {
  let release: () => void = () => {};
  held.set(
    key,
    new Promise((resolve) => {
      release = resolve;
    }),
  );
  const waiting = () => it.provider.asked.filter(({ body }) => body.user === key).length;
  let refused = 0;
  const asked = Array.from({ length: count }, async (_, at) => {
    const served = await it.ask(it.processes[at % 2 === 0 ? 0 : 1], key, { ...body, user: key });
    if (served.status !== 200) refused += 1;
    return outcomeOf(served);
  });
  await until(() => waiting() + refused === count, 15_000);
  release();
  return counted(await Promise.all(asked));
}

describe("two processes", { concurrency: true }, () => {
  test("100 at once by two processes at a limit of 40: exactly 40 are under way, and 40 a minute are let in", async () => {
    assert.deepEqual(await heldBurst("at_once", 100, {}), { 200: 40, "429 concurrency_limit_exceeded": 60 });
    const started = performance.now();
    const { 200: let_in = 0, ...others } = counted(
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => outcome(it.processes[at % 2 === 0 ? 0 : 1], "a_minute")),
      ),
    );
    // Another one every 1.5 s, on a machine that takes so long.
    const max = 40 + Math.floor((performance.now() - started) / 1500);
    assert.ok(let_in >= 40 && let_in <= max, `${let_in} let in, at most ${max}`);
    assert.deepEqual(others, { "429 rate_limit_exceeded": 100 - let_in });
  });

  test("tokens a minute are set aside and settled over both", async () => {
    const started = performance.now();
    const messages = [{ role: "user", content: "x" }];
    const { 200: admitted = 0 } = await heldBurst("tokens", 30, { messages, max_tokens: 90 });
    const refilled = ((performance.now() - started) * 1_000) / 60_000;
    // Three tokens for a message, one for its letter, and 90 for the answer.
    const each = 3 + 1 + 90;
    const max = Math.floor((1_000 + refilled) / each);
    assert.ok(admitted >= Math.floor(1_000 / each) && admitted <= max, `${admitted}, at most ${max}`);
    // What was set aside came back, from either process; the headers of either say so.
    for (const process of it.processes) {
      const left = async () =>
        Number(
          (await it.ask(process, "tokens", { user: "free" })).headers.get("x-ratelimit-remaining-tokens"),
        );
      await until(async () => (await left()) >= 1_000 - admitted * tokensOfCall - 300, 5_000);
    }
  });

  test("a budget counts what both served", async () => {
    const free = { user: "free" };
    for (const process of it.processes) assert.equal(await outcome(process, "budget", free), "200");
    // Neither alone reaches it.
    for (const process of it.processes) assert.equal(await outcome(process, "budget"), "200");
    await Promise.all(
      it.processes.map(async (process) => {
        const spent = async () => (await outcome(process, "budget", free)) === "429 insufficient_quota";
        await until(spent, 8_000);
      }),
    );
  });

  test("a revoked key ends at once here, and within 5 s there", async () => {
    const [first, second] = it.processes;
    for (const process of it.processes) assert.equal(await outcome(process, "revoked"), "200");
    await it.revoke(first, "revoked");
    assert.equal(await outcome(first, "revoked"), "401 invalid_api_key");
    await until(async () => (await outcome(second, "revoked")) === "401 invalid_api_key", 5_000);
  });
});

test("the database is cut off and then hangs: known keys go on within their limits, and each call is written once", async () => {
  const asked = ["unlimited", "by_itself", "roomy"] as const;
  const expected = { unlimited: 0, by_itself: 0, roomy: 0 };
  const ask = async (process: Server, key: (typeof asked)[number]) => {
    const ended = await outcome(process, key);
    if (ended === "200") expected[key] += 1;
    return ended;
  };
  const both = async (work: (process: Server) => Promise<void>) => {
    await Promise.all(it.processes.map(work));
  };
  const served = (...keys: (typeof asked)[number][]) =>
    both(async (process) => {
      for (const key of keys) assert.equal(await ask(process, key), "200");
    });
  await served(...asked);

  it.link.cut();
  const started = performance.now();
  await both(async (process) => {
    // Past the moment for which keys are remembered.
    do assert.equal(await ask(process, "unlimited"), "200");
    while (performance.now() - started < 3_200);
    const own = await Promise.all(Array.from({ length: 60 }, async () => await ask(process, "by_itself")));
    // Each process has its share of the 40, so that both together keep the limit.
    assert.deepEqual(counted(own), { 200: 20, "429 rate_limit_exceeded": 40 });
    assert.equal(await outcome(process, "unknown"), "503 unavailable");
  });
  it.link.mend();

  // On connections that are open: a new one would be given up sooner.
  await served("unlimited", "roomy");
  it.link.hang();
  await served("unlimited", "roomy", "roomy");
  it.link.mend();

  const recorded = async () => {
    const used = await it.used(it.processes[1]);
    return Object.fromEntries(asked.map((key) => [key, used[key]?.requests ?? 0]));
  };
  const allRecorded = async () => {
    const sums = await recorded().catch(() => null);
    return sums !== null && asked.every((key) => (sums[key] ?? 0) >= expected[key]);
  };
  await until(allRecorded, 15_000);
  await served(...asked.slice(0, 1));
  await until(allRecorded, 15_000);
  assert.deepEqual(await recorded(), expected);
});

test("kill -9 in the middle of a stream: its place is taken while it runs, and free when the process counts as dead", async () => {
  const [first, second] = it.processes;
  const url = new URL("/api/ai/v1/chat/completions", first.base);
  const headers = { authorization: bearerOf("single"), "content-type": "application/json" };
  const stream = request(url, { method: "POST", headers, agent: false });
  stream.on("error", () => {});
  stream.end(JSON.stringify({ stream: true, messages: [{ role: "user", content: "Tell me a story" }] }));
  const [reply] = (await once(stream, "response")) as [IncomingMessage];
  const [word] = await once(reply, "data");
  assert.match(String(word), /Once/);
  const ended = new Promise<void>((resolve) => reply.once("close", resolve));
  reply.on("error", () => {});
  const asked = it.provider.asked.at(-1)!;
  // It is renewed: the place outlives its lease.
  const started = performance.now();
  do assert.equal(await outcome(second, "single"), "429 concurrency_limit_exceeded");
  while (performance.now() - started < takeoverMs * 1.5);
  await first.kill();
  await Promise.all([ended, asked.left]);
  assert.equal(reply.complete, false, "a stream that was cut must not look whole");
  await until(async () => (await outcome(second, "single")) === "200", takeoverMs + 1_000);
});
