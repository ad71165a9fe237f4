// POST /hooks/{name}: from what a program posts to accepted messages, and what is refused on the way.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { HookRecord } from "#contract/hooks/hooks.ts";
import { inject } from "../../../inject.ts";
import { providerSettings } from "../../../scenarios/provider.ts";
import { createdBy, dataOf, type Managed, managed } from "../manage/managed.ts";
import { postedBodies } from "./hook-bodies.ts";

let m: Managed;
let account: { id: string; key: string };
before(async () => {
  m = await managed({ settings: { logRequests: true } });
  account = await m.it.account({ country: "DE" });
  await m.it.gateway({ identifier: "sms-main", default: true });
  await m.it.gateway({ identifier: "mail-main", channel: "email", default: true });
});
after(() => m.close());

type Made = HookRecord & { key: string };
const number = "+4915123456789";
let made = 0;

/** A new hook of SMS, of this account or another one. */
async function hookOf(fields: object = {}, of = account): Promise<Made> {
  made += 1;
  const body = { name: `hook-${made}`, channel: "sms", to: [number], message: "{{title}}", ...fields };
  return await createdBy<Made>(m.operator, `/accounts/${of.id}/hooks`, body);
}

let clients = 0;
async function post(
  { name, key }: { name: string; key: string | null },
  body: string | object,
  headers: Record<string, string> = {},
) {
  clients += 1;
  return await inject(m.it.system.app, {
    method: "POST",
    url: `/hooks/${name}${key === null ? "" : `?key=${key}`}`,
    remoteAddress: `198.51.${clients >> 8}.${clients & 255}`,
    headers: { "content-type": "application/json", ...headers },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
}

interface Sent {
  number?: string;
  status: string;
  email?: string;
  subject?: string;
  message: string;
  metadata: unknown;
  request_id: string;
}

/** The newest messages of the account. */
async function newest(channel: "sms" | "email", count: number, of = account): Promise<Sent[]> {
  const url = `/api/get/${channel}?limit=${count}`;
  const reply = await inject(m.it.system.app, { method: "GET", url, headers: { "api-key": of.key } });
  return reply.json().data;
}

for (const { preset, what, type, body, headers = {}, sms, subject } of postedBodies)
  test(`${preset} posts ${what}`, async () => {
    const hook = await hookOf({ preset, message: null, missing: null });
    const accepted = await post(hook, body, { "content-type": type, ...headers });
    assert.equal(accepted.statusCode, 200, accepted.body);
    const { request_id, messages } = accepted.json().data;
    assert.equal(messages, 1);
    const [sent] = await newest("sms", 1);
    assert.deepEqual(
      [sent?.message, sent?.number, sent?.request_id, sent?.metadata],
      [sms, number, request_id, { hook: hook.name }],
    );

    const mail = await hookOf({ preset, channel: "email", to: ["ops@example.com"], message: null });
    assert.equal((await post(mail, body, { "content-type": type, ...headers })).statusCode, 200);
    const [letter] = await newest("email", 1);
    assert.deepEqual([letter?.subject, letter?.message], [subject, sms]);
  });

test("each recipient gets a message, and the reply names none of them", async () => {
  const hook = await hookOf({ to: [number, "0151 23456780"] });
  const reply = await post(hook, { title: "Two" });
  assert.deepEqual(reply.json().data.messages, 2);
  assert.doesNotMatch(reply.body, /1512345678/);
  const sent = await newest("sms", 2);
  assert.deepEqual(new Set(sent.map(({ number: to }) => to)), new Set([number, "0151 23456780"]));
});

test("the key is in the query or a bearer token, and decides the account; a name may be in both", async () => {
  const other = await m.it.account({ name: "other", country: "DE" });
  await m.it.gateway({ identifier: "sms-other", default: true });
  const [ours, theirs] = [await hookOf({ name: "shared" }), await hookOf({ name: "shared" }, other)];
  assert.equal((await post(theirs, { title: "Theirs" })).statusCode, 200);
  const bearer = { authorization: `Bearer ${ours.key}` };
  assert.equal((await post({ ...theirs, key: null }, { title: "Ours" }, bearer)).statusCode, 200);
  assert.equal((await newest("sms", 1, other))[0]?.message, "Theirs");
  assert.equal((await newest("sms", 1))[0]?.message, "Ours");
  // Of the other account, neither its management nor its preview finds the hook or what it received.
  const member = await m.member(other.id);
  for (const [method, path, body] of [
    ["GET", `/hooks/${ours.id}`],
    ["PATCH", `/hooks/${ours.id}`, { per_minute: 1 }],
    ["DELETE", `/hooks/${ours.id}`],
    ["POST", `/hooks/${ours.id}/rotate-key`],
  ] as const)
    assert.equal((await member(method, `/accounts/${other.id}${path}`, body)).statusCode, 404, path);
  const asked = { channel: "sms", to: [number], message: "{{title}}", hook: ours.id };
  const preview = dataOf<{ body_from: string }>(
    await member("POST", `/accounts/${other.id}/hooks/preview`, asked),
  );
  assert.equal(preview.body_from, "example");
});

test("a wrong name or key is the same 401, and guesses are slowed down", async () => {
  const [hook, another] = [await hookOf(), await hookOf()];
  const wrong = [
    { name: hook.name, key: null },
    { name: hook.name, key: another.key },
    { name: hook.name, key: `${hook.key}&key=${hook.key}` },
    { name: "none", key: hook.key },
    { name: hook.name, key: "x".repeat(600) },
    { name: hook.name, key: account.key },
  ];
  const replies = await Promise.all(wrong.map((each) => post(each, { title: "No" })));
  const [first] = replies.map(({ statusCode, body }) => `${statusCode} ${body}`);
  assert.match(first!, /^401 .*The hook's name or its key is wrong/);
  for (const { statusCode, body } of replies) assert.equal(`${statusCode} ${body}`, first);
  const guess = (at: number) =>
    inject(m.it.system.app, {
      method: "POST",
      url: `/hooks/${hook.name}?key=guess-${at}`,
      remoteAddress: "203.0.113.9",
      payload: {},
    });
  const guesses = await Promise.all(Array.from({ length: 80 }, (_, at) => guess(at)));
  assert.ok(guesses.some(({ statusCode }) => statusCode === 429));
});

const refusals: [
  what: string,
  body: string,
  headers: Record<string, string>,
  status: number,
  words: RegExp,
][] = [
  ["no JSON", "{", {}, 400, /malformed_body/],
  ["a body over 256 KiB", `"${"x".repeat(262_144)}"`, {}, 413, /larger than 262144 bytes/],
  ["a compressed body", "x", { "content-encoding": "gzip" }, 415, /not compressed/],
  ["deep JSON", "[".repeat(40) + "]".repeat(40), {}, 400, /nested deeper/],
  ["bytes that are no UTF-8", "\ufffd".replace("\ufffd", '{"a": \u0000}'), {}, 400, /malformed_body/],
  ["a form with faults", "--x", { "content-type": "multipart/form-data" }, 400, /malformed_body/],
];

for (const [what, body, headers, status, words] of refusals)
  test(`${what} is refused, and sends nothing`, async () => {
    const before = await newest("sms", 1);
    const reply = await post(await hookOf(), body, headers);
    assert.equal(reply.statusCode, status, reply.body);
    assert.match(reply.body, words);
    assert.deepEqual(await newest("sms", 1), before);
  });

test("odd bodies are bodies: none, a list, a scalar, a form, JSON that says it is a form", async () => {
  const hook = await hookOf({ message: '{{[0].a | this | title | "none"}}' });
  for (const [body, type, text] of [
    ["", "application/json", "none"],
    ["null", "application/json", "none"],
    ['[{"a":"list"}]', "application/json", "list"],
    ["7", "application/vnd.x+json", "7"],
    ["title=a+form&b=1", "application/x-www-form-urlencoded", "a form"],
    ['{"title":"curl"}', "application/x-www-form-urlencoded", "curl"],
    ["payload=7&title=two", "application/x-www-form-urlencoded", "two"],
    ["payload={broken", "application/x-www-form-urlencoded", "none"],
  ] as const) {
    const reply = await post(hook, body, { "content-type": type });
    assert.equal(reply.statusCode, 200, `${body}: ${reply.body}`);
    assert.equal((await newest("sms", 1))[0]?.message, text, body);
  }
});

test("a missing value is empty, a text, or refuses the body, as the hook says", async () => {
  for (const [missing, text] of [
    ["", "a  b".replace("  ", " ")],
    ["?", "a ? b"],
  ] as const) {
    const hook = await hookOf({ message: "a {{none}} b", missing });
    assert.equal((await post(hook, {})).statusCode, 200);
    assert.equal((await newest("sms", 1))[0]?.message, text);
  }
  const strict = await hookOf({ message: "{{title}} {{none}}", missing: null });
  const reply = await post(strict, { title: "x" });
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(reply.json().errors, { body: ["has no value for none"] });
  const shown = dataOf<HookRecord>(await m.operator("GET", `/accounts/${account.id}/hooks/${strict.id}`));
  assert.equal(shown.last_outcome, "The body has no value for none.");
});

test("a flood over the cap is 429 with Retry-After, and all that was accepted is there", async () => {
  const hook = await hookOf({ per_minute: 5 });
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, at) => post(hook, { title: `Flood ${at}` })),
  );
  const accepted = replies.filter(({ statusCode }) => statusCode === 200);
  const refused = replies.filter(({ statusCode }) => statusCode === 429);
  assert.deepEqual([accepted.length, refused.length], [5, 35]);
  for (const { headers } of refused) assert.equal(headers["retry-after"], "12");
  const stored = (await newest("sms", 20)).filter(
    ({ metadata }) => (metadata as { hook: string }).hook === hook.name,
  );
  assert.deepEqual(
    new Set(stored.map(({ request_id }) => request_id)),
    new Set(accepted.map((reply) => reply.json().data.request_id)),
  );
  await m.it.advance(12_000);
  assert.equal((await post(hook, { title: "After" })).statusCode, 200);
});

