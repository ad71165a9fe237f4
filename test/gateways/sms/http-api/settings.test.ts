// What the settings of an `http-api` gateway refuse, and that a refusal repeats no secret.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { httpApi } from "#gateways/sms/http-api/http-api.ts";
import { refusals } from "../../conformance.ts";
import { secrets, settings, token } from "./http-api-example.ts";

describe("http-api: settings", () => {
  refusals(httpApi, [
    { settings: {}, path: "url", says: /expected string/i },
    { settings: { ...settings, url: "ftp://api.provider.test" }, path: "url", says: /http/ },
    { settings: { ...settings, url: "https://{{to}}.provider.test/" }, path: "url", says: /host/ },
    { settings: { ...settings, url: "https://api.provider.test:99999/" }, path: "url", says: /valid URL/ },
    { settings: { ...settings, url: "https://api.provider.test/#part" }, path: "url", says: /fragment/ },
    { settings: { ...settings, method: "DELETE" }, path: "method", says: /POST/ },
    { settings: { ...settings, method: "GET" }, path: "encoding", says: /query/ },
    {
      settings: { ...settings, headers: { "X-Key": "a\r\nHost: b" } },
      path: "headers.X-Key",
      says: /one line/,
    },
    { settings: { ...settings, headers: { "X-Key": "ключ" } }, path: "headers.X-Key", says: /ASCII/ },
    { settings: { ...settings, headers: { "X Key": "a" } }, path: "headers.X Key", says: /./ },
    {
      settings: { ...settings, headers: { "Content-Length": "1" } },
      path: "headers.Content-Length",
      says: /./,
    },
    { settings: { ...settings, headers: { "X-Key": 1 } }, path: "headers.X-Key", says: /string/ },
    { settings: { ...settings, body: 1 }, path: "body", says: /text, an object or a list/ },
    { settings: { ...settings, body: { text: "{{message}}" } }, path: "body", says: /\{\{to\}\}/ },
    { settings: { ...settings, body: { to: "{{to}}" } }, path: "body", says: /\{\{message\}\}/ },
    { settings: { ...settings, body: '{"to":{{to}},"text":"{{message}}"' }, path: "body", says: /JSON/ },
    { settings: { ...settings, encoding: "form" }, path: "body", says: /fields/ },
    { settings: { ...settings, encoding: "xml" }, path: "encoding", says: /json/ },
    { settings: { ...settings, from: undefined }, path: "from", says: /\{\{from\}\}/ },
    { settings: { ...settings, definite: [200] }, path: "definite.0", says: /400/ },
    { settings: { ...settings, definite: "503" }, path: "definite", says: /array/ },
    { settings: { ...settings, timeout_ms: 500 }, path: "timeout_ms", says: /1000/ },
    { settings: { ...settings, success: { status: "3xx" } }, path: "success.status", says: /2xx/ },
    { settings: { ...settings, success: { status: 404 } }, path: "success.status", says: /2xx/ },
    { settings: { ...settings, success: { reference: "id" } }, path: "success.reference", says: /\$\.id/ },
    { settings: { ...settings, success: { path: "$.ok" } }, path: "success.equals", says: /together/ },
    { settings: { ...settings, success: { refused: ["9"] } }, path: "success.path", says: /refused/ },
    { settings: { ...settings, success: { typo: 1 } }, path: "success", says: /typo/ },
    {
      settings: { ...settings, callback: { ...settings.callback, token: "" } },
      path: "callback.token",
      says: /./,
    },
    {
      settings: { ...settings, callback: { ...settings.callback, status: undefined } },
      path: "callback.status",
      says: /./,
    },
    {
      settings: { ...settings, callback: { token, status: "$.state" } },
      path: "callback.reference",
      says: /id/,
    },
    {
      settings: { ...settings, callback: { ...settings.callback, delivered: [{}] } },
      path: "callback.delivered.0",
      says: /text/,
    },
  ]);
});

test("nothing of the settings is in what the schema says about wrong ones", () => {
  const wrong = {
    ...settings,
    method: "TRACE",
    headers: { "X-Key": "header-secret\n" },
    body: 7,
    success: "x",
    definite: ["y"],
  };
  const result = httpApi.settings.safeParse(wrong);
  assert.equal(result.success, false);
  for (const secret of secrets) assert.ok(!JSON.stringify(result.error.issues).includes(secret), secret);
});
