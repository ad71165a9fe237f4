// Lists: a long one is read by scrolling and keeps few rows in the page, keys go through it, and chosen rows are changed at once.

import assert from "node:assert/strict";
import test from "node:test";
import { readAll } from "#ui/parts/list/read-all.ts";
import { expectSound, missing, setUp, until, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const accountOf = async (at: Visit) => (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";

/** Sends to so many numbers, none of which the sandbox refuses; `when`: of the account's clock. */
async function sendMany(at: Visit, account: string, count: number, when?: string): Promise<void> {
  const contact = Array.from({ length: count }, (_each, place) => ({
    number: `+1555${String(1_001_000 + place)}`,
    message: `Message ${place}`,
    ...(when === undefined ? {} : { schedule_at: when }),
  }));
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
}

test("a long list is read by scrolling, has few rows in the page and says that it has changed", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendMany(at, account, 230);
  await at.it.advance(60_000);
  await page.goto(`${url}/a/${account}/messages`);
  await page.getByText("Message 229", { exact: true }).waitFor();
  const oldest = page.getByText("Message 0", { exact: true });
  for (let step = 0; step < 60 && (await oldest.count()) === 0; step++) {
    await page.mouse.wheel(0, 2_000);
    await page.waitForTimeout(100);
  }
  await oldest.waitFor();
  assert.equal(await page.getByRole("table").getAttribute("aria-rowcount"), "231");
  const shown = await page.locator("tbody tr").count();
  assert.ok(shown < 80, `${shown} of 230 rows are in the page`);
  await page.getByText("These are all 230.").waitFor();
  // The wheel's last turn may still be under way.
  await page.mouse.wheel(0, 20_000);
  const atEnd = "scrollY + innerHeight >= document.documentElement.scrollHeight - 1";
  await until(at, "the list is scrolled to its end", () => page.evaluate<boolean>(atEnd));
  // Scrolling may leave a row half under the head, whose box to tick is then a small target.
  await page.evaluate(`(() => {
    const head = document.querySelector("thead").getBoundingClientRect().bottom;
    const boxes = [...document.querySelectorAll("tr[data-index]")].map((row) => row.getBoundingClientRect());
    const half = boxes.find(({ top, bottom }) => top < head && bottom > head);
    if (half !== undefined) scrollBy(0, half.top - head);
  })()`);
  await expectSound(at, "the end of a long list");
  await sendMany(at, account, 1);
  await at.it.advance(1_000);
  await page.getByRole("button", { name: "The list has changed" }).click();
  await page.getByText("Message 229", { exact: true }).waitFor();
});

/** What was sent last is in the first row, however much is read below it; waits for that. */
const firstRow = ({ page }: Visit, text: string) =>
  page.locator('tr[data-index="0"]').getByText(text, { exact: true }).waitFor({ timeout: 10_000 });

test("new rows come in at the top of a list of several pages, but not while they would push what is read", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendMany(at, account, 70);
  await at.it.advance(60_000);
  // In so tall a window the second page is due before anything is scrolled.
  await page.setViewportSize({ width: 1280, height: 1600 });
  await page.goto(`${url}/a/${account}/messages`);
  await firstRow(at, "Message 69");
  const table = page.getByRole("table");
  const rows = (count: number) => table.and(page.locator(`[aria-rowcount="${count + 1}"]`)).waitFor();
  await rows(70);
  await page.getByRole("banner").getByText("Live").waitFor();
  const send = async (message: string) => {
    const contact = [{ number: "+15551001500", message }];
    await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
    await at.it.advance(1_000);
  };
  await send("The first one");
  await firstRow(at, "The first one");
  await rows(71);
  await at.it.advance(60_000);
  await page.locator('tr[data-index="0"]').getByText("delivered").waitFor();
  // What is chosen stays so.
  const bar = page.getByRole("button", { name: "The list has changed" });
  await page.getByRole("checkbox", { name: "Choose all that are shown" }).check();
  await send("The second one");
  await bar.waitFor();
  await page.getByText("71 chosen").waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await firstRow(at, "The second one");
  await page.mouse.move(600, 600);
  await page.mouse.wheel(0, 1_000);
  await until(at, "the list is scrolled", () => page.evaluate<boolean>("scrollY > 900"));
  await send("The third one");
  await bar.waitFor();
  // Nor is anything taken in while a person has paused that.
  await page.keyboard.press("l");
  await page.mouse.wheel(0, -2_000);
  await firstRow(at, "The second one");
  await bar.waitFor();
  await page.keyboard.press("l");
  await firstRow(at, "The third one");
  await bar.waitFor({ state: "detached" });
});

