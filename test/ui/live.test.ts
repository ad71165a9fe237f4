// Live updates: how hints become readings, without a browser; and in one, that a page follows what happens.

import assert from "node:assert/strict";
import test from "node:test";
import { createThrottle } from "#ui/app/throttle.ts";
import { missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

test("a name is passed on at once, and again only after the interval", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const passed: string[][] = [];
  const throttle = createThrottle(
    2_000,
    (names) => passed.push([...names]),
    () => now,
  );
  const advance = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  throttle.add(["messages", "overview"]);
  assert.deepEqual(passed, [["messages", "overview"]]);
  advance(500);
  throttle.add(["messages"]);
  throttle.add(["messages", "credit"]);
  assert.deepEqual(passed.slice(1), [["credit"]]);
  advance(1_499);
  assert.equal(passed.length, 2);
  advance(1);
  assert.deepEqual(passed.slice(2), [["messages"]]);
  advance(10_000);
  assert.equal(passed.length, 3, "nothing changed, and something is read");
  throttle.add(["messages"]);
  throttle.add(["messages"]);
  throttle.end();
  advance(10_000);
  assert.equal(passed.length, 4, "it goes on after its end");
});

test("an open page shows what happens without reading again and again", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/messages`);
  const dot = page.getByRole("banner").getByRole("button", { name: /Live|Paused/ });
  await page.getByRole("banner").getByText("Live").waitFor();
  await page.getByText("Nothing has been sent yet.").waitFor();
  let lists = 0;
  page.on("request", (request) => {
    if (request.url().includes(`/${account}/messages`) && request.method() === "GET") lists += 1;
  });
  const send = (end: string) =>
    api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: `+1555000000${end}` });
  await send("1");
  await at.it.advance(5_000);
  await page.getByRole("cell", { name: "delivered" }).waitFor();
  assert.ok(lists <= 3, `${lists} readings for one message`);
  await page.keyboard.press("l");
  await page.getByRole("banner").getByText("Paused").waitFor();
  await send("3");
  await at.it.advance(5_000);
  assert.equal(await page.locator("tbody tr").count(), 1, "a paused page changes");
  await dot.click();
  await page.getByRole("cell", { name: "failed", exact: true }).waitFor();
});

test("while there is no stream the page is polled and says so", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.clock.install();
  await page.route("**/events", (route) => route.abort());
  await page.goto(`${url}/a/${account}/messages`);
  await page.getByRole("banner").getByText("Every 5 s").waitFor();
  await page.getByText("Nothing has been sent yet.").waitFor();
  await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: "+15550000001" });
  await page.clock.runFor(5_000);
  await page.locator("tbody tr").first().waitFor();
});

test("a page says at once that the service is gone, when its stream ends", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.clock.install();
  await page.goto(`${url}/a/${account}/messages`);
  await page.getByRole("banner").getByText("Live").waitFor();
  await page.getByText("Nothing has been sent yet.").waitFor();
  // Its timers stand still: nothing is polled.
  await page.clock.pauseAt(Date.now() + 5_000);
  await page.route("**/*", (route) => route.abort("connectionrefused"));
  at.it.system.app.server.closeAllConnections();
  await page
    .getByText(/^No answer since/)
    .first()
    .waitFor();
});
