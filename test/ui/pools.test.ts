// The pages of pools: members in tiers with the reasons of their states, calls that name who was asked, and what keys allow.

import assert from "node:assert/strict";
import test from "node:test";
import type { PoolCall, PoolUsage } from "#ui/api/schema.ts";
import { spansOf } from "#ui/pools/call-spans.ts";
import { requestsByDay } from "#ui/pools/days.ts";
import { leftAt } from "#ui/pools/keys/left.ts";
import { outcomeOf, shareOf } from "#ui/pools/outcomes.ts";
import { expectSound, missing, settled, setUp, type Visit, visit } from "./browser.ts";
import { api, ask, sandboxPool } from "./pages.ts";

const call: PoolCall = {
  id: "req_1",
  at: "2026-01-01T00:00:00.000Z",
  key: "key_1",
  key_name: "app",
  person: null,
  reused: null,
  kind: "chat",
  stream: true,
  status: 200,
  member: "second",
  model: "m",
  attempts: [
    {
      member: "first",
      model: "m",
      started_ms: null,
      ms: 100,
      outcome: "upstream_error",
      status: 503,
      given_up: false,
    },
    { member: "second", model: "m", started_ms: null, ms: 300, outcome: "ok", status: 200, given_up: false },
  ],
  cached_tokens: 0,
  cache_write_tokens: 0,
  price_source: null,
  prompt_tokens: 1,
  completion_tokens: 1,
  estimated: false,
  cost: 0,
  first_byte_ms: 500,
  ms: 900,
  failed_over: true,
  user: null,
  tags: [],
  client_request_id: null,
  api: null,
};

test("a call is drawn to scale: attempts, the wait between them, and the answer as it streams", () => {
  const drawn = (of: PoolCall) => spansOf(of).map(({ name, fromMs, ms }) => [name, fromMs, ms]);
  assert.deepEqual(drawn(call), [
    ["first", 0, 100],
    ["waited", 100, 100],
    ["second", 200, 300],
    ["the answer", 500, 400],
  ]);
  assert.deepEqual(drawn({ ...call, stream: false, first_byte_ms: 900 }).at(-1), ["second", 600, 300]);
  const unanswered = { ...call, attempts: call.attempts.slice(0, 1), member: null, first_byte_ms: null };
  assert.deepEqual(drawn(unanswered), [
    ["first", 0, 100],
    ["waited", 100, 800],
  ]);
  assert.deepEqual(drawn({ ...call, attempts: [] }), []);
  const [first, second] = call.attempts.map((attempt, at) => ({ ...attempt, started_ms: [10, 150][at]! }));
  assert.deepEqual(drawn({ ...call, attempts: [first!, second!] }).slice(0, 4), [
    ["waited", 0, 10],
    ["first", 10, 100],
    ["waited", 110, 40],
    ["second", 150, 300],
  ]);
});

test("outcomes, shares and names are said in words", () => {
  assert.equal(outcomeOf({ outcome: "upstream_error", status: 503 }), "failed · 503");
  assert.equal(outcomeOf({ outcome: "upstream_error", status: null }), "no answer");
  assert.equal(outcomeOf({ outcome: "of_a_newer_service", status: null }), "of a newer service");
  assert.equal(shareOf(1, [1, 3]), "25 %");
});

test("a member's days are those of the answer, and days without a call are none", () => {
  const row = (group: string, member: string, requests: number) =>
    ({ group, member, requests }) as unknown as PoolUsage;
  const data = [row("2026-01-02", "a", 4), row("2026-01-02", "b", 9), row("2025-12-31", "a", 1)];
  assert.deepEqual(requestsByDay({ data, from: "2025-12-31", to: "2026-01-02" }, "a"), [1, 0, 4]);
  assert.deepEqual(requestsByDay(undefined, "a"), []);
});

async function poolWithFailure(at: Visit) {
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pools = `/accounts/${account}/pools`;
  const pool = (await api(at, "POST", pools, { name: "chat" })).body.data.id ?? "";
  const member = (name: string, models: string[], priority: number) =>
    api(at, "POST", `${pools}/${pool}/members`, { name, kind: "sandbox", models, priority });
  await member("first", ["failing"], 1);
  await member("second", ["echo"], 2);
  const made = await api(at, "POST", `${pools}/${pool}/keys`, {
    name: "shop",
    limits: { requests_per_minute: 600 },
    budget: { tokens_per_day: 100_000 },
  });
  await ask(at, String(made.body.data.key), null, 3);
  await at.page.clock.setFixedTime(at.it.clock.now());
  return { account, pool, path: `${at.url}/a/${account}/pools/${pool}` };
}

test("a member that is down says why, when it is asked again and in which call it failed last", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const { path } = await poolWithFailure(at);
  await page.goto(path);
  const tiers = page.locator(".tier");
  await tiers.nth(0).getByText("asked first, but none of its members is up").waitFor();
  await tiers.nth(0).getByText("down", { exact: true }).waitFor();
  await tiers
    .nth(0)
    .getByText(/failed twice in a row/)
    .waitFor();
  await tiers.nth(1).getByText("serves now, because none above is up").waitFor();
  await tiers.nth(1).getByText("3 requests in 30 days", { exact: true }).waitFor();
  await expectSound(at, "a pool with a member that is down");
  await tiers.nth(0).getByRole("link", { name: "The call" }).click();
  await page.getByRole("heading", { name: "Chat call" }).waitFor();
  await page.getByText(/second answered, after \d failed attempts?\./).waitFor();
  await page.getByRole("link", { name: "shop" }).waitFor();
  await expectSound(at, "a call");
});

