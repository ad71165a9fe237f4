// A request as one thing: what became of its messages, and changes of all that still wait.

import assert from "node:assert/strict";
import test from "node:test";
import { words } from "#ui/api/schema.ts";
import { outcomesIn } from "#ui/parts/charts/outcomes.ts";
import { localIn } from "#ui/words/spans.ts";
import { expectSound, missing, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

const dayMs = 86_400_000;

test("every state is part of one outcome, and an outcome of none is left out", () => {
  const all = Object.fromEntries(words.MessageStatus.map((status) => [status, 2]));
  const parts = outcomesIn(all);
  assert.deepEqual(
    parts.map(({ name, count }) => [name, count]),
    [
      ["delivered", 4],
      ["sent, no report", 2],
      ["failed", 8],
      ["unknown", 2],
      ["not sent", 4],
      ["waiting", 6],
    ],
  );
  assert.deepEqual(
    parts.flatMap(({ statuses }) => statuses.map(([status]) => status)).sort(),
    [...words.MessageStatus].sort(),
  );
  assert.deepEqual(outcomesIn({ failed: 0, sent: 1 }), [
    { name: "sent, no report", tone: "sent", count: 1, statuses: [["sent", 1]] },
  ]);
});

test("what waits of a request moves together, and is cancelled together once its number is typed", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url, it } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const due = `${localIn(it.clock.now() + dayMs, "UTC").slice(0, 10)} 09:00:00`;
  const later = Array.from({ length: 101 }, (_each, place) => ({
    number: `+1555000${1_000 + place}`,
    message: "The sale begins",
    schedule_at: due,
  }));
  const contact = [{ number: "+15550000001", message: "The sale begins tomorrow" }, ...later];
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  assert.equal(sent.status, 200);
  await it.advance(60_000);
  await page.clock.setFixedTime(it.clock.now());

  // From the log to the request, and to one of its messages and back.
  await page.goto(`${url}/a/${account}/messages?status=delivered`);
  await page.locator("tr[data-index]").nth(0).getByRole("link").first().click();
  await page.getByRole("link", { name: /^req_/ }).click();
  await page.getByRole("heading", { name: "Request of 102 messages" }).waitFor();
  await page.getByRole("link", { name: "1 delivered" }).waitFor();
  await page.getByRole("link", { name: "101 scheduled" }).waitFor();
  await page.getByText("101 messages to go. When the last one is sent is not known yet.").waitFor();
  await page.getByText("it has no pace of its own, and has not sent for long enough").waitFor();
  await expectSound(at, "a request");
  await page.locator("tr[data-index]").nth(0).getByRole("link").first().click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await page.getByRole("link", { name: "Request", exact: true }).click();
  await page.getByRole("heading", { name: "Request of 102 messages" }).waitFor();

  const dialog = page.locator(".dialog");
  await page.getByRole("button", { name: "Reschedule 101…" }).click();
  const to = `${localIn(it.clock.now() + 2 * dayMs, "UTC").slice(0, 10)}T10:30`;
  await dialog.getByLabel("At (UTC)").fill(to);
  // Without the number nothing is moved.
  await dialog.getByRole("button", { name: "Reschedule 101 messages" }).click();
  await dialog.getByLabel("Type 101 to go on.").fill("101");
  await expectSound(at, "the question for a new time of many", ".dialog");
  await dialog.getByRole("button", { name: "Reschedule 101 messages" }).click();
  await page.getByText("101 messages rescheduled").waitFor();
  const waiting = async () =>
    (await api(at, "GET", `/accounts/${account}/messages?status=scheduled&limit=200`)).body
      .data as unknown as { schedule_at: string }[];
  const moved = await waiting();
  assert.equal(moved.length, 101);
  assert.deepEqual([...new Set(moved.map((record) => record.schedule_at))], [`${to.replace("T", " ")}:00`]);

  await page.setViewportSize({ width: 320, height: 800 });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await expectSound(at, "a request at 320 px");
  await page.getByRole("button", { name: "Cancel 101…" }).click();
  await dialog.getByText("This cancels 101 of 102, and gives their credit back.").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Cancel 101 messages" }).isDisabled(), true);
  await dialog.getByLabel("Type 101 to go on.").fill("101");
  await dialog.getByRole("button", { name: "Cancel 101 messages" }).click();
  await page.getByText("101 messages cancelled").waitFor();
  await page.getByRole("link", { name: "101 cancelled" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Move|Cancel) / }).count(), 0);
  assert.deepEqual(await waiting(), []);
  await page.getByRole("link", { name: "101 cancelled" }).click();
  await page.getByRole("link", { name: "This request as a whole" }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("status"), "cancelled");
});

test("a request that is not here says so", { skip: missing }, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await page.goto(`${url}/a/${account}/requests/req_${"0".repeat(26)}`);
  await page.getByText("This page does not exist, or you may not see it.").waitFor();
});
