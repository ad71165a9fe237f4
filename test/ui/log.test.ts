// The log: filters and time in the URL, a histogram that narrows it, what became of each chosen row, and the way back from a message.

import assert from "node:assert/strict";
import test from "node:test";
import type { Locator } from "playwright-core";
import { changeInParts } from "#ui/messages/in-parts.ts";
import { histogramOf, queryOf } from "#ui/messages/range.ts";
import { neighboursOf } from "#ui/messages/trail.ts";
import { instantIn, localIn } from "#ui/words/spans.ts";
import { expectSound, missing, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const hourMs = 3_600_000;
const now = Date.parse("2026-01-09T13:22:41Z");

test("a filter is the API's query; a range that ends now is the same for some minutes", () => {
  const query = queryOf(
    { status: "failed", error: "carrier_rejected", last: "24h", open: "panel" },
    now,
    "UTC",
  );
  assert.deepEqual(query, {
    status: "failed",
    error: "carrier_rejected",
    created_from: "2026-01-08T13:00:00.000Z",
  });
  assert.deepEqual(queryOf({ last: "1h" }, now, "UTC"), queryOf({ last: "1h" }, now + 60_000, "UTC"));
  assert.deepEqual(queryOf({ last: "for ever" }, now, "UTC"), {});
});

test("what the list shows is counted in at most 60 columns, and not at all where the API counts no such thing", () => {
  const at = (before: number) => new Date(now - before * hourMs).toISOString();
  for (const [hours, step] of [
    [1, "minute"],
    [24, "hour"],
    [24 * 7, "hour"],
    [24 * 29, "day"],
    [24 * 200, "day"],
  ] as const) {
    const of = histogramOf({ created_from: at(hours), channel: "sms" }, now);
    assert.equal(of?.query.step, step, String(hours));
    assert.equal(of.query.channel, "sms");
    if (of.minutes !== null) assert.ok((hours * 60) / of.minutes <= 61, String(hours));
  }
  assert.equal(histogramOf({}, now)?.query.step, "hour");
  assert.equal(histogramOf({ test: "false" }, now)?.query.test, "false");
  // The minutes of three days ago are not kept.
  assert.equal(histogramOf({ created_from: at(72), created_to: at(71) }, now), null);
  assert.equal(histogramOf({ created_from: at(1), created_to: at(2) }, now), null);
  assert.equal(histogramOf({ created_from: "yesterday" }, now), null);
  for (const name of ["status", "recipient", "request", "reference", "error", "held"])
    assert.equal(histogramOf({ [name]: "x" }, now), null, name);
});

test("a wall clock's time is an instant of its zone, also about a change of clocks", () => {
  for (const [local, iso] of [
    ["2026-01-09T14:22", "2026-01-09T13:22:00.000Z"],
    ["2026-03-29T01:59", "2026-03-29T00:59:00.000Z"],
    ["2026-03-29T03:00", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25T04:00", "2026-10-25T03:00:00.000Z"],
  ] as const) {
    assert.equal(new Date(instantIn(local, "Europe/Berlin")).toISOString(), iso);
    assert.equal(localIn(Date.parse(iso), "Europe/Berlin"), local);
  }
});

test("neighbours are those of the list, and none of a message that is not in it", () => {
  assert.deepEqual(neighboursOf(["a", "b", "c"], "b"), { before: "a", after: "c", place: 2 });
  assert.deepEqual(neighboursOf(["a", "b"], "a"), { before: null, after: "b", place: 1 });
  assert.deepEqual(neighboursOf(["a"], "x"), { before: null, after: null, place: 0 });
});

test("a later call that fails does not hide what the calls before it have changed", async () => {
  const records = Array.from({ length: 1_200 }, (_each, place) => ({ id: `msg_${place}` }));
  const failing = (call: number) => {
    let calls = 0;
    return async (part: string[]) => {
      calls += 1;
      if (calls === call) throw new Error("The service did not answer.");
      return part.slice(0, 1).map((id) => ({ id, message: "It has ended." }));
    };
  };
  const asked: number[] = [];
  const { refused, left, failure } = await changeInParts(records, failing(2), (count) => asked.push(count));
  assert.deepEqual(refused, [{ record: { id: "msg_0" }, why: "It has ended." }]);
  assert.deepEqual(left, records.slice(500));
  assert.equal(failure, "The service did not answer.");
  assert.deepEqual(asked, [0, 500]);
  const onPart = () => {};
  await assert.rejects(changeInParts(records, failing(1), onPart), /did not answer/);
  const all = await changeInParts(records, failing(4), onPart);
  assert.deepEqual([all.refused.length, all.left.length, all.failure], [3, 0, null]);
});

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

/** Sends one message to each of the sandbox's numbers that end so. */
async function sendTo(at: Visit, account: string, ends: string): Promise<void> {
  for (const end of ends)
    await api(at, "POST", `/accounts/${account}/gateways/sandbox-sms/test`, { to: `+1555000000${end}` });
  await at.it.advance(60_000);
}

test("filters and time are in the URL, and a column of the histogram narrows the list to its time", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendTo(at, account, "13");
  await it.advance(5 * hourMs);
  await sendTo(at, account, "1");
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/messages`);
  const rows = page.locator("tbody tr[data-index]");
  const expectRows = async (count: number) => {
    await page
      .locator("table[aria-rowcount]")
      .and(page.locator(`[aria-rowcount="${count + 1}"]`))
      .waitFor();
    assert.equal(await rows.count(), count);
  };
  await expectRows(3);
  const chart = page.getByRole("group", { name: "Outcomes of messages in this time" });
  await chart.locator(".column").last().waitFor();
  await expectSound(at, "the log with its histogram");
  await page.getByLabel("Accepted", { exact: true }).selectOption("1h");
  await expectRows(1);
  assert.equal(new URL(page.url()).search, "?last=1h");
  await page.getByRole("button", { name: "Clear" }).click();
  await expectRows(3);
  // What a person typed is not always a time.
  await page.goto(`${url}/a/${account}/messages?created_from=yesterday&created_to=&last=1h`);
  await expectRows(1);
  await page.getByRole("button", { name: "Clear" }).click();
  await expectRows(3);
  await chart.getByRole("link", { name: /accepted 2, delivered 1, failed 1/ }).click();
  await expectRows(2);
  await page.getByLabel("Accepted from").waitFor();
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByLabel("Tests").selectOption("false");
  await page.getByText("No messages match:").waitFor();
  await page.getByText("Nothing in this time.").waitFor();
  await page.getByLabel("Tests").selectOption("true");
  await expectRows(2);
  const failed = await api(at, "GET", `/accounts/${account}/messages?status=failed`);
  const { code } = (failed.body.data[0] as unknown as { error: { code: string } }).error;
  await page.getByLabel("Error code").fill(code);
  await page.getByLabel("Error code").press("Enter");
  await expectRows(1);
  assert.equal(await chart.count(), 0);
  assert.equal(new URL(page.url()).searchParams.get("error"), code);
  await expectSound(at, "the log with all filters");
  await page.setViewportSize({ width: 320, height: 800 });
  await expectSound(at, "the log with all filters at 320 px");
});

test("a message's page leads to the neighbours of its list, and back to the list's filter and row", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendTo(at, account, "1");
  const contact = Array.from({ length: 90 }, (_each, place) => ({
    number: `+1555${1_001_000 + place}`,
    message: `Message ${place}`,
  }));
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  await at.it.advance(60_000);
  await page.goto(`${url}/a/${account}/messages?channel=sms`);
  const opened = page.getByRole("link", { name: "+15551001015" });
  await page.getByText("Message 89", { exact: true }).waitFor();
  for (let step = 0; step < 60 && (await opened.count()) === 0; step++) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(100);
  }
  await opened.click();
  const shows = (number: string) => page.getByRole("heading", { name: number, level: 1 }).waitFor();
  await shows("+15551001015");
  await page.keyboard.press("]");
  await shows("+15551001014");
  await page.keyboard.press("[");
  await shows("+15551001015");
  await page.getByRole("link", { name: "Previous in the list" }).click();
  await shows("+15551001016");
  await expectSound(at, "a message with neighbours");
  await page.getByRole("main").getByRole("link", { name: "Messages", exact: true }).click();
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  assert.equal(new URL(page.url()).search, "?channel=sms");
  await page.locator(".row-link:focus", { hasText: "+15551001016" }).waitFor();
  // Of a list that was just opened a page of 50 is read: the next key reads the rows beyond it.
  await page.reload();
  await page.getByText("Message 89", { exact: true }).waitFor();
  const last = (await api(at, "GET", `/accounts/${account}/messages?channel=sms&limit=50`)).body.data.at(-1);
  await page.goto(`${url}/a/${account}/messages/${last?.id}`);
  await shows("+15551001040");
  await page.getByRole("link", { name: "Next in the list" }).waitFor();
  await page.keyboard.press("]");
  await shows("+15551001039");
});

test("what was settled meanwhile is named row by row", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendTo(at, account, "515");
  const unknown = await api(at, "GET", `/accounts/${account}/messages?status=unknown`);
  assert.equal(unknown.body.data.length, 2);
  await page.goto(`${url}/a/${account}/messages?status=unknown`);
  // A page that is live would show the change below before the question is answered.
  await page.keyboard.press("l");
  await page.getByRole("checkbox", { name: "Choose all that are shown" }).check();
  await page.getByRole("button", { name: "Mark as failed…" }).click();
  const settled = `/accounts/${account}/messages/${unknown.body.data[0]?.id}/resolve`;
  assert.equal((await api(at, "POST", settled, { answer: "mark_sent" })).status, 200);
  await page.getByRole("button", { name: "Mark as failed: 2 messages" }).click();
  const results = page.getByRole("dialog", { name: "Results" });
  await results.getByText("1 message changed, 1 message not.").waitFor();
  assert.equal(await results.locator("tbody .status.bad").count(), 1);
  await expectSound(at, "the results");
});

test("a scheduled message's row says when it is due", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const day = new Date(at.it.clock.now() + 2 * 24 * hourMs).toISOString().slice(0, 10);
  const contact = [{ number: "+15551001000", message: "Your table", schedule_at: `${day} 09:00:00` }];
  await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  await page.goto(`${url}/a/${account}/messages`);
  await page.getByText(/due \d+ \w+( \d{4})? 09:00:00/).waitFor();
});

test("on a phone the state and the time of a message are on its first line", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendTo(at, account, "12345");
  await at.it.advance(10 * 60_000);
  await page.setViewportSize({ width: 375, height: 812 });
  const rows = page.locator("tbody tr[data-index]");
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;
  for (const later of [0, 24 * hourMs]) {
    await page.clock.setFixedTime(at.it.clock.now() + later);
    await page.goto(`${url}/a/${account}/messages`);
    await rows.nth(4).waitFor();
    for (const row of await rows.all()) {
      const words = (await row.textContent()) ?? "";
      const state = await topOf(row.locator(".status"));
      assert.ok(Math.abs(state - (await topOf(row.locator("td.when")))) < 10, words);
      assert.ok((await topOf(row.locator(".channel"))) > state + 10, words);
    }
  }
});
