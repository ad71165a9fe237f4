// What is wrong with a request, and the code of Twilio that it is answered with: one table.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { suppress } from "#messaging/suppressions.ts";
import { type Harness, harness } from "../../../harness.ts";
import { type Injected, type InjectOptions, inject } from "../../../inject.ts";
import { basic, getTwilio, messagePath, messagesPath, postForm } from "./twilio-peer.ts";

const to = "+4915123450001";
const good = { To: to, Body: "Hi" };
const unknownSid = `SM${"0".repeat(32)}`;

/** The fields of a message, with its status and code. */
const refused: [what: string, fields: Record<string, string> | [string, string][], code: number][] = [
  ["no To", { Body: "Hi" }, 21604],
  ["an empty To", { To: " ", Body: "Hi" }, 21604],
  ["a To that is no number", { ...good, To: "no-number" }, 21211],
  ["a To with a NUL", { ...good, To: "+49151\u000023450001" }, 21211],
  ["a WhatsApp address without a number", { ...good, To: "whatsapp:" }, 21211],
  ["neither text nor file", { To: to }, 21619],
  ["only blanks", { To: to, Body: "  \n" }, 21619],
  ["a text that is too long", { To: to, Body: "x".repeat(65_537) }, 21617],
  ["characters that cannot be sent", { To: to, Body: "a\u0000b" }, 20001],
  ["a file by SMS", { To: to, MediaUrl: "https://cdn.example.com/a.png" }, 21621],
  ["a file that is no URL", { To: `whatsapp:${to}`, MediaUrl: "ftp://cdn.example.com/a.png" }, 21620],
  [
    "two files",
    [
      ["To", `whatsapp:${to}`],
      ["MediaUrl", "https://cdn.example.com/a.png"],
      ["MediaUrl", "https://cdn.example.com/b.png"],
    ],
    21623,
  ],
  ["a sender of another account", { ...good, From: "+15005550099" }, 21606],
  ["a WhatsApp sender of another account", { ...good, To: `whatsapp:${to}`, From: "whatsapp:+1555" }, 63007],
  ["a sender of another channel", { ...good, From: "whatsapp:wa-main" }, 21910],
  ["a service that does not exist", { ...good, MessagingServiceSid: `MG${"0".repeat(32)}` }, 21701],
  ["a service of another channel", { ...good, MessagingServiceSid: "wa-main" }, 21701],
  ["a callback that is no URL", { ...good, StatusCallback: "app.example.com" }, 21609],
  ["a callback inside the network", { ...good, StatusCallback: "http://127.0.0.1/hook" }, 21609],
  ["a callback that is too long", { ...good, StatusCallback: `https://a.test/${"x".repeat(4000)}` }, 21609],
  ["a time that is past", { ...good, ScheduleType: "fixed", SendAt: "2020-01-01T00:00:00Z" }, 35114],
  ["a time without a zone", { ...good, ScheduleType: "fixed", SendAt: "2030-01-01T00:00:00" }, 35114],
  ["no time", { ...good, ScheduleType: "fixed" }, 35114],
  ["another type of schedule", { ...good, ScheduleType: "smart", SendAt: "2030-01-01T00:00:00Z" }, 20001],
  ["a parameter in camel case", { ...good, sendAt: "2030-01-01T00:00:00Z" }, 20001],
  ["a parameter in small letters", { ...good, statuscallback: "https://app.example.com/" }, 20001],
  ["files in the form of PHP", { ...good, "MediaUrl[0]": "https://cdn.example.com/a.png" }, 20001],
  ["callbacks by GET", { ...good, StatusCallback: "https://a.test/", StatusCallbackMethod: "GET" }, 20001],
  ["a service as sender that does not exist", { ...good, From: `MG${"0".repeat(32)}` }, 21701],
  [
    "a sender that is not the service's",
    { ...good, From: "+15005550099", MessagingServiceSid: "sms-main" },
    21606,
  ],
  ["a content template", { ...good, ContentSid: "HX1" }, 20001],
  ["a validity period", { ...good, ValidityPeriod: "60" }, 20001],
  ["shortened links", { ...good, ShortenUrls: "true" }, 20001],
  ["a recipient who has opted out", { ...good, To: "+4915123459999" }, 21610],
];