test("calls are found by what happened, the filter is in the URL, and the way back keeps it", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const { path } = await poolWithFailure(at);
  await page.goto(`${path}/calls`);
  const rows = page.getByRole("table").getByRole("row");
  await page.getByRole("cell", { name: "shop" }).first().waitFor();
  assert.equal(await rows.count(), 4);
  await page.getByLabel("Failed at").selectOption("first");
  await page.waitForURL(/failed_by=first/);
  const failures = await page.getByText("first: failed").count();
  assert.ok(failures > 0);
  await page.locator("a.row-link").first().click();
  await page.getByRole("heading", { name: "Chat call" }).waitFor();
  await page.getByRole("link", { name: "Calls", exact: true }).first().click();
  await page.waitForURL(/calls\?failed_by=first/);
  await page.getByLabel("Failed at").selectOption("second");
  await page.getByText("No call fits this filter.").waitFor();
});

test("a call that an earlier answer served has a tag, in the list and on its page", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const { path, key } = await sandboxPool(at, { cache: { ttl_s: 600 } });
  await ask(at, key, "echo", 2);
  await ask(at, key, "echo", 2, {
    headers: { "idempotency-key": "order-1", "cache-control": "no-cache" },
  });
  await at.page.clock.setFixedTime(at.it.clock.now());
  await page.goto(`${path}/calls`);
  const rows = page.getByRole("table").getByRole("row");
  await page.getByRole("cell", { name: "shop" }).first().waitFor();
  const tags = async (row: number) => (await rows.nth(row).locator(".tag").allInnerTexts()).join();
  // The newest comes first, below the head: two answers of the member, and each again.
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map(tags)), ["repeat", "", "cache", ""]);
  assert.equal(await page.getByRole("link", { name: "an earlier answer" }).count(), 2);
  await expectSound(at, "calls that earlier answers served");
  for (const [row, tag, sentence] of [
    [1, "repeat", /with the same Idempotency-Key was repeated\. No member was called\./],
    [3, "cache", /The pool's cache answered.* No member was called\./],
  ] as const) {
    await rows.nth(row).getByRole("link", { name: "an earlier answer" }).click();
    await page.getByRole("heading", { name: "Chat call" }).waitFor();
    await page.getByText(sentence).waitFor();
    assert.equal(await page.getByRole("status").locator(".tag").innerText(), tag);
    await expectSound(at, `a call with the tag ${tag}`);
    await page.getByRole("link", { name: "Calls", exact: true }).first().click();
    await page.getByRole("cell", { name: "shop" }).first().waitFor();
  }
});

test("what is left of a limit grows evenly until it is full", () => {
  const fullAt = "2026-01-01T00:01:00.000Z";
  const left = (seconds: number, limit = 2) => leftAt(limit, fullAt, Date.UTC(2026, 0, 1) + seconds * 1_000);
  assert.deepEqual(
    [0, 29.9, 30, 59, 60, 90].map((at) => left(at)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.equal(leftAt(2, null, 0), 2);
  // Owed: more was used than the limit holds.
  assert.equal(left(-30), 0);
  assert.deepEqual(
    [20, 40].map((at) => left(at, 7)),
    [2, 4],
  );
});

test("a key's page says what is left of two requests a minute, and which limit refused the third call until when", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const limits = { requests_per_minute: 2 };
  const made = await api(at, "POST", `/accounts/${account}/pools/${pool}/keys`, { name: "shop", limits });
  const key = String(made.body.data.key);
  await page.clock.setFixedTime(at.it.clock.now());
  await page.goto(`${url}/a/${account}/pools/${pool}/keys`);
  const row = page.getByRole("row", { name: /shop/ }).first();
  await row.getByText("2 requests a minute").waitFor();
  assert.equal(await row.getByText(/left|refused/).count(), 0);
  await ask(at, key, "echo", 1);
  await page.clock.setFixedTime(at.it.clock.now());
  await row.getByText("1 left").waitFor();
  await ask(at, key, "echo", 1);
  const refused = await fetch(`${url}/api/ai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  });
  assert.equal(refused.status, 429);
  await at.it.advance(1_000);
  await page.clock.setFixedTime(at.it.clock.now());
  await row.getByText("none left").waitFor();
  await row.getByText(/refused .* by its requests a minute; allowed again in\s\d+\ss/).waitFor();
  await expectSound(at, "a key whose limit is used up");
});

test("a key shows its limits and what it spent; it is changed, rotated and revoked", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page } = at;
  await setUp(at);
  const { path } = await poolWithFailure(at);
  await page.goto(`${path}/keys`);
  const row = page.getByRole("row", { name: /shop/ }).first();
  await row.getByText("600 requests a minute").waitFor();
  await row.getByText(/of 100,000 tokens today/).waitFor();
  await row.getByRole("button", { name: "Change…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Requests per minute", { exact: true }).fill("60");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row.getByText("60 requests a minute", { exact: true }).waitFor();
  const before = await row.locator("code").textContent();
  const more = row.getByRole("button", { name: "More for shop" });
  await more.click();
  await expectSound(at, "what else can be done with a key");
  await row.getByRole("button", { name: "Rotate…" }).click();
  await dialog.getByRole("button", { name: "24 h" }).click();
  await dialog.getByRole("button", { name: "Rotate the key" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await settled(at);
  assert.notEqual(await row.locator("code").textContent(), before);
  await row.getByText("the old one works until").waitFor();
  await expectSound(at, "the keys of a pool");
  const old = page.getByRole("row").filter({ has: page.getByRole("link", { name: "shop", exact: true }) });
  await more.click();
  await old.getByRole("button", { name: "Revoke…" }).click();
  const asks = page.getByRole("alertdialog");
  await asks.getByText(/^Last used/).waitFor();
  await asks.getByLabel(/Type shop/).fill("shop");
  await asks.getByRole("button", { name: "Revoke", exact: true }).click();
  await old.getByText("revoked").waitFor();
});
