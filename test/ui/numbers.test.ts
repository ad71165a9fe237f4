// Each number of the dashboard that leads to a list or is beside a link to one: the list has exactly that many. Both sides are asked of
// the API, by the functions with which the pages make their queries; without a browser.

import assert from "node:assert/strict";
import test from "node:test";
import type { AttentionData } from "#contract/manage/overview.ts";
import { holdPending } from "#store/maintenance/restore-hold.ts";
import type {
  AccountRequest,
  Gateway,
  InstallationDetailsReply,
  ListedAccount,
  MessageStatistics,
} from "#ui/api/schema.ts";
import { histogramOf, queryOf } from "#ui/messages/range.ts";
import { columnsOf } from "#ui/parts/charts/outcomes.ts";
import { queryOf as chartQueryOf, ranges, spansOf } from "#ui/parts/charts/ranges.ts";
import { dayOf, instantIn } from "#ui/words/spans.ts";
import { dataOf, type Managed, managed } from "../http/routes/manage/managed.ts";
import { answer, noAnswer, provider, readRequest, report, takes } from "../scenarios/provider.ts";

const hourMs = 3_600_000;
const zone = "America/St_Johns";

type Search = Readonly<Record<string, string>>;
/** A number of the dashboard, and the filter of the log to which it leads. */
type Row = readonly [name: string, count: number | undefined, search: Search];

const asText = (query: object) => new URLSearchParams(query as Record<string, string>).toString();
const iso = (at: number) => new Date(at).toISOString();

/** Messages that end in every way, for a sandbox and for a provider. */
async function traffic(m: Managed, path: string): Promise<string[]> {
  const send = async (channel: string, contact: object[]) =>
    dataOf<{ request_id: string; contact: { id: string }[] }>(
      await m.operator("POST", `${path}/messages`, { channel, contact }),
    );
  const sms = (gateway_identifier: string, ends: string) =>
    [...ends].map((end) => ({ number: `+1555000000${end}`, message: "Hi", gateway_identifier }));
  const requests = [
    await send("sms", sms("box", "11235")),
    await send("sms", sms("web", "1112345")),
    await send("sms", sms("late", "1")),
    await send(
      "email",
      ["delivered", "bounced"].map((name) => ({
        email: `${name}@acme.example`,
        subject: "Hi",
        message: "Hi",
      })),
    ),
  ];
  const later = sms("web", "11").map((contact) => ({ ...contact, schedule_at: "2026-02-01 09:00:00" }));
  const scheduled = await send("sms", later);
  await m.operator("POST", `${path}/messages/${scheduled.contact[0]?.id}/cancel`);
  return [...requests, scheduled].map(({ request_id }) => request_id);
}

/** What the provider answers and reports, by the last digit of the number. */
function answers({ it }: Managed): void {
  it.respond((request) => {
    const { id, to } = readRequest(request);
    if (to.endsWith("3")) return answer(400);
    if (to.endsWith("5")) return noAnswer;
    const state = { 1: "DELIVRD", 2: "UNDELIV" }[to.at(-1) ?? ""];
    if (state !== undefined) void it.clock.sleep(500).then(() => report(it, "web", { ref: id, state }));
    return takes(request);
  });
}

async function numbersOf(m: Managed, account: string, requests: readonly string[]): Promise<Row[]> {
  const path = `/accounts/${account}`;
  const now = m.it.clock.now();
  const get = async <T>(of: string) => dataOf<T>(await m.operator("GET", of));
  const stats = (query: object) => get<MessageStatistics>(`${path}/stats?${asText(query)}`);
  const acceptedOf = ({ series }: MessageStatistics, key = "") =>
    series.find((each) => each.key === key)?.total.accepted ?? 0;
  const rows: Row[] = [];
  for (const range of ranges) {
    const last = { last: range.name };
    const shown = await stats({ ...chartQueryOf(range, now, zone), split: "test" });
    for (const [key, of] of [
      ["real", "false"],
      ["test", "true"],
    ] as const) {
      const series = shown.series.find((each) => each.key === key);
      rows.push([`overview, ${range.title}, ${key}`, acceptedOf(shown, key), { ...last, test: of }]);
      for (const { from, to, accepted } of columnsOf(spansOf(range, shown), series))
        if (accepted > 0) {
          const search = { created_from: iso(from), created_to: iso(to), test: of };
          rows.push([`column of ${iso(from)}, ${range.title}, ${key}`, accepted, search]);
        }
    }
    const counted = histogramOf(queryOf(last, now, zone), now);
    rows.push([`log, ${range.title}`, acceptedOf(await stats(counted?.query ?? {})), last]);
  }
  const { query } = histogramOf({}, now) ?? {};
  rows.push(["log of any time: the last 24 hours", acceptedOf(await stats(query ?? {})), { last: "24h" }]);
  const byGateway = await stats({ split: "gateway", step: "hour" });
  for (const { identifier: gateway, queue } of await get<Gateway[]>(`${path}/gateways`)) {
    const search = { gateway, last: "24h" };
    rows.push([`gateways, ${gateway}`, acceptedOf(byGateway, gateway), search]);
    rows.push([`gateway ${gateway}`, acceptedOf(await stats({ gateway })), search]);
    const due = iso(now + 1);
    rows.push([`due on ${gateway}`, queue.due, { gateway, order: "due", due_to: due }]);
    rows.push([`due later on ${gateway}`, queue.later, { gateway, order: "due", due_from: due }]);
  }
  const { attention } = await get<{ attention: AttentionData[] }>(`${path}/overview`);
  for (const { kind, count, href } of attention) {
    const [, search] = href.split("/messages?");
    if (search !== undefined) rows.push([kind, count?.n, Object.fromEntries(new URLSearchParams(search))]);
  }
  const listed = (await get<ListedAccount[]>("/accounts")).find(({ id }) => id === account);
  const today = listed?.figures.today;
  const created_from = iso(instantIn(`${dayOf(now, zone)}T00:00`, zone));
  rows.push(["accounts, today", today?.accepted, { created_from, test: "false" }]);
  rows.push(["accounts, tests today", today?.tests.accepted, { created_from, test: "true" }]);
  for (const request of requests) {
    const { messages, by_status } = await get<AccountRequest>(`${path}/requests/${request}`);
    rows.push([`request ${request}`, messages, { request }]);
    for (const [status, count] of Object.entries(by_status))
      rows.push([`request ${request}, ${status}`, count, { request, status }]);
  }
  const { held_accounts } = await get<InstallationDetailsReply["data"]>("/installation/details");
  for (const { account: of, messages } of held_accounts)
    if (of === account) rows.push(["held", messages, { held: "true" }]);
  return rows;
}

