// Every reason for which a message waits and every state of a gateway, on every page that shows it: what the page says is read and compared.
// `waiting.test.ts` makes the troubles themselves; here each answer of the API is given the reason or the state.

import assert from "node:assert/strict";
import test from "node:test";
import { type WaitingReason, waitingReasons } from "#contract/messages/waiting-for.ts";
import type { Gateway, MessageRecord } from "#ui/api/schema.ts";
import { gatewayInTheWay, waitingSentence, waitingWord } from "#ui/messages/sentences/waiting.ts";
import { missing, settled, setUp, type Visit, visit } from "./browser.ts";
import { api } from "./pages.ts";

const instant = (day: number) => `2031-05-0${day}T10:00:00.000Z`;
const timeless: ReadonlySet<WaitingReason> = new Set([...waitingReasons.slice(0, 6), "turn"]);
const waitingFor = (reason: WaitingReason) => ({
  reason,
  until: timeless.has(reason) ? null : instant(1),
  since: instant(2),
  by: "ada@acme.example",
  detail: "It broke.",
});

/** Waiting messages of both states, one for each reason: by their ids, and the numbers they go to. */
async function waitingMessages(at: Visit, a: string) {
  await api(at, "POST", `${a}/gateways/sandbox-sms/pause`);
  const day = new Date(at.it.clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const numberOf = (reason: WaitingReason, state: string) =>
    `+155500${state === "queued" ? 1 : 2}${String(waitingReasons.indexOf(reason)).padStart(4, "0")}`;
  const found = new Map<string, { reason: WaitingReason; number: string }>();
  for (const state of ["queued", "scheduled"]) {
    const more = state === "queued" ? {} : { schedule_at: `${day} 09:00:00` };
    const contact = waitingReasons.map((reason) => ({
      number: numberOf(reason, state),
      message: "Hi",
      gateway_identifier: "sandbox-sms",
      ...more,
    }));
    const sent = await api(at, "POST", `${a}/messages`, { channel: "sms", contact });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
  }
  const { data } = (await api(at, "GET", `${a}/messages?limit=200`)).body;
  for (const { id = "", recipient = "" } of data) {
    const reason = waitingReasons[Number(recipient.slice(-4))];
    assert.ok(reason);
    found.set(id, { reason, number: recipient });
  }
  assert.equal(found.size, 2 * waitingReasons.length);
  return found;
}

/** The sentence as the page shows it: its instants in any spelling. */
const shownAs = (sentence: string) =>
  new RegExp(
    sentence
      .split(/\d{4}-\d\d-\d\dT[\d:.]+Z/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^.]+?"),
  );

test("why a message waits is the same on its page, in the log and among the scheduled ones", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const messages = await waitingMessages(at, `/accounts/${account}`);
  const records = new Map<string, MessageRecord>();
  await page.route(/\/api\/manage\/.*\/messages(\?|\/msg_\w+$)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const record of Array.isArray(json.data) ? json.data : [json.data.record]) {
      const message = messages.get(record.id);
      if (message === undefined) continue;
      record.waiting_for = waitingFor(message.reason);
      records.set(record.id, record);
    }
    await route.fulfill({ response, json });
  });
  const words = waitingReasons.flatMap((reason) => waitingWord({ waiting_for: waitingFor(reason) }) ?? []);
  for (const [list, state] of [
    ["messages", "queued"],
    ["scheduled", "scheduled"],
  ] as const) {
    await page.goto(`${url}/a/${account}/${list}`);
    await settled(at);
    for (const [id, { reason, number }] of messages) {
      if (records.get(id)?.status !== state) continue;
      const text = (await page.getByRole("row").filter({ hasText: number }).textContent()) ?? "";
      const word = waitingWord({ waiting_for: waitingFor(reason) });
      assert.deepEqual(
        words.filter((each) => text.includes(each)),
        word === null ? [] : [word],
        `${list}, ${reason}: ${text}`,
      );
      assert.doesNotMatch(text, /null|undefined|due now/, `${list}, ${reason}`);
    }
  }
  assert.equal(records.size, messages.size);
  for (const [id, { reason }] of messages) {
    await page.goto(`${url}/a/${account}/messages/${id}`);
    await settled(at);
    const record = records.get(id)!;
    const text = (await page.getByRole("main").textContent()) ?? "";
    assert.match(text, shownAs(waitingSentence(record) ?? "none"), `${record.status}, ${reason}`);
    assert.doesNotMatch(text, /null|undefined|due now|goes out/, `${record.status}, ${reason}`);
    const led = await page.getByRole("link", { name: "See the gateway" }).count();
    assert.equal(led, gatewayInTheWay(record) === null ? 0 : 1, `${record.status}, ${reason}`);
  }
});

test("a gateway's state is the same in the list and on its page, and active only if it is", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  let change: Partial<Gateway> = {};
  await page.route(/\/api\/manage\/.*\/gateways(\?|$|\/sandbox-sms$)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const gateway of [json.data].flat())
      if (gateway.identifier === "sandbox-sms") Object.assign(gateway, change);
    await route.fulfill({ response, json });
  });
  const pause = { reason: "It broke.", since: instant(2), until: instant(1), by: null };
  const times = { since: instant(2), next_attempt_at: instant(1) };
  const deferring = { ...times, count: 4, more: false, reason: "It answered 503." };
  const states: [shown: string, change: Partial<Gateway>][] = [
    ["active", { state: "active", pause: null }],
    ["active, all attempts fail", { state: "active", deferring }],
    ["paused", { state: "paused", pause }],
    ["stopped", { state: "stopped", pause }],
    ["off", { state: "off", active: false }],
  ];
  for (const [shown, gateway] of states) {
    change = gateway;
    for (const path of ["gateways", "gateways/sandbox-sms"]) {
      await page.goto(`${url}/a/${account}/${path}`);
      await settled(at);
      const part = path === "gateways" ? page.getByRole("article").filter({ hasText: "sandbox-sms" }) : page;
      const text = await part.locator(".status").first().textContent();
      assert.equal(text?.trim(), shown, path);
    }
  }
});
