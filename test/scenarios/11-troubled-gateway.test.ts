// A gateway in trouble of its own: its lane pauses and says why, no message pays for it, the others go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { answer, asked, noAnswer, provider, providerSettings, readRequest, takes } from "./provider.ts";

const contacts = (count: number, message = "Hi", rest: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ number: `+49151234${10_000 + i}`, message, ...rest }));

async function opened(pace: object = {}): Promise<Harness> {
  const it = await harness();
  await it.account();
  await it.gateway({ identifier: "main", ...provider, pace });
  return it;
}

const metric = async (it: Harness, name: string, gateway: string) => {
  const text = await inject(it.system.app, { method: "GET", url: "/metrics" }).then(({ body }) => body);
  return Number(new RegExp(`^${name}\\{gateway="${gateway}"[^}]*\\} (\\S+)$`, "m").exec(text)?.[1]);
};

test("bad credentials: probes after 5 s, doubling to 5 min, while nothing is lost or counted", async () => {
  const it = await opened({ concurrency: 1 });
  const start = it.clock.now();
  const at: number[] = [];
  it.respond(() => {
    at.push((it.clock.now() - start) / 1000);
    return answer(401, { message: "Invalid credentials" });
  });
  const ids = await it.accepted(contacts(5));
  await it.advance(1800_000);
  assert.deepEqual(at.slice(0, 9), [0, 5, 15, 35, 75, 155, 315, 615, 915]);
  assert.equal(await metric(it, "trunkline_gateway_paused", "main"), 1);
  const paused = it.log.lines().filter(({ event }) => event === "gateway.paused");
  assert.ok(paused.length > 0 && String(paused[0]!.reason).includes("Invalid credentials"));
  for (const id of ids) {
    const record = await it.message(id);
    assert.equal(record.status, "queued");
    assert.equal(record.attempts, 0);
  }

  // The operator mends the key: the lane goes on at its next probe, and everything leaves, once.
  await it.gateway({
    identifier: "main",
    ...provider,
    settings: { ...providerSettings, headers: { authorization: "Bearer a-new-key" } },
  });
  it.respond((request) => {
    assert.equal(request.headers?.authorization, "Bearer a-new-key");
    return takes(request);
  });
  await it.advance(300_000);
  for (const id of ids)
    assert.deepEqual([(await it.message(id)).status, (await it.message(id)).attempts], ["sent", 1]);
  assert.equal(await metric(it, "trunkline_gateway_paused", "main"), 0);
  assert.ok(it.log.lines().some(({ event }) => event === "gateway.resumed"));
  assert.equal(it.log.text().includes("provider-key"), false);
  await it.close();
});

test("one message that the provider answers 403 to is found out; the others pass", async () => {
  const it = await opened({ concurrency: 1 });
  it.respond((request) =>
    readRequest(request).text === "poison" ? answer(403, { message: "forbidden" }) : takes(request),
  );
  const [poison] = await it.accepted(contacts(1, "poison"));
  const others = await it.accepted(contacts(5, "fine"));
  await it.advance(60_000);
  for (const id of others) assert.equal((await it.message(id)).status, "sent");
  const record = await it.message(poison!);
  assert.equal(record.status, "failed");
  assert.equal(record.error?.code, "http_403");
  assert.equal(asked(it).filter(({ id }) => id === poison).length, 2);
  await it.close();
});

test("a vendor that refuses everything with a code that no table lists fails four of 200; the rest leave later", async () => {
  const it = await opened({ concurrency: 20 });
  it.respond(() => answer(400, { message: "The sender is not associated with the application." }));
  const ids = await it.accepted(contacts(200));
  await it.advance(1800_000);
  const statuses = async () => await Promise.all(ids.map(async (id) => (await it.message(id)).status));
  const failed = (await statuses()).filter((status) => status === "failed").length;
  assert.equal(failed, 4);
  assert.equal((await statuses()).filter((status) => status === "queued").length, 196);
  assert.equal(await metric(it, "trunkline_gateway_paused", "main"), 1);
  const [paused] = it.log.lines().filter(({ event }) => event === "gateway.paused");
  assert.match(String(paused?.reason), /settings \(http_400\)\..*not associated with the application/);
  // 20 at once, of which four failed, then one for each probe, at 5, 15, 35, 75, 155, 315 s and every 5 min.
  assert.equal(it.requests.length, 20 + 10);

  it.respond(takes);
  await it.advance(300_000);
  assert.equal((await statuses()).filter((status) => status === "sent").length, 196);
  assert.equal(await metric(it, "trunkline_gateway_paused", "main"), 0);
  for (const id of ids.slice(100)) assert.equal((await it.message(id)).attempts, 1);
  await it.close();
});

test("texts that a vendor refuses with a code that no table lists fail; those between them pass", async () => {
  const it = await opened({ concurrency: 1 });
  it.respond((request) =>
    readRequest(request).text === "poison" ? answer(422, { message: "Not like this." }) : takes(request),
  );
  const poison = await it.accepted(contacts(12, "poison"));
  const fine = await it.accepted(contacts(12, "fine"));
  await it.advance(3600_000);
  for (const id of fine) assert.equal((await it.message(id)).status, "sent");
  for (const id of poison) assert.equal((await it.message(id)).status, "failed");
  await it.close();
});

test("three unknown outcomes in a row pause the lane, so that a backlog does not turn into doubt", async () => {
  const it = await opened({ concurrency: 1 });
  it.respond(() => noAnswer);
  const ids = await it.accepted(contacts(10));
  await it.advance(4000);
  assert.equal(it.requests.length, 3);
  await it.advance(600_000);
  // One more for each probe, at 5, 15, 35, 75, 155 and 315 s.
  assert.equal(it.requests.length, 9);
  it.respond(takes);
  await it.advance(300_000);
  const statuses = await Promise.all(ids.map(async (id) => (await it.message(id)).status));
  assert.equal(statuses.filter((status) => status === "unknown").length, 9);
  assert.equal(statuses.filter((status) => status === "sent").length, 1);
  assert.equal(new Set(asked(it).map(({ id }) => id)).size, 10, "none was sent twice");
  await it.close();
});

test("a dead gateway holds up its own lane only", async () => {
  const it = await opened();
  await it.gateway({
    identifier: "dead",
    kind: "http-api",
    settings: { ...providerSettings, url: "https://dead.test/send" },
  });
  it.respond(async (request) => {
    if (!request.url.startsWith("https://dead.test/")) return takes(request);
    await it.clock.sleep(30_000);
    return { kind: "not_sent", code: "unreachable", reason: "No server listens there." };
  });
  const stuck = await it.accepted(contacts(300, "Hi", { gateway_identifier: "dead" }));
  await it.advance(1000);
  const start = it.clock.now();
  const ids = await it.accepted(contacts(50));
  await it.settle();
  for (const id of ids) {
    const record = await it.message(id);
    assert.equal(record.status, "sent");
    assert.equal(Date.parse(record.sent_at!), start, "without any wait");
  }
  assert.equal((await it.message(stuck[299]!)).status, "queued");
  await it.close();
});