test("a list that is polled reads one page at its top, and says of several that they have changed", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendMany(at, account, 70);
  await at.it.advance(60_000);
  await page.clock.install();
  await page.route("**/events", (route) => route.abort());
  await page.goto(`${url}/a/${account}/messages`);
  await firstRow(at, "Message 69");
  await page.getByRole("banner").getByText("Every 5 s").waitFor();
  await sendMany(at, account, 1);
  await page.clock.runFor(5_000);
  await firstRow(at, "Message 0");
  assert.equal(await page.getByRole("table").getAttribute("aria-rowcount"), "51");
  await page.mouse.move(600, 600);
  await page.mouse.wheel(0, 2_500);
  await page.getByText("These are all 71.").waitFor();
  const bar = page.getByRole("button", { name: "The list has changed" });
  const isFirst = (address: string) => address.includes("/messages?") && !address.includes("cursor=");
  // The second answer is there once the page has looked at the first one.
  for (let turn = 0; turn < 2; turn++) {
    const answered = page.waitForResponse((reply) => isFirst(reply.url()));
    await page.clock.runFor(5_000);
    await answered;
  }
  assert.equal(await bar.count(), 0, "the list has not changed");
  await sendMany(at, account, 1);
  await page.clock.runFor(5_000);
  await bar.waitFor();
});

test("a rare filter that found nothing yet says how far the list looked, and looks further on demand", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await page.route(/\/api\/.*\/messages\?.*error=absent/, async (route) => {
    const looks = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0) + 1;
    const searched_until = new Date(Date.UTC(2025, 10, 30 - looks, 12)).toISOString();
    const rest = { data: [], next_cursor: String(looks), searched_until };
    await route.fulfill({ json: { success: true, message: "Messages found.", ...rest } });
  });
  await page.goto(`${url}/a/${account}/messages?error=absent`);
  await page.getByText("Nothing that fits yet.").waitFor();
  await page.getByText(/^Looked as far as 25 Nov/).waitFor();
  await page.getByRole("button", { name: "Look further" }).click();
  await page.getByText(/^Looked as far as 24 Nov/).waitFor();
  await expectSound(at, "a list that has found nothing yet");
});

test("keys go from row to row, and open the one that has the focus", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  await sendMany(at, account, 3);
  await page.goto(`${url}/a/${account}/messages`);
  await page.getByText("Message 2", { exact: true }).waitFor();
  const focusIn = (place: number) => page.locator(`tr[data-index="${place}"] :focus`).waitFor();
  await page.keyboard.press("j");
  await focusIn(0);
  await page.keyboard.press("j");
  await focusIn(1);
  await page.keyboard.press("x");
  await page.getByText("1 chosen").waitFor();
  await page.keyboard.press("k");
  await focusIn(0);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "+15551001002", level: 1 }).waitFor();
});

test("what is chosen is cancelled by one call, and the page says what became of it", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const day = new Date(at.it.clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await sendMany(at, account, 5, `${day} 09:00:00`);
  await page.goto(`${url}/a/${account}/messages?status=scheduled`);
  await page.getByRole("checkbox", { name: "Choose all that are shown" }).check();
  await page.getByRole("checkbox", { name: "Choose row 2" }).uncheck();
  await expectSound(at, "a list with chosen rows");
  let calls = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/messages/bulk")) calls += 1;
  });
  await page.getByRole("button", { name: "Cancel 4…" }).click();
  await page.getByRole("button", { name: "Cancel 4 messages" }).click();
  await page.getByText("4 messages changed").waitFor();
  assert.equal(calls, 1);
  await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  assert.equal(await page.locator("tbody tr").count(), 1);
});

