// The list of gateways, and looking one up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters, contentsOf, findAdapter } from "#gateways/registry.ts";

test("a gateway is found by kind, for its own channels only", () => {
  assert.equal(findAdapter("sandbox", "email")?.kind, "sandbox");
  assert.equal(findAdapter("twilio", "sms")?.kind, "twilio");
  assert.equal(findAdapter("http-api", "sms")?.kind, "http-api");
  assert.equal(findAdapter("twilio", "email"), null);
  assert.equal(findAdapter("Twilio", "sms"), null);
  assert.equal(findAdapter("constructor", "sms"), null);
});

test("every gateway can send what its channels consist of", () => {
  for (const { kind, channels, contents } of adapters) {
    assert.equal(new Set(contents).size, contents.length, kind);
    for (const channel of channels)
      assert.ok(contents.includes(channel === "email" ? "email" : "text"), `${kind}, ${channel}`);
  }
  assert.deepEqual(contentsOf("sandbox", "sms"), ["text", "media", "list", "template", "email"]);
  assert.deepEqual(contentsOf("smtp", "email"), ["email"]);
  assert.deepEqual([contentsOf("smtp", "sms"), contentsOf("none", "sms")], [[], []]);
});

test("kinds are unique and named for the wire", () => {
  const kinds = adapters.map((gateway) => gateway.kind);
  assert.equal(new Set(kinds).size, kinds.length);
  for (const kind of kinds) assert.match(kind, /^[a-z\d]+(-[a-z\d]+)*$/);
  for (const gateway of adapters)
    assert.ok(gateway.title !== "" && /\.$/.test(gateway.summary), gateway.kind);
});

test("an adapter says how long a call may take, and one of email who mails are from", () => {
  for (const adapter of adapters) {
    // A session that is held knows its own limits.
    const isLocal = adapter.kind === "sandbox" || adapter.connection !== "on_demand";
    const settings = { from: "news@example.com", host: "mail.example.com", timeout_ms: 7000 };
    assert.equal(
      adapter.mail?.sender(settings) !== undefined,
      adapter.contents.includes("email"),
      adapter.kind,
    );
    assert.equal(adapter.timeoutMs(settings), isLocal ? 30_000 : 7000, adapter.kind);
  }
  assert.equal(
    findAdapter("smtp", "email")?.mail?.sender({ from: "a@b.test", host: "mail.b.test" })?.host,
    "mail.b.test",
  );
  assert.equal(findAdapter("brevo", "email")?.mail?.sender({ from: "a@b.test", host: "x" })?.host, null);
});
