// What a named key may do: every scope at every channel endpoint, with the key in each place, and its own rate.

import assert from "node:assert/strict";
import test from "node:test";
import { namedKeyRules } from "#contract/manage/keys/named-keys.ts";
import { endpoints } from "#http/endpoints.ts";
import { account, ask, contact, type Edge, type EdgeOptions, edge, key, row } from "../edge.ts";

const scopes = namedKeyRules.shape.scopes.element.options;
type Scope = (typeof scopes)[number];

const notAllowed = { status: "error", error: "Not Allowed For This Api Key" };

/** Each endpoint as it is asked, and the scopes of which it needs one. */
const asked: readonly [name: string, method: "GET" | "POST", url: string, ...needs: Scope[]][] = [
  ["getCurrentAccount", "GET", "/api/account", "read"],
  ["getMessage", "GET", "/api/get/sms/msg_1", "read", "read:own"],
  ["listMessages", "GET", "/api/get/email", "read", "read:own"],
  ["listReceivedMessages", "GET", "/api/received/whatsapp", "read", "read:own"],
  ["getReceivedFile", "GET", "/api/whatsapp/media/in_1", "read", "read:own"],
  ["sendSms", "POST", "/api/sms/send", "send:sms"],
  ["sendWhatsapp", "POST", "/api/whatsapp/send", "send:whatsapp"],
  ["sendWhatsappList", "POST", "/api/whatsapp/send-list", "send:whatsapp"],
  ["sendEmail", "POST", "/api/email/send", "send:email"],
  ...(["sms", "whatsapp", "email"] as const).flatMap((channel) =>
    (["cancel", "reschedule", "resolve"] as const).map(
      (verb) => [`${verb}Message`, "POST", `/api/${verb}/${channel}/msg_1`, `send:${channel}`] as const,
    ),
  ),
] as [string, "GET" | "POST", string, ...Scope[]][];

type Place = "header" | "query" | "json" | "urlencoded" | "multipart";

/** The request with the key in this place. */
function placed(place: Place, method: string, url: string) {
  switch (place) {
    case "header":
      return { method, url, headers: { "api-key": key } };
    case "query":
      return { method, url: `${url}?api_key=${key}` };
    case "json":
      return {
        method,
        url,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ api_key: key }),
      };
    case "urlencoded":
      return {
        method,
        url,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `api_key=${key}`,
      };
    case "multipart":
      return {
        method,
        url,
        headers: { "content-type": "multipart/form-data; boundary=XX" },
        body: `--XX\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${key}\r\n--XX--\r\n`,
      };
  }
}

const placesOf = (method: string): Place[] =>
  method === "GET" ? ["header", "query"] : ["header", "query", "json", "urlencoded", "multipart"];

const operations = {
  findMessage: () => null,
  recentMessages: () => ({ rows: [], more: false }),
  recentInbound: () => [],
  findInboundFile: () => null,
};

function withKey(
  rights: { scopes?: readonly Scope[]; perMinute?: number; accountPerMinute?: number },
  options: EdgeOptions = {},
): Edge {
  const named = {
    id: "apk_1",
    scopes: rights.scopes ?? scopes,
    boundToGateways: false,
    requestsPerMinute: rights.perMinute ?? null,
  };
  const requestsPerMinute = rights.accountPerMinute ?? null;
  return edge({
    ...options,
    operations: { ...operations, ...options.operations },
    authenticate: async (text) => (text === key ? { ...account, requestsPerMinute, key: named } : account),
  });
}

test("the table has every channel endpoint", () => {
  const channel = endpoints.flatMap(({ head }) => (head.family === "api_key" ? [head.name] : []));
  assert.deepEqual([...new Set(asked.map(([name]) => name))].sort(), channel.sort());
});