test("a delivery that comes twice is accepted once, until the hook changes", async () => {
  for (const header of ["idempotency-key", "webhook-id", "x-github-delivery"]) {
    const hook = await hookOf();
    const again = () => post(hook, { title: header }, { [header]: "delivery-1" });
    const first = (await again()).json().data;
    assert.deepEqual((await again()).json().data, first);
    const other = await post(hook, { title: "other" }, { [header]: "delivery-1" });
    assert.equal(other.json().code, "idempotency_mismatch");
    await m.operator("PATCH", `/accounts/${account.id}/hooks/${hook.id}`, { message: "New: {{title}}" });
    assert.notEqual((await again()).json().data.request_id, first.request_id);
  }
});

const written: [what: string, hook: object, body: string, shown: string | RegExp][] = [
  ["a number of 64 bits", {}, '{"title": 12345678901234567890}', "12345678901234567890"],
  ["a negative one in a list", {}, '{"title": [-9007199254740993, 2]}', "-9007199254740993, 2"],
  ["a number that no double holds", {}, '{"title": 1e400}', "1e400"],
  [
    "numbers that a double holds",
    {},
    '{"title": [0, 0.1, 1e3, 9007199254740991]}',
    "0, 0.1, 1000, 9007199254740991",
  ],
  ["blanks, where a value is needed", { missing: null }, '{"title": "  "}', /has no value for title/],
  ["blanks alone", {}, '{"title": "\\n\\t"}', /has no value for title/],
  ["control characters alone", {}, '{"title": "\\u0007"}', /makes a blank message/],
  [
    "a blank subject",
    { channel: "email", to: ["ops@example.com"], subject: "{{title}}", message: "x" },
    "{}",
    /has no value for title/,
  ],
];
for (const [what, fields, body, shown] of written)
  test(`a body with ${what}`, async () => {
    const reply = await post(await hookOf(fields), body);
    if (typeof shown === "string") {
      assert.equal(reply.statusCode, 200, reply.body);
      assert.equal((await newest("sms", 1))[0]?.message, shown);
      return;
    }
    assert.equal(reply.statusCode, 422, reply.body);
    assert.match(reply.json().errors.body[0], shown);
  });