/** How many messages the log lists. */
async function listedOf(m: Managed, account: string, search: Search): Promise<number> {
  const query = "order" in search ? search : queryOf(search, m.it.clock.now(), zone);
  assert.equal(Object.keys(query).length, Object.keys(search).length, `the log filters by ${asText(search)}`);
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = asText({ ...query, brief: "true", limit: "200", ...(cursor === "" ? {} : { cursor }) });
    const reply = await m.operator("GET", `/accounts/${account}/messages?${page}`);
    count += dataOf<object[]>(reply).length;
    cursor = reply.json().next_cursor;
  }
  return count;
}

test("a number and the list to which it leads are equal, at any time of the hour", async (t) => {
  const m = await managed();
  t.after(() => m.close());
  const { it } = m;
  const { id: account } = await it.account({ name: "acme", time_zone: zone, lateness_ms: 2 * hourMs });
  const path = `/accounts/${account}`;
  await it.gateway({ identifier: "box", default: false });
  await it.gateway({ identifier: "mails", channel: "email", default: true });
  await it.gateway({ ...provider, identifier: "web", default: true });
  await it.gateway({ ...provider, identifier: "late", default: false });
  await m.operator("POST", `${path}/gateways/late/pause`);
  answers(m);
  const requests: string[] = [];
  /** Sends at an exact instant. */
  const sendAt = async (at: number) => {
    await it.clock.advanceTo(at);
    requests.push(...(await traffic(m, path)));
  };
  const expectEqual = async (when: string) => {
    const rows = await numbersOf(m, account, requests.slice(-5));
    const kinds = new Set(rows.map(([name]) => name));
    for (const kind of ["failures", "unknown_messages", "due on late", "due later on web"])
      assert.ok(kinds.has(kind), `${when}: ${kind} is there`);
    const shown = rows.map(([name, count]) => `${name}: ${count}`);
    const listed = await Promise.all(
      rows.map(async ([name, , search]) => `${name}: ${await listedOf(m, account, search)}`),
    );
    assert.deepEqual(shown, listed, when);
    return new Map(rows.map(([name, count]) => [name, count]));
  };
  const first = Math.ceil(it.clock.now() / hourMs) * hourMs + 2 * 24 * hourMs;
  const last = first + 24 * hourMs;
  for (const at of [-30 * hourMs, -1, 0, hourMs - 1, 12 * hourMs]) await sendAt(first + at);
  // The last 24 hours begin with `first` at each of these.
  await it.clock.advanceTo(last);
  await expectEqual("at the hour");
  await sendAt(last);
  await sendAt(last + hourMs - 3_000);
  await it.clock.advanceTo(last + hourMs - 1);
  await expectEqual("in the last millisecond of the hour");
  await it.clock.advanceTo(last + hourMs);
  const real = await expectEqual("at the next hour");
  for (const gateway of ["web", "late"])
    await m.operator("PATCH", `${path}/gateways/${gateway}`, { active: false });
  const all = await expectEqual("without a real gateway");
  assert.ok((all.get("failures") ?? 0) > (real.get("failures") ?? 0), "tests count then");
  while (!(await it.system.database.run(holdPending, { at: it.clock.now(), limit: 100 })));
  const held = (await expectEqual("of a restored copy")).get("held") ?? 0;
  assert.ok(held > 0, "what waited is held");
});
