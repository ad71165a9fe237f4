// What is wrong with a request, and the error of Resend that it is answered with: one table.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Harness, harness } from "../../../harness.ts";
import type { Injected } from "../../../inject.ts";
import { askResend, emailsPath, postEmail } from "./resend-peer.ts";

const good = { from: "Acme <news@acme.example>", to: "ada@example.com", subject: "Hi", text: "Hi" };
const file = { filename: "a.txt", content: "SGk=" };
const unknownId = "00000000-0000-0000-0000-000000000000";
const many = (count: number, domain: string) =>
  Array.from({ length: count }, (_, n) => `user${n}@${domain}.example`);

const refused: [what: string, fields: object, name: string, says: RegExp][] = [
  ["no from", { from: undefined }, "missing_required_field", /`from`/],
  ["a from without an address", { from: "Acme" }, "invalid_from_address", /`from`/],
  ["a from that is no text", { from: 1 }, "invalid_from_address", /`from`/],
  ["a from with a line break", { from: "A\r\nBcc: x <a@b.example>" }, "validation_error", /from/],
  ["no to", { to: undefined }, "missing_required_field", /`to`/],
  ["an empty to", { to: [] }, "missing_required_field", /`to`/],
  ["a to that is no address", { to: "ada" }, "validation_error", /to/],
  ["a second to that is no address", { to: ["ada@example.com", "x"] }, "validation_error", /to\.0/],
  ["a to that is no text", { to: { email: "a" } }, "validation_error", /`to`/],
  ["two addresses in one text", { to: "a@b.example, c@d.example" }, "validation_error", /to/],
  ["an address before a mailbox", { to: "a@b.example, Bob <c@d.example>" }, "validation_error", /to/],
  ["a name of two lines", { cc: "Bob\r\nBcc: x@y.example <c@d.example>" }, "validation_error", /cc\.0/],
  ["a cc that is no address", { cc: ["x"] }, "validation_error", /cc/],
  ["more than 50 recipients", { cc: many(30, "a"), bcc: many(30, "b") }, "validation_error", /50/],
  ["a reply_to that is no address", { reply_to: ["a@b.example", "c"] }, "validation_error", /reply_to/],
  ["a reply_to of two lines", { reply_to: "A\r\nBcc: x <a@b.example>" }, "validation_error", /reply_to/],
  ["eleven reply_to", { reply_to: many(11, "a") }, "validation_error", /reply_to/],
  ["no subject", { subject: undefined }, "missing_required_field", /`subject`/],
  ["a subject of two lines", { subject: "a\nBcc: x@y.example" }, "validation_error", /subject/],
  ["no body", { text: undefined }, "missing_required_field", /`html` or `text`/],
  ["a text that is blank", { text: "  " }, "validation_error", /`text`/],
  ["a text that is a number", { text: 5 }, "validation_error", /`text`/],
  ["a time in camel case", { scheduledAt: "2030-01-01T00:00:00Z" }, "validation_error", /`scheduled_at`/],
  ["a topic in camel case", { topicId: "1" }, "validation_error", /`topic_id`/],
  ["a field as a header writes it", { "Reply-To": "a@b.example" }, "validation_error", /`reply_to`/],
  ["a field with a capital", { Bcc: "a@b.example" }, "validation_error", /`bcc`/],
  ["a body that is no text", { html: { a: 1 } }, "validation_error", /html/],
  ["a header that is not on the list", { headers: { Bcc: "x@y.example" } }, "validation_error", /headers/],
  ["a header of two lines", { headers: { "X-A": "1\r\nBcc: x" } }, "validation_error", /headers/],
  ["tags that are no list", { tags: "a" }, "validation_error", /`tags`/],
  ["a tag without a name", { tags: [{ value: "a" }] }, "validation_error", /`tags`/],
  ["a tag with a blank", { tags: [{ name: "a b", value: "c" }] }, "validation_error", /tags/],
  ["a template", { template: { id: "1" } }, "validation_error", /`template`/],
  ["a topic", { topic_id: "1" }, "validation_error", /`topic_id`/],
  ["a file without a name", { attachments: [{ content: "SGk=" }] }, "invalid_attachment", /filename/],
  ["a file without content", { attachments: [{ filename: "a.txt" }] }, "invalid_attachment", /content/],
  ["a file that is not base64", { attachments: [{ ...file, content: "%" }] }, "invalid_attachment", /base64/],
  ["bytes that are none", { attachments: [{ ...file, content: [256] }] }, "invalid_attachment", /content/],
  ["a file of another type", { attachments: [{ ...file, filename: "a.exe" }] }, "invalid_attachment", /type/],
  ["natural language", { scheduled_at: "in 1 hour" }, "validation_error", /Natural language/],
  ["a time without a zone", { scheduled_at: "2030-01-01T00:00:00" }, "validation_error", /zone/],
  ["a time that is past", { scheduled_at: "2020-01-01T00:00:00Z" }, "validation_error", /future/],
];