test("a recipient who asked for silence gets nothing", async () => {
  const recipient = "+4915123456777";
  const hook = await hookOf({ to: [recipient] });
  await m.operator("POST", `/accounts/${account.id}/suppressions`, {
    channel: "sms",
    recipients: [recipient],
  });
  assert.equal((await post(hook, { title: "x" })).statusCode, 200);
  await m.it.settle();
  const [sent] = await newest("sms", 1);
  assert.deepEqual([sent?.number, sent?.status], [recipient, "suppressed"]);
});

test("a hook obeys its account: credit, limits, plan; and its own switch", async () => {
  const poor = await m.it.account({ name: "poor", plan: { name: "small", credit: { sms: 1 } } });
  const paid = { kind: "http-api", settings: providerSettings, default: true } as const;
  await m.it.gateway({ identifier: "sms-poor", ...paid });
  const hook = await hookOf({ to: ["+4915123456789", "+4915123456780"] }, poor);
  const path = `/accounts/${poor.id}`;
  assert.equal((await post(hook, { title: "x" })).statusCode, 402);
  await m.operator("PATCH", `${path}/hooks/${hook.id}`, { to: ["not a number"] });
  const invalid = await post(hook, { title: "x" });
  assert.equal(invalid.statusCode, 422);
  assert.ok(invalid.json().errors["contact.0.number"], invalid.body);
  await m.operator("PATCH", path, { rate_limit: { requests_per_minute: 1 } });
  const limited = await Promise.all([1, 2].map(() => post(hook, { title: "x" })));
  assert.deepEqual(limited.map(({ statusCode }) => statusCode).sort(), [422, 429]);
  await m.it.advance(60_000);
  await m.operator("PATCH", `${path}/hooks/${hook.id}`, { active: false });
  assert.equal((await post(hook, {})).json().code, "conflict");
  await m.operator("PATCH", `${path}/hooks/${hook.id}`, { active: true });
  await m.operator("PATCH", path, { plan: { expires_at: "2020-01-01T00:00:00Z" } });
  const expired = await post(hook, { title: "x" });
  assert.deepEqual(
    [expired.statusCode, expired.json().error],
    [403, "Your Subscription Is Expired! Buy A New Plan"],
  );
});

