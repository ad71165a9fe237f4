// What a pool was asked, on its page: outcomes over time, what limits refused, and the sums of each member, key and status.

import assert from "node:assert/strict";
import test from "node:test";
import type { PoolStatisticsPoint } from "#ui/api/schema.ts";
import { refusalsOf, seriesName, sumsIn } from "#ui/pools/statistics/series.ts";
import { expectSound, missing, settled, setUp, type Visit, visit } from "./browser.ts";
import { api, ask } from "./pages.ts";

const none = { p50: null, p95: null, p99: null };
const point: PoolStatisticsPoint = {
  at: "2026-01-01T10:00:00.000Z",
  requests: 3,
  errors: 1,
  failed_over: 1,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost: 0,
  unpriced: 0,
  refused: { requests: 0, tokens: 0, concurrency: 1, budget: 2 },
  // The call that failed over failed in the end.
  ended: { answered: 1, answered_after_failover: 0, errors: 1, aborted: 1 },
  latency_ms: none,
  first_byte_ms: none,
};

test("points are summed in the columns of a chart, and refusals say what refused", () => {
  const hour = (of: number) => Date.UTC(2026, 0, 1, of);
  const spans = [
    { from: hour(7), to: hour(10) },
    { from: hour(10), to: hour(13) },
  ];
  const later = { ...point, at: "2026-01-01T12:00:00.000Z" };
  assert.deepEqual(
    sumsIn(spans, [point, later]).map(({ requests, answered, failedOver, errors, aborted, refused }) => [
      requests,
      [answered, failedOver, errors, aborted],
      refused,
    ]),
    [
      [0, [0, 0, 0, 0], 0],
      [6, [2, 0, 2, 2], 6],
    ],
  );
  assert.deepEqual(refusalsOf(point), { count: 3, words: "1 by calls at once, 2 by budget" });
  assert.equal(seriesName("key", { key: "pool_1", name: null }, "pool_1"), "people, without a key");
  assert.equal(seriesName("key", { key: "key_1", name: null }, "pool_1"), "key_1");
  assert.equal(seriesName("member", { key: "", name: null }, "pool_1"), "no member was asked");
});

test("a pool's page says how much it was asked, and why calls got 429", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const path = `/accounts/${account}/pools/${pool}`;
  const limits = { requests_per_minute: 2 };
  const key = String((await api(at, "POST", `${path}/keys`, { name: "shop", limits })).body.data.key);
  await ask(at, key, "echo", 2);
  const refused = await fetch(`${url}/api/ai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hello" }] }),
  });
  assert.equal(refused.status, 429);
  await at.it.advance(3_000);
  await page.clock.setFixedTime(at.it.clock.now());
  await page.goto(`${url}/a/${account}/pools/${pool}`);
  await settled(at);
  const asked = page.getByRole("region", { name: "Traffic" });
  await asked.getByText("1 by requests a minute").waitFor();
  await asked.getByLabel("By", { exact: true }).selectOption("key");
  const row = asked.getByRole("row").filter({ hasText: "shop" });
  await row.waitFor();
  assert.match((await row.textContent()) ?? "", /shop.*2/);
  await asked.getByLabel("By", { exact: true }).selectOption("status");
  await asked.getByRole("row").filter({ hasText: "429" }).waitFor();
  assert.match(page.url(), /by=status/);
  await asked.getByRole("link", { name: "30 d" }).click();
  await page.waitForURL(/last=30d/);
  assert.match(page.url(), /by=status/);
  await asked.getByText("1 by requests a minute").waitFor();
  await expectSound(at, "the pool's figures");
});

/** Asks for a model that every member fails with. */
async function askInVain({ it, url }: Visit, key: string): Promise<void> {
  let isDone = false;
  const called = fetch(`${url}/api/ai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "failing", messages: [{ role: "user", content: "hello" }] }),
  }).finally(() => {
    isDone = true;
  });
  while (!isDone) await it.advance(500);
  assert.ok((await called).status >= 500);
  await it.advance(3_000);
}

test("a call that failed over and failed is counted once, and a page reads its figures once", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  const path = `/accounts/${account}/pools/${pool}`;
  for (const name of ["broken-1", "broken-2"])
    await api(at, "POST", `${path}/members`, { name, kind: "sandbox", models: ["failing"], priority: 0 });
  const key = String((await api(at, "POST", `${path}/keys`, { name: "shop" })).body.data.key);
  await ask(at, key, "echo");
  await askInVain(at, key);
  await page.clock.setFixedTime(at.it.clock.now());
  const read: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith("/stats") && request.url().includes("/pools/"))
      read.push(new URL(request.url()).search);
  });
  await page.goto(`${url}/a/${account}/pools/${pool}`);
  await page.getByRole("banner").getByText("Live").waitFor();
  const asked = page.getByRole("region", { name: "Traffic" });
  const legend = async (part: typeof asked) =>
    (await part.locator(".legend li").allTextContents()).map((text) => text.trim());
  await asked.locator(".legend").waitFor();
  assert.deepEqual(await legend(asked), ["answered 1", "failed over 0", "errors 1", "given up 0"]);
  await asked.getByRole("row").filter({ hasText: "sandbox" }).first().waitFor();
  assert.equal(read.length, 1, read.join(" "));
  // The calls that come meanwhile are in the list at once, and in the figures half a minute later.
  const hinted = page.waitForRequest((request) => request.url().endsWith("/health"));
  await ask(at, key, "echo");
  await hinted;
  await asked.getByLabel("By", { exact: true }).selectOption("status");
  await asked.getByRole("row").filter({ hasText: "200" }).waitFor();
  assert.equal(read.length, 2, read.join(" "));
  // A column leads to the calls of its time: three, and none before.
  for (const [column, calls] of [
    [24, 3],
    [23, 0],
  ] as const) {
    await asked.locator(".column").nth(column).press("Enter");
    await page.getByText(/^Those of /).waitFor();
    if (calls === 0) await page.getByText("No call fits this filter.").waitFor();
    else await page.locator("tbody tr[data-index]").first().waitFor();
    assert.equal(await page.locator("tbody tr[data-index]").count(), calls);
    await page.goBack();
    await asked.locator(".legend").waitFor();
  }
  const tabs = page.getByRole("navigation", { name: "Pages of the pool" });
  await tabs.getByRole("link", { name: "Usage" }).click();
  const days = page.getByRole("figure", { name: "Requests by day" });
  await days.getByText("last 30 days").waitFor();
  assert.deepEqual(await legend(days), ["answered 2", "errors 1"]);
  assert.equal(await days.locator(".column").count(), 30);
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  const ofAccount = page.getByRole("region", { name: "AI requests" });
  await ofAccount.locator(".legend").waitFor();
  assert.deepEqual(await legend(ofAccount), ["answered 2", "errors 1"]);
  // A browser whose clock is wrong shows the service's hours: one that is a column off, and one that is days off.
  for (const off of [3_600_000, 40 * 86_400_000]) {
    await page.clock.setFixedTime(at.it.clock.now() + off);
    await page.goto(`${url}/a/${account}/pools/${pool}`);
    await asked.locator(".legend").waitFor();
    assert.deepEqual(await legend(asked), ["answered 2", "failed over 0", "errors 1", "given up 0"]);
    assert.equal(new URLSearchParams(read.at(-1)).get("after"), new URLSearchParams(read[0]).get("after"));
    await tabs.getByRole("link", { name: "Usage" }).click();
    await days.locator(".legend").waitFor();
    assert.deepEqual(await legend(days), ["answered 2", "errors 1"]);
  }
});
