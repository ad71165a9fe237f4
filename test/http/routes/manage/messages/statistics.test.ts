// The statistics of an account's messages: series and points of a range, and clear errors for ranges that are none.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StatisticsPoint, StatisticsSum } from "#contract/manage/statistics.ts";
import { providerSettings } from "../../../../scenarios/provider.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme" });
  path = `/accounts/${account.id}/stats`;
  await m.it.gateway({ identifier: "box", default: true });
  await m.it.gateway({ identifier: "mail", channel: "email", default: true });
});
after(() => m.close());

interface Statistics {
  step: string;
  after: string;
  series: { key: string; total: StatisticsSum; points: StatisticsPoint[] }[];
}
const statistics = async (query = "") => dataOf<Statistics>(await m.operator("GET", `${path}${query}`));

test("nothing happened: no series", async () => {
  assert.deepEqual((await statistics()).series, []);
});

test("messages are counted by hour, in one series, or one for each channel or gateway", async () => {
  const contact = { number: "+15550000001", message: "hi" };
  await m.it.accepted([contact, contact]);
  await m.it.post("/api/email/send", {
    contact: [{ email: "delivered@example.com", subject: "Hello", message: "Hi" }],
  });
  await m.it.advance(30_000);
  const all = await statistics();
  assert.equal(all.step, "hour");
  const sum = (name: "accepted" | "delivered") =>
    all.series.flatMap(({ points }) => points).reduce((n, point) => n + point[name], 0);
  assert.deepEqual([all.series.map(({ key }) => key), sum("accepted"), sum("delivered")], [[""], 3, 3]);
  const [point] = all.series[0]!.points;
  assert.ok(point!.wait_ms.p95 !== null && point!.delivery_ms.p50 !== null);
  const byChannel = await statistics("?split=channel&step=day");
  assert.deepEqual(byChannel.series.map(({ key, points }) => [key, points[0]?.accepted]).sort(), [
    ["email", 1],
    ["sms", 2],
  ]);
  const byGateway = await statistics("?split=gateway&step=minute&gateway=box");
  assert.deepEqual([...new Set(byGateway.series.map(({ key }) => key))], ["box"]);
  const sms = await statistics("?channel=sms");
  assert.equal(sms.series[0]?.points[0]?.accepted, 2);
});

test("messages of sandboxes and real ones are told apart, also when their gateways are gone", async () => {
  const own = dataOf<{ id: string }>(await m.operator("POST", "/accounts", { name: "mixed" }));
  const mixed = `/accounts/${own.id}`;
  await m.operator("POST", `${mixed}/gateways`, { identifier: "toy", channel: "sms", kind: "sandbox" });
  const web = { channel: "sms", kind: "http-api", settings: providerSettings };
  await m.operator("POST", `${mixed}/gateways`, { identifier: "web", ...web });
  m.it.respond(async () => ({ kind: "answer", status: 200, headers: {}, body: Buffer.from('{"id":"p"}') }));
  const to = (number: string, gateway_identifier: string) => ({ number, message: "hi", gateway_identifier });
  const contact = [
    ...["+15550000001", "+15550000003", "+15550000001"].map((number) => to(number, "toy")),
    ...["+4915123456781", "+4915123456782"].map((number) => to(number, "web")),
  ];
  const sent = await m.operator("POST", `${mixed}/messages`, { channel: "sms", contact });
  assert.equal(sent.statusCode, 200, sent.body);
  await m.it.advance(60_000);
  const read = async (query: string) =>
    dataOf<Statistics>(await m.operator("GET", `${mixed}/stats?${query}`)).series.map(({ key, total }) => [
      key,
      total.accepted,
    ]);
  for (const gone of [false, true]) {
    if (gone)
      for (const identifier of ["toy", "web"]) await m.operator("DELETE", `${mixed}/gateways/${identifier}`);
    assert.deepEqual((await read("split=test")).sort(), [
      ["real", 2],
      ["test", 3],
    ]);
    assert.deepEqual(await read("test=true"), [["", 3]]);
    assert.deepEqual(await read("test=false&split=gateway"), [["web", 2]]);
    assert.deepEqual(await read("test=true&gateway=web"), []);
  }
});

test("a range ends before `before`, and one without anything has no series", async () => {
  const now = m.it.clock.now();
  const iso = (at: number) => new Date(at).toISOString();
  const earlier = await statistics(`?after=${iso(now - 7_200_000)}&before=${iso(now - 3_600_000)}`);
  assert.deepEqual(earlier.series, []);
});

test("the total of a range has what all its points have, and percentiles of its own", async () => {
  await m.it.advance(3_600_000);
  await m.it.accepted([{ number: "+15550000001", message: "an hour later" }]);
  await m.it.advance(30_000);
  const [series] = (await statistics()).series;
  const { total, points } = series!;
  assert.ok(points.length > 1);
  for (const name of ["accepted", "sent", "delivered", "failed"] as const)
    assert.equal(
      total[name],
      points.reduce((sum, point) => sum + point[name], 0),
      name,
    );
  const slowest = Math.max(...points.map(({ delivery_ms }) => delivery_ms.p99 ?? 0));
  assert.ok(total.delivery_ms.p50 !== null && total.delivery_ms.p50 <= slowest);
});

test("ranges that are none, too long or of no gateway are refused with the field", async () => {
  const refused = async (query: string) => {
    const reply = await m.operator("GET", `${path}?${query}`);
    assert.equal(reply.statusCode, 422, reply.body);
    return Object.keys(reply.json().errors);
  };
  const at = "2026-01-02T00:00:00Z";
  assert.deepEqual(await refused(`after=${at}&before=${at}`), ["after"]);
  assert.deepEqual(await refused(`after=2026-01-01T00:00:00Z&before=2026-01-03T00:00:00Z&step=minute`), [
    "after",
  ]);
  assert.deepEqual(await refused("gateway=none"), ["gateway"]);
  assert.deepEqual(await refused("step=week"), ["step"]);
  assert.deepEqual(await refused("after=yesterday"), ["after"]);
});
