// A message's page: its attempts and the provider's answers, its webhook deliveries, the mail as its reader sees it, and a sentence for
// each state that says what happens next.

import assert from "node:assert/strict";
import test from "node:test";
import { type WaitingFor, words } from "#ui/api/schema.ts";
import { type Cause, causeOf, nextOf, sentences } from "#ui/messages/sentences/next.ts";
import { providerSettings } from "../scenarios/provider.ts";
import { expectSound, missing, setUp, type Visit, visit } from "./browser.ts";
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
      assert.doesNotMatch(sentence, /provider (is|has reported|accepted|refused)|reached/, status);
    }
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

test("attempts have their waits and the provider's answers, and webhook deliveries what the endpoint answered", {
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
  const attempts = part(at, "Attempts");
  await attempts.getByText(/^2\. put off/).waitFor();
  await attempts
    .getByText(/^waited \d/)
    .first()
    .waitFor();
  await attempts.locator("summary").first().focus();
  await page.keyboard.press("Enter");
  await attempts.getByText('{"error":"slow down"}').first().waitFor();
  const deliveries = part(at, "Webhook deliveries");
  await deliveries
    .getByText(/^500 in/)
    .first()
    .waitFor();
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
  await page.setViewportSize({ width: 320, height: 800 });
  await expectSound(at, "a message with attempts at 320 px");
  await page.getByRole("link", { name: "+15551001000" }).click();
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("recipient"), "+15551001000");
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
