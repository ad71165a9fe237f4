// Who gets in: every combination of a missing, empty, wrong and right key in header, query and body, for
// every kind of body; then the plan, the rate, and keys that look like something else.

import assert from "node:assert/strict";
import test from "node:test";
import { ask, contact, type Edge, edge, expiredKey, key, otherKey, type Sent } from "../edge.ts";

const missing = {
  status: "error",
  message: "Api key is required. Send it in the Api-key header or the api_key URL parameter.",
  error: "Invalid Api Key",
};
const invalid = { status: "error", error: "Invalid Api Key" };
const expired = { status: "error", error: "Your Subscription Is Expired! Buy A New Plan" };

const wrongKey = "tl_wrong00000000000000000000000000000";
const keys = { absent: undefined, empty: "", blank: "  ", wrong: wrongKey, right: key } as const;
type KeyName = keyof typeof keys;

const media = {
  json: (apiKey: string | undefined) => ({
    type: "application/json",
    body: JSON.stringify({ api_key: apiKey, contact: [contact] }),
  }),
  urlencoded: (apiKey: string | undefined) => {
    const form = new URLSearchParams({
      "contact[0][number]": contact.number,
      "contact[0][message]": contact.message,
    });
    if (apiKey !== undefined) form.set("api_key", apiKey);
    return { type: "application/x-www-form-urlencoded", body: form.toString() };
  },
  multipart: (apiKey: string | undefined) => {
    const fields: Record<string, string> = { contact: JSON.stringify([contact]) };
    if (apiKey !== undefined) fields.api_key = apiKey;
    const parts = Object.entries(fields).map(
      ([name, value]) => `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    return { type: "multipart/form-data; boundary=XX", body: `${parts.join("")}--XX--\r\n` };
  },
};

/** What the contract says: the first place with a key that is not empty decides. */
function expected(...places: KeyName[]): "missing" | "wrong" | "right" {
  const deciding = places.find((place) => place === "wrong" || place === "right");
  return deciding === undefined ? "missing" : (deciding as "wrong" | "right");
}

function verdict(to: Edge, { status, json }: Sent): "missing" | "wrong" | "right" {
  if (status === 200) return "right";
  assert.equal(status, 403);
  assert.equal(to.accepted.length, 0);
  if ("message" in (json as object)) assert.deepEqual(json, missing);
  else assert.deepEqual(json, invalid);
  return "message" in (json as object) ? "missing" : "wrong";
}

for (const [kind, make] of Object.entries(media)) {
  test(`header, query and ${kind} body, in every combination`, async () => {
    for (const header of Object.keys(keys) as KeyName[]) {
      for (const query of Object.keys(keys) as KeyName[]) {
        for (const inBody of Object.keys(keys) as KeyName[]) {
          const to = edge();
          const { type, body } = make(keys[inBody]);
          const headers: Record<string, string> = { "content-type": type };
          if (keys[header] !== undefined) headers["api-key"] = keys[header];
          const search = keys[query] === undefined ? "" : `?${new URLSearchParams({ api_key: keys[query] })}`;
          const answer = await ask(to, { url: `/api/sms/send${search}`, headers, body });
          assert.equal(
            verdict(to, answer),
            expected(header, query, inBody),
            `${header}, ${query}, ${inBody}`,
          );
        }
      }
    }
  });
}

test("header and query, for the endpoints that have no body", async () => {
  for (const url of ["/api/get/sms", "/api/get/sms/msg_1", "/api/account"]) {
    for (const header of Object.keys(keys) as KeyName[]) {
      for (const query of Object.keys(keys) as KeyName[]) {
        const operations = { findMessage: () => null, recentMessages: () => ({ rows: [], more: false }) };
        const to = edge({ operations });
        const headers: Record<string, string> = {};
        if (keys[header] !== undefined) headers["api-key"] = keys[header];
        const search = keys[query] === undefined ? "" : `?${new URLSearchParams({ api_key: keys[query] })}`;
        const { status } = await ask(to, { method: "GET", url: `${url}${search}`, headers });
        const passes = url.endsWith("msg_1") ? 404 : 200;
        assert.equal(
          status,
          expected(header, query) === "right" ? passes : 403,
          `${url} ${header}, ${query}`,
        );
      }
    }
  }
});

test("cancel takes the key from its body too", async () => {
  const asked = { url: "/api/cancel/sms/msg_1", headers: { "content-type": "application/json" } };
  assert.equal((await ask(edge(), { ...asked, body: JSON.stringify({ api_key: key }) })).status, 404);
  assert.equal((await ask(edge(), { ...asked, body: "{}" })).status, 403);
});

const unreadable: [name: string, headers: Record<string, string>, body: string | Buffer][] = [
  ["no JSON", { "content-type": "application/json" }, `{"api_key":"${key}"`],
  [
    "not UTF-8",
    { "content-type": "application/json" },
    Buffer.from(`{"api_key":"${key}","a":"\xff"}`, "latin1"),
  ],
  ["too deep", { "content-type": "application/json" }, "[".repeat(33)],
  [
    "compressed",
    { "content-type": "application/json", "content-encoding": "gzip" },
    JSON.stringify({ api_key: key }),
  ],
  ["of another type", { "content-type": "text/plain" }, JSON.stringify({ api_key: key })],
  ["without a type", {}, JSON.stringify({ api_key: key })],
  ["of a type that is not valid", { "content-type": "garbage;;" }, JSON.stringify({ api_key: key })],
];
for (const [name, headers, body] of unreadable) {
  test(`a body that is ${name} holds no key`, async () => {
    const { status, json } = await ask(edge(), { headers, body });
    assert.equal(status, 403);
    assert.deepEqual(json, missing);
  });
  test(`a wrong key in front of a body that is ${name} is refused before it is looked at`, async () => {
    const { status, json } = await ask(edge(), { headers: { ...headers, "api-key": wrongKey }, body });
    assert.equal(status, 403);
    assert.deepEqual(json, invalid);
  });
}

const noText: [value: unknown, body: object][] = [
  [null, missing],
  [[], invalid],
  [[key], invalid],
  [{ key }, invalid],
  [true, invalid],
  [12345, invalid],
  ["x".repeat(100_000), invalid],
];
for (const [value, reply] of noText) {
  test(`a body's key that is ${JSON.stringify(value).slice(0, 40)}`, async () => {
    const headers = { "content-type": "application/json" };
    const { status, json } = await ask(edge(), {
      headers,
      body: JSON.stringify({ api_key: value, contact: [contact] }),
    });
    assert.equal(status, 403);
    assert.deepEqual(json, reply);
  });
}

test("a key in a prototype is no key", async () => {
  const headers = { "content-type": "application/json" };
  const { json } = await ask(edge(), { headers, body: `{"__proto__":{"api_key":"${key}"},"contact":[]}` });
  assert.deepEqual(json, missing);
});

test("keys are compared whole and exactly", async () => {
  const lookalikes = [
    key.slice(0, -1),
    `${key}0`,
    key.toUpperCase(),
    `${key.slice(0, -1)}g`,
    `${key}, ${key}`,
    `Bearer ${key}`,
    `"${key}"`,
    `${key}%00`,
    `${key}' OR '1'='1`,
    "*",
  ];
  for (const lookalike of lookalikes) {
    const { status, json } = await ask(edge(), { headers: { "api-key": lookalike } });
    assert.equal(status, 403, lookalike);
    assert.deepEqual(json, invalid, lookalike);
  }
});

test("two keys in one place are none", async () => {
  const twice = `?api_key=${key}&api_key=${key}`;
  assert.deepEqual((await ask(edge(), { url: `/api/sms/send${twice}` })).json, invalid);
  const mixed = `?api_key=${key}&api_key=${wrongKey}`;
  assert.deepEqual((await ask(edge(), { url: `/api/sms/send${mixed}` })).json, invalid);
  const withEmpty = `?api_key=&api_key=${key}`;
  assert.equal((await ask(edge(), { url: `/api/sms/send${withEmpty}` })).status, 422);
  for (const name of ["api_key[]", "api_key[0]", "Api_key", "api-key", "apikey"]) {
    const { json } = await ask(edge(), { url: `/api/sms/send?${new URLSearchParams({ [name]: key })}` });
    assert.deepEqual(json, missing, name);
  }
});

test("other ways of carrying a key are not ways in", async () => {
  for (const headers of [
    { authorization: `Bearer ${key}` },
    { cookie: `api_key=${key}` },
    { "x-api-key": key },
  ]) {
    assert.deepEqual((await ask(edge(), { headers })).json, missing);
  }
});

test("blanks around a key are cut off", async () => {
  assert.equal((await ask(edge(), { url: `/api/sms/send?api_key=%20${key}%0A` })).status, 422);
});

test("an expired plan refuses every endpoint, before anything else is judged", async () => {
  const asked: [method: string, url: string][] = [
    ["POST", "/api/sms/send"],
    ["GET", "/api/get/sms"],
    ["GET", "/api/get/nothing/x"],
    ["POST", "/api/cancel/sms/msg_1"],
    ["GET", "/api/account"],
  ];
  for (const [method, url] of asked) {
    const { status, json } = await ask(edge(), { method, url, headers: { "api-key": expiredKey } });
    assert.equal(status, 403, url);
    assert.deepEqual(json, expired, url);
  }
});

test("a plan ends at its instant, not before", async () => {
  const to = edge();
  to.clock.setNow(to.clock.now() - 1);
  assert.equal((await ask(to, { headers: { "api-key": expiredKey } })).status, 422);
  await to.clock.advance(1);
  assert.equal((await ask(to, { headers: { "api-key": expiredKey } })).status, 403);
});

test("an account's rate limit is its own, counts every channel endpoint, and says when to come again", async () => {
  const limited = edge({
    authenticate: async (apiKey) => ({
      id: apiKey,
      name: "x",
      timeZone: "UTC",
      country: null,
      plan: { name: "x", expiresAt: null },
      requestsPerMinute: 2,
      attachments: { maxFiles: 10, maxBytes: 10_485_760 },
      gateways: [],
    }),
  });
  const get = (apiKey: string) =>
    ask(limited, { method: "GET", url: "/api/account", headers: { "api-key": apiKey } });
  assert.equal((await get(key)).status, 200);
  assert.equal((await ask(limited, { headers: { "api-key": key } })).status, 422);
  const { status, headers, json } = await ask(limited, { url: `/api/sms/send?api_key=${key}` });
  assert.equal(status, 429);
  assert.equal(headers["retry-after"], "30");
  assert.deepEqual(json, { success: false, message: "Too many requests.", code: "rate_limited" });
  assert.equal((await get(otherKey)).status, 200);
  await limited.clock.advance(30_000);
  assert.equal((await get(key)).status, 200);
});

test("no key reaches the log or an answer, in any failure", async () => {
  const to = edge({
    operations: {
      readCredits: () => {
        throw new Error("broken");
      },
    },
  });
  const asked = [
    { method: "GET", url: `/api/account?api_key=${key}` },
    { method: "GET", url: "/api/account", headers: { "api-key": key } },
    { method: "GET", url: `/nothing?api_key=${key}` },
    { method: "GET", url: `/api/get/%zz?api_key=${key}` },
    { headers: { "content-type": "application/json" }, body: `{"api_key":"${key}","contact":` },
  ];
  for (const each of asked) assert.doesNotMatch((await ask(to, each)).text, /0123456789abcdef/);
  assert.doesNotMatch(to.log.text(), /0123456789abcdef/);
  assert.equal(to.log.lines().length, 2);
});