test("a whole list is read in its largest pages up to a bound, and says how far that got", async () => {
  const max = 10_000;
  const of = async (total: number, failsAt: number | null, stopsAt: number | null) => {
    const stop = new AbortController();
    const limits: number[] = [];
    let count = 0;
    const note = await readAll(
      async (cursor, signal, limit) => {
        const from = Number(cursor ?? 0);
        if (from === failsAt) throw new Error("The service did not answer.");
        if (from === stopsAt) stop.abort();
        signal.throwIfAborted();
        limits.push(limit);
        const end = Math.min(total, from + limit);
        return { data: Array.from({ length: end - from }), next_cursor: end < total ? String(end) : null };
      },
      max,
      stop.signal,
      (rows) => {
        count += rows.length;
        return count;
      },
    );
    return [note, count, limits.length];
  };
  assert.deepEqual(await of(0, null, null), ["Found all that match: 0.", 0, 1]);
  assert.deepEqual(await of(450, null, null), ["Found all that match: 450.", 450, 3]);
  assert.deepEqual(await of(10_000, null, null), ["Found all that match: 10,000.", 10_000, 50]);
  const further = (why: string, count: string) =>
    `${why}Found the first ${count}, and the list goes further.`;
  assert.deepEqual(await of(10_001, null, null), [further("", "10,000"), 10_000, 50]);
  assert.deepEqual(await of(450, 400, null), [further("The service did not answer. ", "400"), 400, 2]);
  assert.deepEqual(await of(450, null, 200), [further("You stopped. ", "200"), 200, 1]);
});

test("all that match are chosen beyond the rows that were read, and a call that gets no answer leaves the rest chosen", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = await accountOf(at);
  const day = new Date(at.it.clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await sendMany(at, account, 1_100, `${day} 09:00:00`);
  const all = page.getByRole("checkbox", { name: "Choose all that are shown" });
  const bar = page.getByRole("group", { name: "Actions on the chosen rows" });
  const matching = bar.getByRole("button", { name: "Choose all that match" });

  // Of a request that is one row there is nothing to tick but the whole.
  await page.clock.setFixedTime(at.it.clock.now());
  await page.goto(`${url}/a/${account}/scheduled`);
  await page.getByRole("checkbox", { name: "Choose all that match" }).click();
  await bar.getByText("1,100 chosen").waitFor();

  await page.goto(`${url}/a/${account}/messages?status=scheduled`);
  await page.getByRole("checkbox", { name: "Choose row 1", exact: true }).check();
  assert.equal(await matching.count(), 0, "one row is not all");
  await all.check();
  const pages = "**/messages?*limit=200*";
  const isHeld = Promise.withResolvers<void>();
  await page.route(pages, async (route) => {
    if (route.request().url().includes("cursor=")) await isHeld.promise;
    await route.continue().catch(() => {});
  });
  await matching.click();
  await bar.getByText("200 found so far…").waitFor();
  assert.equal(await bar.getByRole("button").count(), 1, "nothing is done with a part of them");
  await bar.getByRole("button", { name: "Stop" }).click();
  await bar.getByText("You stopped. Found the first 200, and the list goes further.").waitFor();
  await bar.getByText("200 chosen").waitFor();
  isHeld.resolve();
  await page.unroute(pages);
  // Another filter has a choice of its own.
  await page.getByLabel("Channel").selectOption("sms");
  await bar.waitFor({ state: "detached" });
  await all.check();
  await matching.click();
  await bar.getByText("Found all that match: 1,100.").waitFor();
  await page.getByRole("checkbox", { name: "Choose row 2", exact: true }).uncheck();
  await bar.getByText("1,099 chosen").waitFor();
  await page.getByRole("checkbox", { name: "Choose row 2", exact: true }).check();
  await expectSound(at, "a list of which all is chosen");

  let calls = 0;
  const answered = Promise.withResolvers<void>();
  await page.route("**/messages/bulk", async (route) => {
    calls += 1;
    if (calls !== 2) return await route.continue();
    await route.fetch();
    await answered.promise;
    await route.abort("connectionreset");
  });
  await bar.getByRole("button", { name: "Cancel 1,100…" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByText("Chosen: 1,100 that can be cancelled or rescheduled.").waitFor();
  await question.getByLabel("Type 1100 to go on.").fill("1100");
  await question.getByRole("button", { name: "Cancel 1,100 messages" }).click();
  await question.getByText("500 of 1,100 messages so far…").waitFor();
  await expectSound(at, "many that are being cancelled", ".dialog");
  answered.resolve();
  const results = page.getByRole("dialog", { name: "Results" });
  await results.getByText("500 messages changed.").waitFor();
  await results
    .getByText(/The service did not answer\. Left: 600 messages, which are still chosen\./)
    .waitFor();
  await results.getByRole("button", { name: "Close" }).click();
  // What the service did before its answer was lost counts as done.
  await bar.getByRole("button", { name: "Cancel 600…" }).click();
  await question.getByLabel("Type 600 to go on.").fill("600");
  await question.getByRole("button", { name: "Cancel 600 messages" }).click();
  await page.getByText("600 messages changed").waitFor();
  await bar.waitFor({ state: "detached" });
  await page.getByText("No messages match:").waitFor();
  assert.equal(calls, 4);
});
