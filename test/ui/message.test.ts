// A message's page: its attempts and the provider's answers, its webhook deliveries, the mail as its reader sees it, and a sentence for
// each state that says what happens next.

import assert from "node:assert/strict";
import test from "node:test";
import { type MessageTransmission, type WaitingFor, words } from "#ui/api/schema.ts";
import { type Cause, causeOf, nextOf, sentences } from "#ui/messages/sentences/next.ts";
import { storyOf } from "#ui/messages/story.ts";
import { providerSettings } from "../scenarios/provider.ts";
import { expectSound, missing, settled, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const known = (
  status: (typeof words.MessageStatus)[number],
  outcomes: readonly ("accepted" | "rejected" | "deferred" | "unknown" | "not_sent" | null)[] = [],
  attempt = { repeats: 0 },
  waiting_for: WaitingFor | null = null,
  test = false,
) => ({
  record: { status, events: [], gateway_identifier: "sms-main", scheduled_for: null, waiting_for, test },
  attempt,
  attempts: outcomes.map((outcome) => ({ outcome })),
});

test("every state says what happens next by itself, and every sentence is of a cause that comes about", () => {
  const ends = [null, "accepted", "rejected", "deferred", "unknown", "not_sent"] as const;
  const seen = new Set<string>();
  for (const status of words.MessageStatus)
    for (const repeats of [0, 1])
      for (const outcomes of [[], ...ends.map((end) => [end])]) {
        const sentence = nextOf(known(status, outcomes, { repeats }));
        assert.match(sentence, /^[A-Z].*\.$/, status);
        seen.add(sentence);
      }
  // These are for states that the facts above do not explain.
  for (const [status, of] of Object.entries(sentences))
    for (const [cause, sentence] of Object.entries(of))
      if (!["failed none", "expired none", "cancelled none"].includes(`${status} ${cause}`))
        assert.ok(seen.has(sentence), `${status} ${cause}`);
});

test("no state of a test message names what a provider did", () => {
  for (const status of words.MessageStatus)
    for (const outcomes of [[], ["accepted"], ["rejected"], ["deferred"], ["unknown"]] as const) {
      const sentence = nextOf(known(status, outcomes, { repeats: 0 }, null, true));
      assert.doesNotMatch(sentence, /provider (is|(has )?reported|accepted|refused)|reached/, status);
    }
});

const madeOf = (reasons: readonly string[], ends: Partial<MessageTransmission> = {}) => {
  const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000).toISOString();
  const attempts = reasons.map(
    (reason, place): MessageTransmission => ({
      number: place + 1,
      gateway: "sms-main",
      started_at: at(place * 10),
      ended_at: at(place * 10 + 1),
      outcome: "deferred",
      code: "http_503",
      reason,
      answer: null,
      next_attempt_at: null,
      ...(place === reasons.length - 1 ? ends : {}),
    }),
  );
  const events = attempts.flatMap(({ started_at, ended_at, reason }) => [
    { at: started_at, type: "sending", detail: null },
    ...(ended_at === null ? [] : [{ at: ended_at, type: "queued", detail: reason }]),
  ]);
  const queued = { at: at(-1), type: "queued", detail: "Accepted." };
  return { events: [queued, ...events], attempts };
};

/** `queued`, `1`, `2-4 same`: the entries of a story. */
const entries = ({ events, attempts }: ReturnType<typeof madeOf>) =>
  storyOf(events, attempts).map((entry) => {
    if (entry.kind === "event") return entry.event.type;
    if (entry.kind === "attempt") return `${entry.attempt.of.number} ${entry.attempt.state}`;
    const numbers = entry.attempts.map(({ of }) => of.number);
    return `${numbers[0]}-${numbers.at(-1)}${entry.same ? " same" : ""}`;
  });

test("equal attempts in a row are one entry, the last one is separate, and no story is long", () => {
  const cases: [string[], string[]][] = [
    [[], []],
    [["a"], ["1 queued"]],
    [
      ["a", "a"],
      ["1 queued", "2 queued"],
    ],
    [
      ["a", "a", "a"],
      ["1-2 same", "3 queued"],
    ],
    [
      ["b", "a", "a", "a"],
      ["1 queued", "2-3 same", "4 queued"],
    ],
    [
      ["a 2027-01-01T00:00:00Z", "a 2027-01-01T00:05:00Z", "a"],
      ["1-2 same", "3 queued"],
    ],
    [Array<string>(88).fill("a"), ["1-87 same", "88 queued"]],
  ];
  for (const [reasons, expected] of cases)
    assert.deepEqual(entries(madeOf(reasons)), ["queued", ...expected], JSON.stringify(reasons));
  const different = entries(madeOf(Array.from({ length: 88 }, (_, at) => `reason ${at}`)));
  assert.deepEqual(different.slice(0, 3), ["queued", "1-80", "81 queued"]);
  assert.equal(different.length, 10);
  const underWay = madeOf(["a", "a", "a"], { ended_at: null, outcome: null, reason: null });
  assert.deepEqual(entries(underWay), ["queued", "1-2 same", "3 sending"]);
});