for (const scope of scopes) {
  test(`${scope} opens what it names, and nothing else, wherever the key is`, async () => {
    for (const [name, method, url, ...needs] of asked) {
      for (const place of placesOf(method)) {
        const to = withKey({ scopes: [scope] });
        const { status, json } = await ask(to, placed(place, method, url));
        const title = `${name} ${url} ${place}: ${status}`;
        if (!needs.includes(scope)) {
          assert.equal(status, 403, title);
          assert.deepEqual(json, notAllowed, title);
        } else assert.ok([200, 404, 422].includes(status), title);
        assert.equal(to.accepted.length + to.mails.length, 0, "nothing was in the request");
      }
    }
  });
}

test("a key with every scope, and the personal one, are refused nowhere", async () => {
  for (const to of [withKey({}), edge({ operations })])
    for (const [name, method, url] of asked)
      for (const place of placesOf(method))
        assert.notEqual((await ask(to, placed(place, method, url))).status, 403, `${name} ${place}`);
});

test("a refusal comes before the body is looked at, where the key is in front of it", async () => {
  const to = withKey({ scopes: ["read"] });
  for (const url of ["/api/sms/send", "/api/email/send", "/api/resolve/sms/msg_1"]) {
    const headers = { "api-key": key, "content-type": "application/json" };
    assert.deepEqual((await ask(to, { url, headers, body: "{" })).json, notAllowed);
  }
});

test("a path without a channel is not found, also for a key that may do nothing there", async () => {
  const { status } = await ask(
    withKey({ scopes: ["read"] }),
    placed("header", "POST", "/api/cancel/fax/msg_1"),
  );
  assert.equal(status, 404);
});

test("a send with the right scope is accepted", async () => {
  const to = withKey({ scopes: ["send:sms"] });
  const headers = { "api-key": key, "content-type": "application/json" };
  assert.equal((await ask(to, { headers, body: JSON.stringify({ contact: [contact] }) })).status, 200);
  assert.equal(to.accepted[0]?.account.key?.id, "apk_1");
  const found = withKey(
    { scopes: ["read"] },
    { operations: { findMessage: () => ({ message: row, events: [] }) } },
  );
  assert.equal((await ask(found, placed("header", "GET", `/api/get/sms/${row.id}`))).status, 200);
});

test("a key's rate counts beside its account's, and what one refuses takes nothing of the other", async () => {
  const get = (to: Edge, text: string) =>
    ask(to, { method: "GET", url: "/api/account", headers: { "api-key": text } });
  const to = withKey({ perMinute: 1, accountPerMinute: 3 });
  assert.equal((await get(to, key)).status, 200);
  for (let i = 0; i < 5; i++) {
    const { status, headers } = await get(to, key);
    assert.deepEqual([status, headers["retry-after"]], [429, "60"]);
  }
  await to.clock.advance(60_000);
  assert.equal((await get(to, key)).status, 200);
  // The account's own limit is used up: the key's is not touched by what that refuses.
  const tight = withKey({ perMinute: 2, accountPerMinute: 1 });
  assert.equal((await get(tight, key)).status, 200);
  assert.equal((await get(tight, key)).status, 429);
});

test("a scope that is missing uses nothing of a rate", async () => {
  const to = withKey({ scopes: ["read"], perMinute: 1 });
  for (let i = 0; i < 3; i++)
    assert.equal((await ask(to, placed("header", "POST", "/api/sms/send"))).status, 403);
  assert.equal((await ask(to, placed("header", "GET", "/api/account"))).status, 200);
});

test("the line of a request names the key, also where it was refused, and never its text", async () => {
  const to = withKey({ scopes: ["read"] }, { settings: { logRequests: true } });
  await ask(to, placed("header", "GET", "/api/account"));
  await ask(to, placed("query", "POST", "/api/sms/send"));
  await ask(to, { method: "GET", url: "/api/account", headers: { "api-key": "personal" } });
  const lines = to.log.lines().filter(({ event }) => event === "http.request");
  assert.deepEqual(
    lines.map(({ status, account: whose, keyId }) => [status, whose, keyId]),
    [
      [200, "acc_1", "apk_1"],
      [403, "acc_1", "apk_1"],
      [200, "acc_1", null],
    ],
  );
  assert.ok(!to.log.text().includes(key));
});
