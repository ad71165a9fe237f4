// Opening a lane: what cannot be driven is left waiting, with a reason in the log.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openGateway } from "#messaging/deliver/open-gateway.ts";
import { createMailFiles } from "#messaging/email/files.ts";
import { SharedChildren } from "#runtime/children/shared-children.ts";
import { createMetrics } from "#runtime/metrics.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { findGateway, openSettings, saveGateway, setGatewayCounting } from "#store/gateways/gateways.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { createSealer } from "#store/seal.ts";
import { scriptedOutbound } from "../../gateways/scripted-outbound.ts";
import { type Harness, harness, seededRandom } from "../../harness.ts";
import { provider, providerSettings, takes } from "../../scenarios/provider.ts";

let it: Harness;
let gatewayId: string;
const random = seededRandom(3);

before(async () => {
  it = await harness({ started: false });
  await it.account({ time_zone: "Asia/Tokyo" });
  gatewayId = await it.gateway({
    identifier: "main",
    ...provider,
    settings: { ...providerSettings, timeout_ms: 4000 },
    pace: { hours: "08:00-20:00" },
  });
});
after(() => it?.close());

const lane = (change: Partial<LanesTable> = {}): LanesTable => ({
  id: gatewayId,
  kind: "gateway",
  active: 1,
  owner: "prc_1",
  fence: 1,
  paused_until: null,
  pause_reason: null,
  pauses: 0,
  paused_since: null,
  failing_since: null,
  paused_ms: 0,
  day: null,
  day_count: 0,
  revision: 0,
  operator_paused_at: null,
  operator_paused_by: null,
  wanted_by: null,
  next_at: null,
  ...change,
});

function open(
  state: LanesTable,
  sealer = it.system.core.sealer,
  publicUrl: string | null = "https://trunkline.test",
) {
  const outbound = scriptedOutbound((request) => takes(request));
  const deps = {
    database: it.system.database,
    clock: it.clock,
    random,
    outbound,
    log: it.log,
    crashPoint: () => {},
    newId: (prefix: string) => `${prefix}_1`,
    metrics: createMetrics(async () => []),
    sealer,
    publicUrl,
    fileBytes: new Semaphore(1024),
    maxWaitMs: 3_600_000,
    sharedChildren: new SharedChildren(it.clock),
    mailFiles: createMailFiles(it.system.database),
  };
  return { opened: openGateway(deps, state), outbound };
}

test("settings come back as they were given, with their defaults", async () => {
  const gateway = await it.system.database.run(findGateway, gatewayId);
  assert.ok(gateway && !gateway.settings.includes("provider-key"));
  const settings = openSettings(it.system.core.sealer, gateway) as { headers: object; method: string };
  assert.deepEqual(settings.headers, { authorization: "Bearer provider-key" });
  assert.equal(settings.method, "POST");
});

test("a gateway that is gone opens no lane", async () => {
  assert.equal(await open(lane({ id: "gw_gone" })).opened, null);
  assert.match(it.log.text(), /"event":"gateway.adapter_missing"/);
});

test("settings under another master key open no lane, and the log does not show them", async () => {
  const other = createSealer("another master key, just as long as it has to be", random);
  assert.equal(await open(lane(), other).opened, null);
  assert.match(it.log.text(), /"event":"gateway.settings_unreadable"/);
  assert.doesNotMatch(it.log.text(), /provider-key/);
});

test("a kind that this version does not know opens no lane", async () => {
  const gateway = await it.system.database.run(findGateway, gatewayId);
  await it.system.database.run(saveGateway, {
    ...gateway!,
    id: "gw_future",
    identifier: "future",
    kind: "telepathy",
    is_default: 0,
    revision: 0,
  });
  assert.equal(await open(lane({ id: "gw_future" })).opened, null);
});

test("tracking without a public URL is warned about, by the gateway's name", async () => {
  const id = await it.gateway({
    identifier: "tracked",
    channel: "email",
    kind: "smtp",
    settings: { host: "mail.example.test", from: "news@example.com", tracking: { opens: true } },
  });
  const warnings = () => it.log.lines().filter(({ event }) => event === "gateway.tracking_unavailable");
  const reachable = await open(lane({ id })).opened;
  assert.deepEqual(warnings(), []);
  const unreachable = await open(lane({ id }), undefined, null).opened;
  assert.deepEqual(
    warnings().map(({ gateway }) => gateway),
    ["tracked"],
  );
  await Promise.all([reachable?.stop(), unreachable?.stop()]);
});

test("a lane is driven by its gateway's rules, in the account's hours, with its timeout", async () => {
  // The clock is at midnight UTC, nine in the morning in Tokyo; at eleven UTC the hours are over there.
  const [day] = await it.accepted([{ number: "+4915123456789", message: "by day" }]);
  const { opened, outbound } = open(lane());
  const driven = await opened;
  assert.deepEqual([driven?.id, driven?.fence], [gatewayId, 1]);
  // The stamp is fenced: this lane row says fence 0, so nothing leaves under fence 1.
  await it.settle();
  assert.equal(outbound.requests.length, 0);
  assert.equal((await it.message(day!)).status, "queued");
  await driven?.stop();

  const current = open(lane({ fence: 0 }));
  const second = await current.opened;
  await it.settle();
  assert.equal(current.outbound.requests.length, 1);
  assert.equal(current.outbound.requests[0]?.timeoutMs, 4000);
  await it.advance(11 * 3_600_000);
  await it.accepted([{ number: "+4915123456789", message: "by night" }]);
  second?.wake();
  await it.advance(11.9 * 3_600_000);
  assert.equal(current.outbound.requests.length, 1);
  await it.advance(0.2 * 3_600_000);
  assert.equal(current.outbound.requests.length, 2);
  await second?.stop();
});

test("a lane that was stopped by hand is held, and sends nothing, not even a probe", async () => {
  const [id] = await it.accepted([{ number: "+4915123456789", message: "held" }]);
  const stopped = { operator_paused_at: it.clock.now(), paused_until: it.clock.now() - 1, pauses: 1 };
  const { opened, outbound } = open(lane(stopped));
  const driven = await opened;
  await it.advance(7_200_000);
  assert.deepEqual([driven?.inFlight, outbound.requests.length], [0, 0]);
  assert.equal((await it.message(id!)).attempts, 0);
  await driven?.stop();
});

test("a gateway from before learns how its parts are counted", async () => {
  const settings = { host: "smsc.example.com", system_id: "acme", password: "secret", long: "udh16" };
  const id = await it.gateway({ identifier: "smsc", kind: "smpp", settings });
  const { database } = it.system;
  const counting = async () => (await database.run(findGateway, id))?.counting ?? null;
  const made = await counting();
  assert.match(made ?? "", /udh16/);
  await database.run(setGatewayCounting, { id, counting: null, mail_sender: null });
  const opened = open(lane({ id }));
  await opened.opened;
  assert.equal(await counting(), made);
  await (await opened.opened)?.stop();
});