describe("errors in Resend's shape", () => {
  let it: Harness;
  let key: string;
  before(async () => {
    it = await harness();
    ({ key } = await it.account());
    await it.gateway({ identifier: "mail", channel: "email", default: true });
  });
  after(() => it?.close());

  function assertError(reply: Injected, status: number, name: string): string {
    const body = reply.json();
    assert.deepEqual([reply.statusCode, body.statusCode, body.name], [status, status, name], reply.body);
    assert.deepEqual(Object.keys(body), ["statusCode", "name", "message"]);
    assert.doesNotMatch(body.message, /contact/);
    return body.message;
  }

  for (const [what, fields, name, says] of refused)
    test(`${what}: ${name}`, async () => {
      const message = assertError(await postEmail(it, key, { ...good, ...fields }), 422, name);
      assert.match(message, says);
    });

  test("nothing of that was accepted", async () => {
    const listed = await it.get("/api/get/email");
    assert.equal(listed.statusCode, 200);
    assert.doesNotMatch(listed.body, /msg_/);
  });

  const ask = (options: Parameters<typeof askResend>[2]) => askResend(it, key, { method: "GET", ...options });
  const email = (id: string) => `${emailsPath}/${id}`;
  const batch = (payload: object, headers = {}) =>
    ask({ method: "POST", url: `${emailsPath}/batch`, payload, headers });
  const requests: [what: string, () => Promise<Injected>, status: number, name: string][] = [
    ["no key", () => ask({ headers: { authorization: "" }, url: email(unknownId) }), 401, "missing_api_key"],
    [
      "Basic",
      () => ask({ headers: { authorization: "Basic eDp5" }, url: email(unknownId) }),
      401,
      "missing_api_key",
    ],
    [
      "a wrong key",
      () => askResend(it, `${key}x`, { method: "POST", payload: good }),
      403,
      "invalid_api_key",
    ],
    ["an unknown email", () => ask({ url: email(unknownId) }), 404, "not_found"],
    ["a text that is no id", () => ask({ url: email("xyz") }), 404, "not_found"],
    ["an unknown path", () => ask({ url: "/api/resend/domains" }), 404, "not_found"],
    ["a method that is not offered", () => ask({ method: "DELETE" }), 405, "method_not_allowed"],
    ["no JSON", () => ask({ method: "POST", payload: "a=1" }), 415, "validation_error"],
    [
      "broken JSON",
      () => ask({ method: "POST", payload: "{", headers: { "content-type": "application/json" } }),
      400,
      "validation_error",
    ],
    ["a list for one email", () => ask({ method: "POST", payload: [good] }), 422, "validation_error"],
    ["one email for a batch", () => batch(good), 422, "validation_error"],
    ["an empty batch", () => batch([]), 422, "validation_error"],
    ["a batch of 101", () => batch(Array(101).fill(good)), 422, "validation_error"],
    ["a batch with a file", () => batch([{ ...good, attachments: [file] }]), 422, "invalid_attachment"],
    [
      "a permissive batch",
      () => batch([good], { "x-batch-validation": "permissive" }),
      422,
      "validation_error",
    ],
    [
      "an empty key of idempotency",
      () => postEmail(it, key, good, { "idempotency-key": "" }),
      400,
      "invalid_idempotency_key",
    ],
    [
      "a change without a time",
      () => ask({ method: "PATCH", url: email(unknownId), payload: {} }),
      422,
      "missing_required_field",
    ],
    [
      "a change of an unknown email",
      () =>
        ask({ method: "PATCH", url: email(unknownId), payload: { scheduled_at: "2099-01-01T00:00:00Z" } }),
      404,
      "not_found",
    ],
    [
      "canceling an unknown email",
      () => ask({ method: "POST", url: `${email(unknownId)}/cancel` }),
      404,
      "not_found",
    ],
  ];
  for (const [what, request, status, name] of requests)
    test(`${what}: ${status}, ${name}`, async () => {
      assertError(await request(), status, name);
    });

  test("the refusal of a batch names the email", async () => {
    const ofEmails = refused.filter(([, fields]) => !("attachments" in fields));
    for (const [what, fields, name] of ofEmails) {
      const message = assertError(await batch([good, { ...good, ...fields }]), 422, name);
      assert.match(message, /^emails\.1: /, what);
    }
  });

  test("no gateway: the reason says so", async () => {
    const empty = await it.account({ name: "empty" });
    const message = assertError(await postEmail(it, empty.key, good), 422, "validation_error");
    assert.match(message, /gateway/);
  });

  test("an ended plan; too many requests with Retry-After; no credit", async () => {
    const ended = await it.account({
      name: "ended",
      plan: { name: "p", expires_at: "2020-01-01T00:00:00Z" },
    });
    assertError(await postEmail(it, ended.key, good), 403, "invalid_api_key");
    const slow = await it.account({ name: "slow", rate_limit: { requests_per_minute: 1 } });
    await postEmail(it, slow.key, good);
    const limited = await postEmail(it, slow.key, good);
    assertError(limited, 429, "rate_limit_exceeded");
    assert.equal(limited.headers["retry-after"], "60");
    const poor = await it.account({ name: "poor", plan: { name: "p", credit: { email: 0 } } });
    await it.gateway({
      identifier: "poor-main",
      channel: "email",
      kind: "resend",
      default: true,
      settings: { api_key: "re_1", from: "news@acme.example" },
    });
    assertError(await postEmail(it, poor.key, good), 429, "monthly_quota_exceeded");
  });

  test("storage that is away: 503 with Retry-After", async () => {
    it.storageFault("unavailable");
    const reply = await postEmail(it, key, good);
    it.storageFault(null);
    assertError(reply, 503, "internal_server_error");
    assert.ok(Number(reply.headers["retry-after"]) > 0);
  });
});
