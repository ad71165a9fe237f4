// What a collector answers, and what becomes of the batch.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { systemRandom } from "#runtime/random.ts";
import { Collector } from "#runtime/tracing/collector.ts";
import { openCollector } from "./collector.ts";

const body = JSON.stringify({ resourceSpans: [] });

/**
 * What becomes of a batch to a collector that gives these answers; null if it never answers, and the last one is repeated. `askedAt`: ms since the start. Time
 * moves only while the sender waits, not while a request is under way.
 */
async function sent(answers: (((response: ServerResponse) => unknown) | null)[], timeoutMs = 10_000) {
  const collector = await openCollector();
  const clock = movableClock();
  const askedAt: number[] = [];
  let hangs = false;
  collector.answer((response) => {
    askedAt.push(clock.monotonic());
    const answer = answers[Math.min(askedAt.length, answers.length) - 1] ?? null;
    hangs = answer === null;
    answer?.(response);
  });
  const settings = { url: collector.url, headers: {}, timeoutMs, gzip: false, tls: {} };
  const sender = new Collector(settings, { clock, random: { ...systemRandom(), random: () => 1 } });
  try {
    const outcome: { reason: string | null }[] = [];
    const done = sender.send(body).then((reason) => outcome.push({ reason }));
    while (outcome.length === 0) {
      // One sleeper is the time of the batch, a second one the wait between two requests.
      if (hangs || clock.sleeping() > 1)
        await clock.advance(Math.max(0, (clock.nextDue() ?? 0) - clock.now()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    return { reason: outcome[0]!.reason, askedAt };
  } finally {
    sender.close();
    await collector.close();
  }
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end("words of the collector");

test("2xx is accepted; a status that the protocol does not name is final, a redirection too", async () => {
  for (const code of [200, 202]) assert.equal((await sent([status(code)])).reason, null);
  for (const code of [301, 400, 401, 404, 413, 500, 501]) {
    const { reason, askedAt } = await sent([status(code, { location: "/elsewhere" })]);
    assert.deepEqual([reason, askedAt.length], [`the collector answered ${code}`, 1]);
  }
});

test("429, 502, 503 and 504 are asked again, after the time that the collector names", async () => {
  for (const code of [429, 502, 503, 504]) {
    const { reason, askedAt } = await sent([status(code, { "retry-after": "3" }), status(200)]);
    assert.equal(reason, null);
    assert.deepEqual(askedAt, [0, 3_000]);
  }
  const soon = await sent([status(503, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }), status(200)]);
  assert.equal(soon.reason, null);
  assert.deepEqual(soon.askedAt, [0, 0]);
});

test("without a time it waits longer each time, five times at most, and never beyond the time of the batch", async () => {
  const long = await sent([status(503)], 60_000);
  assert.equal(long.reason, "the collector answered 503");
  assert.deepEqual(long.askedAt, [0, 1_000, 3_000, 7_000, 12_000, 17_000]);

  const short = await sent([status(503)], 2_500);
  assert.deepEqual([short.reason, short.askedAt.length], ["the collector answered 503", 2]);
  const later = await sent([status(429, { "retry-after": "11" })]);
  assert.deepEqual([later.reason, later.askedAt.length], ["the collector answered 429", 1]);
});

test("a collector that hangs costs the time of the batch; one that cuts the connection is asked again", async () => {
  const hangs = await sent([null], 3_000);
  assert.deepEqual([hangs.reason, hangs.askedAt.length], ["no answer came in time", 1]);
  const cut = await sent([(response) => response.destroy(), status(200)]);
  assert.deepEqual([cut.reason, cut.askedAt.length], [null, 2]);
});

test("once closed, it does not try again: neither during a request nor between two", async () => {
  for (const { answer, sleepers } of [
    { answer: () => {}, sleepers: 1 },
    { answer: status(503), sleepers: 2 },
  ]) {
    const collector = await openCollector();
    const clock = movableClock();
    const settings = { url: collector.url, headers: {}, timeoutMs: 10_000, gzip: false, tls: {} };
    const sender = new Collector(settings, { clock, random: systemRandom() });
    try {
      collector.answer(answer);
      const sending = sender.send(body);
      while (collector.posts.length === 0 || clock.sleeping() < sleepers)
        await new Promise((resolve) => setImmediate(resolve));
      sender.close();
      assert.equal(typeof (await sending), "string");
      assert.deepEqual([collector.posts.length, clock.sleeping()], [1, 0]);
    } finally {
      await collector.close();
    }
  }
});

test("what Node does not take is a reason, without its text", async () => {
  const clock = movableClock();
  for (const more of [
    { headers: { "x-key": "s3cret\n" } },
    { headers: {}, url: "https://127.0.0.1:9", tls: { key: "s3cret" } },
  ]) {
    const settings = { url: "http://127.0.0.1:9", timeoutMs: 1_000, gzip: true, tls: {}, ...more };
    const sender = new Collector(settings, { clock, random: systemRandom() });
    const reason = await sender.send(body);
    sender.close();
    assert.match(String(reason), /^the connection failed/);
    assert.doesNotMatch(String(reason), /s3cret/);
  }
});
