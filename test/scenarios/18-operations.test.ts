// Running it: stopping gracefully, storage trouble, health, metrics, and a second process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { ground, type Harness, harness, someEngines } from "../harness.ts";
import { inject } from "../inject.ts";
import { asked, provider, stored, takes } from "./provider.ts";

const contacts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ number: `+49151234${10_000 + i}`, message: "Hi" }));

for (const engine of someEngines(import.meta.filename)) {
  test(`a graceful stop on ${engine} finishes what is on the wire, and leaves the rest for the next start`, async () => {
    const own = await ground(engine);
    const one = await harness({ ground: own });
    const account = await one.account();
    await one.gateway({ identifier: "main", ...provider });
    one.respond(async (request) => {
      await one.clock.sleep(10_000);
      return takes(request);
    });
    const ids = await one.accepted(contacts(30));
    await one.settle();
    const stopping = one.system.stop();
    await one.advance(9_999);
    assert.equal(one.requests.length, 8, "nothing new is stamped");
    await one.advance(60_000);
    await stopping;

    const two = await harness({ ground: own, clock: one.clock, respond: takes });
    two.as(account);
    await two.settle();
    for (const id of ids) assert.equal((await two.message(id)).status, "sent");
    const all = [...asked(one), ...asked(two)].map(({ id }) => id);
    assert.deepEqual([...all].sort(), [...ids].sort(), "each went out once");
    await two.close();
    await own.remove();
  });
}

test("what does not finish within 30 s of a stop is in doubt, not lost", async () => {
  const own = await ground("sqlite");
  const one = await harness({ ground: own });
  const account = await one.account();
  await one.gateway({ identifier: "main", ...provider });
  one.respond(
    (request) =>
      new Promise((resolve) =>
        request.signal?.addEventListener("abort", () => resolve({ kind: "no_answer", reason: "stopped" })),
      ),
  );
  const [id] = await one.accepted(contacts(1));
  await one.settle();
  const stopping = one.system.stop();
  await one.advance(40_000);
  await stopping;
  const two = await harness({ ground: own, clock: one.clock });
  two.as(account);
  await two.settle();
  assert.equal((await two.message(id!)).status, "unknown");
  await two.close();
  await own.remove();
});

test("storage trouble refuses sends with 503 and turns readiness red; both mend with it", async () => {
  const it = await harness({ respond: takes });
  await it.account();
  await it.gateway({ identifier: "main", ...provider });
  const ready = () => it.get("/health/ready");
  assert.deepEqual([(await ready()).statusCode, (await ready()).json().status], [200, "ready"]);
  for (const fault of ["full", "io", "unavailable"] as const) {
    it.storageFault(fault);
    const reply = await it.send(contacts(3));
    assert.equal(reply.statusCode, 503, fault);
    assert.equal(reply.json().code, "unavailable");
    assert.ok(Number(reply.headers["retry-after"]) >= 1);
    assert.equal((await ready()).statusCode, 503);
    assert.equal((await ready()).json().checks.storage, `storage is ${fault}`);
    it.storageFault(null);
    assert.equal(await stored(it), 0, "nothing was accepted into memory");
  }
  assert.equal(
    (await ready()).statusCode,
    200,
    "storage that was away is back with the first call that it answers",
  );
  it.storageFault("full");
  assert.equal((await it.send(contacts(1))).statusCode, 503);
  it.storageFault(null);
  assert.equal((await it.send(contacts(1))).statusCode, 200);
  assert.equal((await ready()).statusCode, 503, "on a full disk one write that passes proves little");
  await it.advance(2_000);
  assert.equal((await ready()).statusCode, 200);
  assert.equal(it.requests.length, 1);
  await it.close();
});

test("an outcome that storage cannot take is kept until it can, and the message is not sent again", async () => {
  const it = await harness();
  await it.account();
  await it.gateway({ identifier: "main", ...provider });
  it.respond((request) => {
    it.storageFault("io");
    return takes(request);
  });
  const [id] = await it.accepted(contacts(1));
  await it.advance(120_000);
  assert.equal((await it.message(id!)).status, "sending");
  it.storageFault(null);
  await it.advance(30_000);
  assert.equal((await it.message(id!)).status, "sent");
  assert.equal(it.requests.length, 1);
  await it.close();
});

test("liveness, and metrics that count what happened", async () => {
  const it = await harness({ respond: takes });
  await it.account();
  await it.gateway({ identifier: "main", ...provider, pace: { per_second: 1, concurrency: 1 } });
  await it.accepted(contacts(5));
  await it.advance(2500);
  await it.send([{ number: "x", message: "y" }]);
  assert.equal((await it.get("/health/live")).statusCode, 200);
  const reply = await it.get("/metrics");
  assert.equal(reply.statusCode, 200);
  assert.match(String(reply.headers["content-type"]), /^text\/plain/);
  const has = (line: string) =>
    assert.ok(reply.body.split("\n").includes(line), `${line}\n${reply.body.slice(-2000)}`);
  has('trunkline_messages_accepted_total{channel="sms"} 5');
  has('trunkline_messages_waiting{gateway="main"} 2');
  has('trunkline_gateway_paused{gateway="main"} 0');
  assert.match(reply.body, /^trunkline_oldest_waiting_seconds\{gateway="main"\} 2\.5$/m);
  await it.close();
});

