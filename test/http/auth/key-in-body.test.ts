// Bodies without a key in front: a bound of their own, and nothing is made of them until their key was judged.

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import test from "node:test";
import { searchBody } from "#http/auth/key-in-body.ts";
import { BodyBudget, BodyShare } from "#http/body/budget.ts";
import { createDeadlines } from "#http/server/deadlines.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { ask, contact, edge, key } from "../edge.ts";
import { lastAnswer, withWire } from "../wire.ts";

const options = { settings: { maxKeylessBodyBytes: 2_000, maxBodyBytes: 10_000 } };
const json = { "content-type": "application/json" };
const bodyOf = (length: number) => {
  const start = JSON.stringify({ api_key: key, contact: [contact], more: "" }).slice(0, -2);
  return `${start}${"x".repeat(length - start.length - 2)}"}`;
};
const tooLarge = {
  success: false,
  message:
    "The body is larger than 2000 bytes. A longer one needs its key in the Api-key header or the api_key URL parameter.",
  code: "body_too_large",
};

test("a body whose key is not in front may be so long and no longer", async () => {
  assert.equal((await ask(edge(options), { headers: json, body: bodyOf(2_000) })).status, 200);
  const over = await ask(edge(options), { headers: json, body: bodyOf(2_001) });
  assert.deepEqual([over.status, over.json], [413, tooLarge]);
  for (const asked of [
    { headers: { ...json, "api-key": key } },
    { url: `/api/sms/send?api_key=${key}`, headers: json },
  ])
    assert.equal((await ask(edge(options), { ...asked, body: bodyOf(10_000) })).status, 200);
});

test("one that does not say its length is cut at the bound", async () => {
  await withWire(options, async ({ open, keys }) => {
    const line = await open();
    line.write(
      "POST /api/sms/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    line.write(`7d0\r\n${" ".repeat(2_000)}\r\n1\r\n \r\n`);
    const { status, json: reply } = lastAnswer(await line.until(/body_too_large"\}/));
    assert.deepEqual([status, reply], [413, tooLarge]);
    assert.deepEqual(keys, []);
  });
});

test("the bound is never above that of all bodies", async () => {
  const low = { settings: { maxKeylessBodyBytes: 2_000, maxBodyBytes: 1_500 } };
  assert.equal((await ask(edge(low), { headers: json, body: bodyOf(1_501) })).status, 413);
});

test("a body with too many values, and a form with too many fields or steps, hold no key", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const large = { settings: { maxBodyBytes: 4_000_000, maxKeylessBodyBytes: 4_000_000, maxContacts: 1 } };
  for (const [headers, body] of [
    [json, `{"api_key":"${key}","a":[${"0,".repeat(500_000)}0]}`],
    [form, `api_key=${key}&${"a&".repeat(109)}`],
    [form, `api_key=${key}&a${"[]".repeat(32)}=1`],
    [form, `api_key=${key}&contact=${"[".repeat(33)}`],
  ] as const) {
    const { status, json: reply } = await ask(edge(large), { headers, body });
    assert.equal(status, 403);
    assert.match((reply as { message: string }).message, /^Api key is required/);
  }
});

const multipart = (...fields: [name: string, value: string][]) =>
  `${fields.map(([name, value]) => `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join("")}--XX--`;
const boundary = "multipart/form-data; boundary=XX";
const urlencoded = "application/x-www-form-urlencoded";

/** What is found in a body, without anybody's having judged it. */
async function search(type: string, body: string) {
  const budget = new BodyBudget(2 ** 30);
  const share = new BodyShare(budget);
  const stream = new PassThrough();
  const headers = { "content-type": type, "transfer-encoding": "chunked" };
  const limits = {
    maxBytes: 2 ** 21,
    maxFields: 1_000,
    maxValues: 500_000,
    deadlines: createDeadlines(movableClock(), 1_000),
  };
  stream.end(body);
  const searched = await searchBody(Object.assign(stream, { headers }) as never, limits, share);
  assert.ok(searched !== null && "key" in searched);
  return { budget, ...searched };
}

const places: [type: string, body: string, key: unknown][] = [
  ["application/json", '{"api_key":"k"}', "k"],
  ["application/json", '\ufeff{"api_key":"k"}', "k"],
  ["application/json", '{"api_key":12}', "12"],
  ["application/json", '{"api_key":"a","api_key":" k "}', "k"],
  ["application/json", '{"api_key":"a","api_key":null}', null],
  ["application/json", '{"a":{"api_key":"k"}}', null],
  ["application/json", '{"api_key":"k"', null],
  ["application/json", "[]", null],
  ["application/json", " ", null],
  [urlencoded, "api_key=k", "k"],
  [urlencoded, "api_key=a&api%5fkey=k&b=c", "k"],
  [urlencoded, "a[api_key]=k", null],
  [boundary, multipart(["b", "c"], ["api_key", "k"]), "k"],
];
for (const [type, body, expected] of places) {
  test(`the key of ${JSON.stringify(body)}`, async () => {
    assert.equal((await search(type, body)).key, expected);
  });
}

test("a key that is no text, or far too long, is no account's", async () => {
  for (const [type, body] of [
    ["application/json", '{"api_key":["k"]}'],
    ["application/json", '{"api_key":{}}'],
    ["application/json", '{"api_key":true}'],
    ["application/json", JSON.stringify({ api_key: "x".repeat(100_000) })],
    [urlencoded, "api_key[]=k"],
    [urlencoded, "api_key=k&api_key[0]=k"],
  ] as const)
    assert.equal(typeof (await search(type, body)).key, "symbol", body.slice(0, 40));
});

test("of JSON nothing is made before its key is right: room is taken for its bytes, and for values by parsing", async () => {
  const body = `{"api_key":"k","a":[${"{},".repeat(100_000)}{}]}`;
  const { budget, parse } = await search("application/json", body);
  assert.equal(budget.held, body.length);
  assert.ok("value" in parse());
  assert.equal(budget.held, body.length + 100_004 * 64);
});