describe("errors in Twilio's shape", () => {
  let it: Harness;
  let key: string;
  let accountId: string;
  before(async () => {
    it = await harness();
    ({ key, id: accountId } = await it.account({ country: "DE" }));
    await it.gateway({
      identifier: "sms-main",
      default: true,
      kind: "twilio",
      settings: { account_sid: "AC1", auth_token: "t", from: "+15005550006" },
    });
    await it.gateway({
      identifier: "wa-main",
      channel: "whatsapp",
      kind: "whatsapp-cloud",
      default: true,
      settings: { phone_number_id: "1", access_token: "t", app_secret: "s", verify_token: "v" },
    });
    const input = { channel: "sms", recipients: ["+4915123459999"], note: null } as const;
    await suppress(it.system.core, { id: accountId, country: "DE" }, input);
  });
  after(() => it?.close());

  function assertError(reply: Injected, status: number, code: number): string {
    const body = reply.json();
    assert.deepEqual(
      [reply.statusCode, body.status, body.code, body.more_info],
      [status, status, code, `https://www.twilio.com/docs/errors/${code}`],
      reply.body,
    );
    assert.deepEqual(Object.keys(body), ["code", "message", "more_info", "status"]);
    assert.doesNotMatch(body.message, /contact/);
    return body.message;
  }

  for (const [what, fields, code] of refused)
    test(`${what}: ${code}`, async () => {
      assertError(await postForm(it, key, fields), 400, code);
    });

  test("nothing of that was accepted", async () => {
    assert.deepEqual((await getTwilio(it, key, messagesPath)).json().messages, []);
  });

  const requests: [what: string, () => Promise<Injected>, status: number, code: number][] = [
    ["no credentials", () => ask({ headers: {} }), 401, 20003],
    [
      "credentials that are not Basic",
      () => ask({ headers: { authorization: `Bearer ${key}` } }),
      401,
      20003,
    ],
    ["a wrong key", () => ask({ headers: basic(`${key}x`) }), 401, 20003],
    ["an empty password", () => ask({ headers: basic("") }), 401, 20003],
    ["the key as the user's name", () => ask({ headers: basic("x", key) }), 401, 20003],
    ["an unknown message", () => ask({ url: messagePath(unknownSid) }), 404, 20404],
    ["a text that is no SID", () => ask({ url: messagePath("SMxyz") }), 404, 20404],
    ["an unknown path", () => ask({ url: "/api/twilio/2010-04-01/Calls.json" }), 404, 20404],
    [
      "a method that is not offered",
      () => ask({ method: "DELETE", url: messagePath(unknownSid) }),
      405,
      20004,
    ],
    ["a page without its token", () => ask({ url: `${messagesPath}?Page=3` }), 400, 20001],
    ["a token of no page", () => ask({ url: `${messagesPath}?Page=1&PageToken=x` }), 400, 20001],
    ["a page of nothing", () => ask({ url: `${messagesPath}?PageSize=0` }), 400, 20001],
    ["a text that is no day", () => ask({ url: `${messagesPath}?DateSent=yesterday` }), 400, 20001],
    ["a filter in camel case", () => ask({ url: `${messagesPath}?dateSent=2026-01-01` }), 400, 20001],
    ["a filter with >=", () => ask({ url: `${messagesPath}?DateSent%3E%3D=2026-01-01` }), 400, 20001],
    ["a recipient that is no number", () => ask({ url: `${messagesPath}?To=no-number` }), 400, 21211],
    ["JSON", () => json(), 415, 20415],
    ["invalid UTF-8", () => form("To=%FF"), 400, 20001],
    ["too many fields", () => form("a=1&".repeat(300)), 413, 20413],
    ["a body that is too large", () => form(`Body=${"x".repeat(1024 * 1024)}`), 413, 20413],
    [
      "an empty key of idempotency",
      () => postForm(it, key, good, { headers: { "idempotency-key": "" } }),
      400,
      20001,
    ],
    ["another change", () => postForm(it, key, { Body: "" }, { path: messagePath(unknownSid) }), 400, 20001],
    [
      "a change of an unknown message",
      () => postForm(it, key, { Status: "canceled" }, { path: messagePath(unknownSid) }),
      404,
      20404,
    ],
  ];
  const ask = (options: InjectOptions) =>
    inject(it.system.app, { method: "GET", url: messagesPath, headers: basic(key), ...options });
  const json = () => ask({ method: "POST", payload: { To: to } });
  const form = (payload: string) =>
    ask({
      method: "POST",
      headers: { ...basic(key), "content-type": "application/x-www-form-urlencoded" },
      payload,
    });
  for (const [what, request, status, code] of requests)
    test(`${what}: ${status}, ${code}`, async () => {
      const reply = await request();
      assertError(reply, status, code);
      if (status === 401) assert.match(String(reply.headers["www-authenticate"]), /^Basic /);
    });

  test("no gateway of the channel: 21603, with what to do", async () => {
    await it.account({ name: "empty" }).then(async (empty) => {
      const message = assertError(await postForm(it, empty.key, good), 400, 21603);
      assert.match(message, /gateway/);
    });
  });

  test("an ended plan: 20005; too many requests: 20429 with Retry-After; no credit: 402", async () => {
    const ended = await it.account({
      name: "ended",
      plan: { name: "p", expires_at: "2020-01-01T00:00:00Z" },
    });
    assertError(await postForm(it, ended.key, good), 403, 20005);
    const slow = await it.account({ name: "slow", country: "DE", rate_limit: { requests_per_minute: 1 } });
    await getTwilio(it, slow.key, messagesPath);
    const limited = await getTwilio(it, slow.key, messagesPath);
    assertError(limited, 429, 20429);
    assert.equal(limited.headers["retry-after"], "60");
    const poor = await it.account({
      name: "poor",
      country: "DE",
      plan: { name: "p", credit: { sms: 0 } },
    });
    await it.gateway({
      identifier: "poor-main",
      default: true,
      kind: "twilio",
      settings: { account_sid: "AC1", auth_token: "t", from: "+15005550007" },
    });
    assertError(await postForm(it, poor.key, good), 402, 20402);
  });

  test("storage that is away: 503 with Retry-After, and no promise that is not kept", async () => {
    it.storageFault("unavailable");
    const reply = await postForm(it, key, good);
    it.storageFault(null);
    assertError(reply, 503, 20503);
    assert.ok(Number(reply.headers["retry-after"]) > 0);
  });
});