test("what happens between attempts stays where it happened, and ends a row", () => {
  const { events, attempts } = madeOf(["a", "a", "a", "a", "a"]);
  const resumed = { at: events[4]?.at ?? "", type: "queued", detail: "Sent again by ada." };
  const between = { events: events.toSpliced(5, 0, resumed), attempts };
  assert.deepEqual(entries(between), ["queued", "1-2 same", "queued", "3-4 same", "5 queued"]);
});

test("facts decide the cause", () => {
  const cases: [Parameters<typeof known>, Cause][] = [
    [["failed", ["rejected"]], "refused"],
    [["failed", ["deferred"]], "asked"],
    [["failed"], "unasked"],
    [["unknown", ["unknown"]], "none"],
    [["unknown", ["unknown", "unknown"], { repeats: 1 }], "again"],
  ];
  for (const [input, cause] of cases) assert.equal(causeOf(known(...input)), cause, JSON.stringify(input));
});

const part = ({ page }: Visit, title: string) =>
  page.locator("section", { has: page.getByRole("heading", { name: title, exact: true, level: 2 }) });

test("attempts are entries of one story with the provider's answers, and webhook deliveries what the endpoint answered", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await api(at, "POST", `/accounts/${account}/webhooks`, {
    url: "https://app.acme.example/hooks/a-secret-path",
    events: ["message.queued", "message.failed", "message.sent", "message.delivered"],
  });
  await api(at, "POST", `/accounts/${account}/gateways`, {
    identifier: "sms-main",
    channel: "sms",
    kind: "http-api",
    settings: providerSettings,
  });
  it.respond((request) => ({
    kind: "answer",
    status: request.url.includes("acme.example") ? 500 : 429,
    headers: {},
    body: Buffer.from(request.url.includes("acme.example") ? "broken" : '{"error":"slow down"}'),
  }));
  const contact = [{ number: "+15551001000", message: "Your table", gateway_identifier: "sms-main" }];
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  const id = (sent.body.data as unknown as { contact: { id: string }[] }).contact[0]?.id ?? "";
  await it.advance(120_000);
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/messages/${id}`);
  await page.getByText("Its last attempt did not send it. It is tried again at").waitFor();
  const story = part(at, "What happened");
  const { attempts } = (await api(at, "GET", `/accounts/${account}/messages/${id}`)).body.data as unknown as {
    attempts: object[];
  };
  const before = attempts.length - 1;
  assert.ok(before > 1);
  await story.getByText(`attempts 1–${before}: put off, the same answer`).waitFor();
  await story.getByText(new RegExp(`^attempt ${before + 1} by sms-main, \\d+\\sms$`)).waitFor();
  await page.setViewportSize({ width: 1_280, height: 800 });
  await story.locator("summary").last().focus();
  await page.keyboard.press("Enter");
  await story.getByText('{"error":"slow down"}').last().waitFor();
  const deliveries = part(at, "Webhook deliveries");
  const endpoint = deliveries.locator("summary");
  // On a busy machine the clock moves on while a post is under way, whose answer then took seconds and whose next try is due.
  await endpoint.getByText(/^0 of \d received, \d waits?: 500 in \d+\sm?s, next (?:in\s\d|now)/).waitFor();
  await endpoint.click();
  assert.ok(!(await page.content()).includes("a-secret-path"), "the path of an endpoint is in the page");
  await expectSound(at, "a message with attempts");
  it.respond(() => ({ kind: "answer", status: 204, headers: {}, body: Buffer.from("") }));
  await deliveries
    .getByRole("button", { name: /^Replay message\.queued/ })
    .first()
    .click();
  await it.advance(2_000);
  await deliveries
    .getByText(/^204 in/)
    .first()
    .waitFor();
  await endpoint.getByText(/^1 of \d received/).waitFor();
  await page.setViewportSize({ width: 320, height: 800 });
  await expectSound(at, "a message with attempts at 320 px");
  await page.getByRole("link", { name: "+15551001000" }).click();
  await page.getByRole("heading", { name: "+15551001000", level: 1 }).waitFor();
  assert.ok(decodeURIComponent(page.url()).endsWith("/people/+15551001000"));
});

test("a mail names all its recipients, what became of it for each, and its tags", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const contact = {
    email: "ada@acme.example",
    cc: ["grace@acme.example"],
    subject: "Minutes",
    message: "Attached.",
    tags: ["weekly"],
  };
  const key = String((await api(at, "POST", `/accounts/${account}/api-key`)).body.data.api_key);
  const sent = await fetch(`${at.url}/api/email/send`, {
    method: "POST",
    headers: { "api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ contact: [contact] }),
  });
  assert.equal(sent.status, 200, await sent.text());
  const [{ id = "" } = {}] = (await api(at, "GET", `/accounts/${account}/messages`)).body.data;
  await at.it.advance(5_000);
  await at.page.goto(`${at.url}/a/${account}/messages/${id}`);
  const details = part(at, "Details");
  const [record] = (await api(at, "GET", `/accounts/${account}/messages`)).body.data as unknown as {
    recipients: { email: string; field: string; status: string }[];
  }[];
  assert.deepEqual(record?.recipients.map(({ field }) => field).sort(), ["cc", "to"]);
  for (const { email, field, status } of record?.recipients ?? []) {
    const line = details.locator("li", { hasText: email });
    await line.getByText(field, { exact: true }).waitFor();
    await line.getByText(status, { exact: true }).waitFor();
  }
  await details.getByText("weekly", { exact: true }).waitFor();
  await expectSound(at, "a mail to two");
});

test("a message with 88 attempts is two screens high, with what was said and its last answer in sight", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, it, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  await api(at, "POST", `/accounts/${account}/gateways`, {
    identifier: "sms-main",
    channel: "sms",
    kind: "http-api",
    settings: { ...providerSettings, definite: [503] },
    retry: { first_ms: 1_000, max_ms: 1_000 },
  });
  it.respond(() => ({ kind: "answer", status: 503, headers: {}, body: Buffer.from("overloaded") }));
  const contact = [{ number: "+15551001000", message: "Your table", gateway_identifier: "sms-main" }];
  const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "sms", contact });
  const id = (sent.body.data as unknown as { contact: { id: string }[] }).contact[0]?.id ?? "";
  const count = async () =>
    (
      (await api(at, "GET", `/accounts/${account}/messages/${id}`)).body.data as unknown as {
        attempts: object[];
      }
    ).attempts.length;
  for (let minutes = 0; (await count()) < 88 && minutes < 30; minutes++) await it.advance(60_000);
  assert.ok((await count()) >= 88);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.clock.setFixedTime(it.clock.now());
  await page.goto(`${url}/a/${account}/messages/${id}`);
  await page.getByText(/^attempts 1–\d+: put off, the same answer/).waitFor();
  await settled(at);
  const high = await page.evaluate<number>("document.documentElement.scrollHeight");
  assert.ok(high <= 1_600, `${high} px`);
  const text = await page.getByText("Your table", { exact: true }).boundingBox();
  assert.ok((text?.y ?? 800) < 400, `the text begins at ${text?.y}`);
  await expectSound(at, "a message with 88 attempts");
});

test("an HTML mail is shown in a frame that runs and loads nothing, and its source beside it", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const mail = async (message: string) => {
    const contact = [{ email: "delivered@example.com", subject: "Hello", message }];
    const sent = await api(at, "POST", `/accounts/${account}/messages`, { channel: "email", contact });
    return (sent.body.data as unknown as { contact: { id: string }[] }).contact[0]?.id ?? "";
  };
  const html = await mail(
    '<h1>Your table</h1><img src="https://tracker.example/seen.png" alt=""><script>top.document.title = "ran"</script>',
  );
  await at.it.advance(30_000);
  const refused = new Map<string, string | undefined>();
  page.on("requestfailed", (request) => refused.set(request.url(), request.failure()?.errorText));
  await page.goto(`${url}/a/${account}/messages/${html}`);
  await page.frameLocator("iframe.mail").getByRole("heading", { name: "Your table" }).waitFor();
  await page.getByText("One picture of other hosts is not loaded").waitFor();
  assert.notEqual(await page.title(), "ran");
  assert.match(refused.get("https://tracker.example/seen.png") ?? "", /csp/i);
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await page.locator("pre.said", { hasText: /^Your table$/ }).waitFor();
  await page.getByRole("button", { name: "Source" }).click();
  await page.locator("pre.source", { hasText: "tracker.example" }).waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
  // What the frame's policy kept from running and loading is in the console.
  at.complaints.length = 0;
  // The page has scrolled, and what lies half beneath its head would count as too small.
  await at.page.evaluate("scrollTo(0, 0)");
  await expectSound(at, "the source of a mail");
  const text = await mail("One < two, and no page.");
  await page.goto(`${url}/a/${account}/messages/${text}`);
  await page.locator("pre.said", { hasText: "One < two" }).waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
});