test("metrics with a token are for its bearer alone", async () => {
  const it = await harness({ settings: { metricsToken: "a-metrics-token-of-some-length" } });
  await it.account();
  assert.equal((await it.get("/metrics")).statusCode, 403);
  const reply = await inject(it.system.app, {
    method: "GET",
    url: "/metrics",
    headers: { authorization: "Bearer a-metrics-token-of-some-length" },
  });
  assert.equal(reply.statusCode, 200);
  await it.close();
});

test("two processes on PostgreSQL: one dies, the other takes its lane and sends the rest, each once", async () => {
  const own = await ground("postgres");
  const clock = movableClock();
  const settings = { heartbeatMs: 5000, takeoverMs: 45_000, pollMs: 1000 };
  const one = await harness({ ground: own, clock, settings });
  one.respond(async (request) => {
    await clock.sleep(2000);
    return takes(request);
  });
  const account = await one.account();
  const identifiers = ["a", "b", "c", "d", "e", "f"];
  for (const identifier of identifiers)
    await one.gateway({ identifier, ...provider, default: identifier === "a" });
  const two = await harness({ ground: own, clock, settings, respond: takes });
  two.as(account);
  await clock.advance(30_000);
  // Six gateways and the four lanes of the installation itself: each process drives a gateway.
  assert.deepEqual([one.system.lanes.owned.length, two.system.lanes.owned.length], [5, 5]);
  for (const { system } of [one, two])
    assert.ok(
      system.lanes.owned.some((id) => id.startsWith("gw_")),
      "each process drives a gateway",
    );

  // Accepted by either, driven by the one that owns the lane.
  const ids = await two.accepted(
    identifiers.flatMap((gateway_identifier) =>
      contacts(20).map((contact) => ({ ...contact, gateway_identifier })),
    ),
  );
  await clock.advance(1500);
  const driven = one.system.lanes.owned.filter((id) => id.startsWith("gw_")).length;
  await one.kill();
  const inDoubt = new Set(asked(one).map(({ id }) => id));
  // Eight at a time for each gateway.
  assert.ok(inDoubt.size > 0 && inDoubt.size <= 8 * driven, `${inDoubt.size} of ${driven}`);
  await clock.advance(75_000);
  for (const id of ids) assert.equal((await two.message(id)).status, inDoubt.has(id) ? "unknown" : "sent");
  const all = [...asked(one), ...asked(two)].map(({ id }) => id);
  assert.equal(new Set(all).size, all.length, "each went out once");
  assert.equal(all.length, ids.length);
  await two.close();
  await one.close();
  await own.remove();
});

test("two processes on PostgreSQL: one of them reroutes, and the other goes on when it dies", async () => {
  const own = await ground("postgres");
  const clock = movableClock();
  const settings = { heartbeatMs: 5000, takeoverMs: 45_000, pollMs: 60_000 };
  const one = await harness({ ground: own, clock, settings, respond: takes });
  const account = await one.account();
  const two = await harness({ ground: own, clock, settings, respond: takes });
  two.as(account);
  // None is marked: the oldest active gateway is the default one.
  const plain = { ...provider, default: false };
  for (const identifier of ["a", "b", "c"]) {
    await two.gateway({ identifier, ...plain });
    await clock.advance(1000);
  }
  await clock.advance(30_000);
  const reroutes = ({ system }: Harness) => system.lanes.owned.includes("reroute");
  const owners = [one, two].filter(reroutes);
  assert.equal(owners.length, 1, "one owner");
  const owner = owners[0]!;
  const other = owner === one ? two : one;

  const moves = ({ log }: Harness) => log.lines().filter(({ event }) => event === "messages.rerouted");
  const later = contacts(5).map((contact) => ({ ...contact, schedule_at: "2026-01-03 00:00:00" }));
  const ids = await other.accepted(later);
  const gatewayOf = async () =>
    new Set(await Promise.all(ids.map(async (id) => (await other.message(id)).gateway_identifier)));
  assert.deepEqual(await gatewayOf(), new Set(["a"]));
  await other.gateway({ identifier: "a", ...plain, active: false });
  await clock.advance(5000);
  assert.deepEqual(await gatewayOf(), new Set(["b"]));
  assert.deepEqual([moves(owner).length, moves(other).length], [1, 0]);

  await owner.kill();
  await other.gateway({ identifier: "b", ...plain, active: false });
  await clock.advance(30_000);
  assert.deepEqual(await gatewayOf(), new Set(["b"]), "the lane is not taken before its time");
  await clock.advance(30_000);
  assert.ok(reroutes(other));
  assert.deepEqual(await gatewayOf(), new Set(["c"]));
  assert.deepEqual([moves(owner).length, moves(other).length], [1, 1]);
  await two.close();
  await one.close();
  await own.remove();
});