test("while storage is away a hook answers 503 and accepts nothing", async () => {
  const hook = await hookOf();
  const before = await newest("sms", 1);
  m.it.storageFault("unavailable");
  const reply = await post(hook, { title: "Lost?" });
  m.it.storageFault(null);
  assert.deepEqual([reply.statusCode, reply.headers["retry-after"]], [503, "5"]);
  assert.deepEqual(await newest("sms", 1), before);
  assert.equal((await post(hook, { title: "Back" })).statusCode, 200);
});

test("neither the key nor the body is in any reply, log line or column in the clear", async () => {
  const hook = await hookOf({ missing: null });
  const mark = "5ec4e7babe";
  const body = { title: "Fine", password: mark, nested: { note: `${mark} in a text` } };
  const from = m.it.log.lines().length;
  const replies = [
    await post(hook, body),
    await post(hook, { password: mark }),
    await post(hook, `{"password": "${mark}"`),
    await post({ ...hook, name: "none" }, body),
    await m.operator("GET", `/accounts/${account.id}/hooks`),
    await m.operator("GET", `/accounts/${account.id}/hooks/${hook.id}`),
  ];
  for (const reply of replies) {
    const shown = reply.body + JSON.stringify(reply.headers);
    assert.ok(!shown.includes(mark) && !shown.includes(hook.key), shown);
  }
  const log = m.it.log.lines().slice(from);
  assert.ok(log.length > 0);
  assert.ok(!m.it.log.text().includes(mark) && !m.it.log.text().includes(hook.key));
  const requests = log.filter((line) => JSON.stringify(line).includes("/hooks/{name}"));
  assert.ok(requests.length > 0, "the log has the route's pattern");
});

test("what a body becomes can be seen before: of the request, the last one, or an example", async () => {
  const path = `/accounts/${account.id}/hooks/preview`;
  const preview = async (more: object) =>
    dataOf<{
      message: string;
      subject: string | null;
      missing: string[];
      faults: string[];
      body: unknown;
      body_from: string;
      templates: object;
    }>(await m.operator("POST", path, { channel: "sms", to: [number], ...more }));
  const hook = await hookOf();
  const asked = { message: "{{title}} {{none}}", hook: hook.id };
  assert.equal((await preview(asked)).body_from, "example");
  await post(hook, { title: "Last", token: "t" });
  const last = await preview(asked);
  assert.deepEqual(
    [last.body_from, last.body, last.message, last.missing],
    ["last", { title: "Last", token: "***" }, "Last", ["none"]],
  );
  const own = await preview({ ...asked, body: [1], to: ["12"], gateway_identifier: "none" });
  assert.equal(own.body_from, "request");
  assert.ok(own.faults.length > 0, JSON.stringify(own));
  const preset = await preview({ preset: "alertmanager", channel: "email", to: ["a@example.com"] });
  assert.deepEqual([preset.subject, preset.faults], ["firing: DiskFull", []]);
  assert.match(
    preset.message,
    /^firing: DiskFull db1:9100 The disk of db1 is 95 % full\nfiring: DiskFull db2/,
  );
  assert.match(JSON.stringify(preset.templates), /#each alerts/);
});
