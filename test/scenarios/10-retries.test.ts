// What a provider certainly did not take is tried again for a day, and then given up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { answer, asked, provider, story, takes } from "./provider.ts";

const hour = 3_600_000;
const contact = (rest: object = {}) => ({ number: "+4915123456789", message: "Hi", ...rest });

async function opened(retry: object = {}): Promise<Harness> {
  const it = await harness();
  await it.account({ plan: { name: "basic", credit: { sms: 10 } } });
  await it.gateway({ identifier: "main", ...provider, retry });
  return it;
}

test("a provider that is busy all day: tried for 24 hours, then failed, and the credit comes back", async () => {
  const it = await opened();
  const at: number[] = [];
  const start = it.clock.now();
  it.respond(() => {
    at.push(it.clock.now() - start);
    return answer(429, { message: "slow down" });
  });
  const [id] = await it.accepted([contact()]);
  await it.settle();
  const waiting = await it.message(id!);
  assert.equal(waiting.status, "queued");
  assert.equal(waiting.attempts, 1);
  assert.equal(waiting.error?.code, "http_429");
  const firstWait = Date.parse(waiting.next_attempt_at!) - start;
  assert.ok(firstWait >= 5000 && firstWait <= 10_000);

  await it.advance(23.9 * hour);
  assert.equal((await it.message(id!)).status, "queued");
  await it.advance(0.5 * hour);
  const failed = await it.message(id!);
  assert.equal(failed.status, "failed");
  assert.equal(failed.error?.code, "http_429");
  assert.match(failed.error!.message, /slow down/);
  assert.equal(failed.attempts, at.length);
  assert.equal(failed.next_attempt_at, null);
  const gaps = at.slice(1).map((time, i) => time - at[i]!);
  assert.ok(Math.min(...gaps) >= 5000 && Math.max(...gaps) <= 900_000);
  assert.equal((await it.get("/api/account")).json().data.credit.sms.remaining, 10);
  const count = at.length;
  await it.advance(48 * hour);
  assert.equal(at.length, count, "nothing more goes out");
  await it.close();
});

test("a clock that jumps two days ahead, and back, gives up no message that was hardly tried", async () => {
  const it = await opened();
  it.respond(() => answer(429));
  const [id] = await it.accepted([contact()]);
  await it.advance(hour);
  const { attempts } = await it.message(id!);
  it.clock.setNow(it.clock.now() + 48 * hour);
  await it.advance(hour);
  const after = await it.message(id!);
  assert.equal(after.status, "queued");
  assert.ok(after.attempts > attempts, "it is being tried again");
  await it.advance(21.5 * hour);
  assert.equal((await it.message(id!)).status, "queued");
  await it.advance(hour);
  assert.equal((await it.message(id!)).status, "failed", "24 hours after its first try");
  await it.close();
});

test("a provider that recovers takes it once; the timeline tells of each try", async () => {
  const it = await opened();
  it.respond((request) => (it.requests.length < 4 ? answer(429) : takes(request)));
  const [id] = await it.accepted([contact()]);
  await it.advance(hour);
  const record = await it.message(id!);
  assert.equal(record.status, "sent");
  assert.equal(record.attempts, 4);
  assert.equal(record.error, null);
  const tries = ["sending", "queued"];
  assert.deepEqual(await story(it, id!), ["queued", ...tries, ...tries, ...tries, "sending", "sent"]);
  await it.close();
});

test("Retry-After is waited for", async () => {
  const it = await opened();
  const start = it.clock.now();
  it.respond((request) =>
    it.requests.length === 1 ? answer(429, {}, { "retry-after": "1800" }) : takes(request),
  );
  const [id] = await it.accepted([contact()]);
  await it.advance(1_799_999);
  assert.equal(it.requests.length, 1);
  await it.advance(1);
  assert.equal(Date.parse((await it.message(id!)).sent_at!) - start, 1_800_000);
  await it.close();
});

test("what the provider refuses is not tried again", async () => {
  const it = await opened();
  it.respond(() => answer(400, { message: "no such number" }));
  const [id] = await it.accepted([contact()]);
  await it.advance(hour);
  const record = await it.message(id!);
  assert.deepEqual([record.status, record.attempts], ["failed", 1]);
  assert.deepEqual(record.error, { code: "http_400", message: "The provider answered 400: no such number" });
  await it.close();
});

test("a connection that was never made is no try", async () => {
  const it = await opened();
  it.respond(() => ({ kind: "not_sent", code: "unreachable", reason: "No server listens there." }));
  const [id] = await it.accepted([contact()]);
  await it.advance(hour);
  const record = await it.message(id!);
  assert.deepEqual([record.status, record.attempts], ["queued", 0]);
  it.respond(takes);
  await it.advance(300_000);
  assert.deepEqual([(await it.message(id!)).status, (await it.message(id!)).attempts], ["sent", 1]);
  await it.close();
});

test("the time for retries does not move while the gateway is paused", async () => {
  const it = await opened({ for_ms: 3 * hour, max_ms: 600_000 });
  it.respond(() => answer(429));
  const [id] = await it.accepted([contact()]);
  await it.advance(hour);
  it.respond(() => answer(401, { message: "bad key" }));
  await it.advance(10 * hour);
  assert.equal((await it.message(id!)).status, "queued", "11 hours after its first try");
  const { attempts } = await it.message(id!);
  it.respond(() => answer(429));
  await it.advance(1.5 * hour);
  const after = await it.message(id!);
  assert.equal(after.status, "queued");
  assert.ok(after.attempts > attempts, "it is being tried again");
  await it.advance(hour);
  assert.equal((await it.message(id!)).status, "failed");
  assert.ok(asked(it).every((one) => one.id === id));
  await it.close();
});
