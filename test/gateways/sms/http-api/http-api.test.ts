// `http-api` on recorded traffic: what it sends, what it makes of the answers, and what it keeps to itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { httpApi } from "#gateways/sms/http-api/http-api.ts";
import { gatewayConformance } from "../../conformance.ts";
import { sampleMessage, sendOnce, textOf, toolsWith } from "../../conformance-samples.ts";
import { answer, scriptedOutbound } from "../../scripted-outbound.ts";
import { callbacks, secrets, settings } from "./http-api-example.ts";

const byBody = {
  success: {
    status: "200",
    path: "$.status",
    equals: [0],
    deferred: ["1"],
    refused: ["9"],
    reference: "$.id",
  },
};

gatewayConformance(httpApi, {
  settings,
  secrets,
  callbacks,
  refused: [],
  http: {
    definite: [503],
    wire: [
      {
        name: "taken, with an id",
        result: answer(202, { messages: [{ id: "00aF" }] }),
        outcome: { kind: "accepted", reference: "00aF" },
      },
      {
        name: "taken, with an id above 2^53",
        result: answer(200, '{"messages":[{"id":9007199254740993}]}'),
        outcome: { kind: "accepted", reference: "9007199254740993" },
      },
      {
        name: "taken, without an id",
        result: answer(200, { messages: [] }),
        outcome: { kind: "accepted", reference: null },
      },
      {
        name: "an id that is true",
        result: answer(200, { messages: [{ id: true }] }),
        outcome: { kind: "accepted", reference: null },
      },
      {
        name: "a login page with 200",
        result: answer(200, "<html>Sign in</html>"),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "The provider answered 200, but not with JSON.",
        },
      },
      {
        name: "a login page with 200, where nothing is to be read",
        settings: { success: {} },
        result: answer(200, "<html>Queued</html>"),
        outcome: { kind: "accepted", reference: null },
      },
      {
        name: "another 2xx than the one that means yes",
        settings: { success: { status: "200,202" } },
        result: answer(207, { message: "partly" }),
        outcome: { kind: "unknown", code: "http_207", reason: "The provider answered 207: partly" },
      },
      {
        name: "one of several statuses that mean yes",
        settings: { success: { status: "200, 202" } },
        result: answer(202),
        outcome: { kind: "accepted", reference: null },
      },
      {
        name: "one status, given as a number",
        settings: { success: { status: 201 } },
        result: answer(201),
        outcome: { kind: "accepted", reference: null },
      },
      {
        name: "yes in the body",
        settings: byBody,
        result: answer(200, { status: "0", id: 7 }),
        outcome: { kind: "accepted", reference: "7" },
      },
      {
        name: "no in the body",
        settings: byBody,
        result: answer(200, { status: 6, message: "unroutable" }),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "6",
          reason: "The provider refused it: unroutable",
        },
      },
      {
        name: "no in the body, in words that are no code",
        settings: byBody,
        result: answer(200, { status: "not allowed" }),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "refused",
          reason: 'The provider refused it: {"status":"not allowed"}',
        },
      },
      {
        name: "later, in the body",
        settings: byBody,
        result: answer(200, { status: 1, message: "slow down" }),
        outcome: { kind: "deferred", code: "1", reason: "The provider refused it: slow down" },
      },
      {
        name: "the gateway's trouble, in the body",
        settings: byBody,
        result: answer(200, { status: 9, message: "no balance" }),
        outcome: {
          kind: "deferred",
          code: "9",
          reason: "The provider refused it: no balance",
          gatewayFault: "refused",
        },
      },
      {
        name: "a body that says neither",
        settings: byBody,
        result: answer(200, { state: 0 }),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "The provider answered 200 without $.status.",
        },
      },
      {
        name: "a cut body",
        settings: byBody,
        result: answer(200, '{"status":0,'),
        outcome: {
          kind: "unknown",
          code: "unreadable_answer",
          reason: "The provider answered 200, but not with JSON.",
        },
      },
      {
        name: "refused, with the provider's words and our secrets in them",
        result: answer(400, { error: { message: "bad number for key header-secret (body-secret)\u0000\n" } }),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "http_400",
          reason: "The provider answered 400: bad number for key *** (***)",
        },
      },
      {
        name: "too large",
        result: answer(413, "<html>"),
        outcome: { kind: "rejected", code: "http_413", reason: "The provider answered 413." },
      },
      {
        name: "unprocessable",
        result: answer(422, { errors: [{ detail: "number" }] }),
        outcome: {
          kind: "rejected",
          mayBeGatewayFault: true,
          code: "http_422",
          reason: "The provider answered 422: number",
        },
      },
      {
        name: "throttled",
        result: answer(429, "", { "retry-after": "30" }),
        outcome: {
          kind: "deferred",
          code: "http_429",
          reason: "The provider answered 429.",
          retryAfterMs: 30_000,
        },
      },
      {
        name: "bad credentials",
        result: answer(401, "no such key: q/secret-key"),
        outcome: {
          kind: "deferred",
          code: "http_401",
          reason: "The provider answered 401: no such key: ***",
          gatewayFault: "refused",
        },
      },
      {
        name: "redirected",
        result: answer(302, "", { location: "https://elsewhere.test/?api_key=q%2Fsecret-key" }),
        outcome: {
          kind: "deferred",
          code: "http_302",
          reason: "The provider answered 302.",
          gatewayFault: "refused",
        },
      },
      {
        name: "a 500",
        result: answer(500, "oops"),
        outcome: { kind: "unknown", code: "http_500", reason: "The provider answered 500: oops" },
      },
      {
        name: "a definite 503",
        result: answer(503, ""),
        outcome: { kind: "deferred", code: "http_503", reason: "The provider answered 503." },
      },
      {
        name: "a 503 that the adapter does not declare",
        settings: { definite: [] },
        result: answer(503, ""),
        outcome: { kind: "unknown", code: "http_503", reason: "The provider answered 503." },
      },
      {
        name: "an address that the guard refuses",
        result: { kind: "not_sent", code: "url_not_allowed", reason: "10.0.0.1 is a private address" },
        outcome: {
          kind: "deferred",
          code: "url_not_allowed",
          reason: "10.0.0.1 is a private address",
          gatewayFault: "refused",
        },
      },
    ],
    requests: [
      {
        name: "JSON from an object",
        request: {
          method: "POST",
          url: settings.url,
          headers: {
            Authorization: "Bearer header-secret",
            "X-Trace": "msg_01test",
            "content-type": "application/json",
          },
          body: '{"account":"body-secret","messages":[{"to":"+4915112345678","text":"Grüße & 100% {{to}} 🎉","ref":"msg_01test"}],"from":"Acme"}',
        },
      },
      {
        name: "JSON from a text, escaped",
        settings: { body: '{ "to": "{{ to }}", "text": "{{message}}" }', headers: {}, from: undefined },
        message: { content: textOf('say "{{to}}"\n\\') },
        request: {
          method: "POST",
          url: settings.url,
          headers: { "content-type": "application/json" },
          body: '{ "to": "+4915112345678", "text": "say \\"{{to}}\\"\\n\\\\" }',
        },
      },
      {
        name: "a form from fields, with our own content type kept",
        settings: {
          method: "PUT",
          encoding: "form",
          headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
          body: { To: "{{to}}", Text: "{{message}}", flash: false, tag: ["a", 1] },
        },
        request: {
          method: "PUT",
          url: settings.url,
          headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
          body: "To=%2B4915112345678&Text=Gr%C3%BC%C3%9Fe+%26+100%25+%7B%7Bto%7D%7D+%F0%9F%8E%89&flash=false&tag=a&tag=1",
        },
      },
      {
        name: "a form from a text",
        settings: { encoding: "form", headers: {}, body: "n={{to}}&m={{message}}&k=v" },
        message: { content: textOf("a&b=c d+\ud800") },
        request: {
          method: "POST",
          url: settings.url,
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: "n=%2B4915112345678&m=a%26b%3Dc+d%2B%EF%BF%BD&k=v",
        },
      },
      {
        name: "a query, after the one that is there",
        settings: {
          method: "GET",
          encoding: "query",
          headers: {},
          body: { to: "{{to}}", text: "{{message}}" },
        },
        message: { content: textOf("a b#c") },
        request: {
          method: "GET",
          url: `${settings.url}&to=%2B4915112345678&text=a+b%23c`,
          headers: {},
        },
      },
      {
        name: "fields in the URL alone, and a line break on its way into a header",
        settings: {
          method: "GET",
          url: "https://api.provider.test/to/{{to}}/send?text={{message}}",
          headers: { "X-Text": "<{{message}}>" },
          body: undefined,
        },
        message: { content: textOf("a/b ?\r\nX-Evil: é") },
        request: {
          method: "GET",
          url: "https://api.provider.test/to/%2B4915112345678/send?text=a%2Fb%20%3F%0D%0AX-Evil%3A%20%C3%A9",
          headers: { "X-Text": "<a/b ? X-Evil: %C3%A9>" },
        },
      },
    ],
  },
});

test("secrets of every place and spelling are kept out of a reason", async () => {
  const own = httpApi.settings.parse({
    url: "https://api.provider.test/bot77:path-token/send?user=url-user&pass=url%20pass",
    headers: {
      Authorization: `Basic ${Buffer.from("basic-user:basic-pass").toString("base64")}`,
      "X-Key": "pre-{{id}}-post1",
    },
    encoding: "form",
    body: "u=form-user&p=form%2Bpass&to={{to}}&text={{message}}",
  });
  const echoed =
    "basic-user basic-pass bot77:path-token url-user url pass url%20pass url+pass form-user form+pass form%2Bpass pre-x -post1";
  const outcome = await sendOnce(
    httpApi,
    sampleMessage(),
    own,
    toolsWith({ outbound: scriptedOutbound(answer(400, echoed)) }),
  );
  assert.equal(outcome.kind, "rejected");
  assert.match(outcome.reason, /^The provider answered 400: (\*\*\* ?)+x \*\*\*$/);
});
