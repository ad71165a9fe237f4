// What is replaced before anything is stored, by its form, and what resembles it and stays.

import assert from "node:assert/strict";
import test from "node:test";
import { redaction } from "#ai/content-log/redact.ts";
import type { RedactedKind } from "#contract/manage/pools/content-log.ts";

const replaced = (kind: RedactedKind, text: string) => redaction([kind]).text(text, null);

test("keys, tokens, logins and private keys are secrets, and ordinary text is kept", () => {
  for (const [text, shown] of [
    ["use sk-proj-abcdefghij0123456789 now", "use [secret] now"],
    ["AKIAIOSFODNN7EXAMPLE!", "[secret]!"],
    ["token xoxb-123456789012-abcdef", "token [secret]"],
    ["glpat-abcdefghij0123456789", "[secret]"],
    ["github_pat_11ABCDEFG0abcdefghij", "[secret]"],
    ["tlm_0123456789abcdef0123", "[secret]"],
    ["Authorization: Bearer abc123def456", "Authorization: Bearer [secret]"],
    ['{"api_key":"short1"}', '{"api_key":"[secret]"}'],
    ["password: hunter22", "password: [secret]"],
    ["postgres://app:hunter2@db.test/app?x=1", "postgres://[secret]@db.test/app?x=1"],
    ["postgres://u:p@ss@db.test/app", "postgres://[secret]@db.test/app"],
    ["amqp://u:@@a@@b@db.test and ann@db.test", "amqp://[secret]@db.test and ann@db.test"],
    ["a -----BEGIN RSA PRIVATE KEY-----\nMIIE+/a=\n-----END RSA PRIVATE KEY----- b", "a [secret]"],
    ["cut -----BEGIN PRIVATE KEY-----\nMIIE", "cut [secret]"],
  ] as const) {
    const [beginning] = shown.split("[secret]");
    const result = replaced("secret", text);
    assert.ok(result.startsWith(beginning!) && result.includes("[secret]"), `${text}: ${result}`);
    if (!text.includes("-----END")) assert.equal(result, shown);
    assert.ok(!result.includes("MIIE"));
  }
  for (const text of [
    "Please summarise the key points of this token economy.",
    "see https://example.test/a?page=2#top",
    "max_tokens: 100000",
    "ask-me-anything, task_list, risk-free",
  ])
    assert.equal(replaced("secret", text), text);
});

test("email addresses, card numbers by their check digit, and phone numbers", () => {
  assert.equal(
    replaced("email", "to ada.b+c@mail.example.test, or jörg@bücher.test."),
    "to [email], or [email].",
  );
  assert.equal(replaced("email", "@ada and a@b stay"), "@ada and a@b stay");
  assert.equal(replaced("card", "4111 1111 1111 1111 or 5555-5555-5555-4444"), "[card] or [card]");
  assert.equal(
    replaced("card", "4111 1111 1111 1112 and 20261126123456"),
    "4111 1111 1111 1112 and 20261126123456",
  );
  for (const number of [
    "+49 30 901820",
    "+1 (415) 555-0132",
    "0049 170 1234567",
    "030 901820-12",
    "(415) 555-0132",
  ])
    assert.equal(replaced("phone", `call ${number} now`), "call [phone] now", number);
  for (const text of ["on 2026-11-26 at 12:30", "version 1.2.3", "a 64 KiB file", "id 1234567890"])
    assert.equal(replaced("phone", text), text);
});

test("each kind is replaced alone or with others, and what was found is known", () => {
  const text = "ada@x.test 4111111111111111 sk-abcdefghij0123456789";
  const none = redaction([]);
  assert.equal(none.text(text, "authorization"), text);
  assert.deepEqual([...none.found], []);
  const all = redaction(["phone", "card", "email", "secret"]);
  assert.equal(all.text(text, null), "[email] [card] [secret]");
  assert.deepEqual([...all.found].sort(), ["card", "email", "secret"]);
});

test("a text under the name of a secret is one, of any form", () => {
  for (const name of ["authorization", "api_key", "x-api-key", "client_secret", "Password", "access_token"])
    assert.equal(redaction(["secret"]).text("plain", name), "[secret]", name);
  for (const name of ["token", "max_tokens", "content", "prompt_cache_key", "name"])
    assert.equal(redaction(["secret"]).text("plain", name), "plain", name);
  assert.equal(redaction(["email"]).text("plain", "password"), "plain");
});

test("in a text that is JSON, names tell secrets too, also in JSON within it, and the rest stays", () => {
  const of = redaction(["secret"]);
  const inner = JSON.stringify({ passphrase: "correct horse battery", limit: 3 });
  for (const [text, shown] of [
    ['{"password": "a b c", "to": "x"}', '{"password":"[secret]","to":"x"}'],
    ['[{"client_secret": ["ab", "cd"]}]', '[{"client_secret":["[secret]","[secret]"]}]'],
    [JSON.stringify({ args: inner }), JSON.stringify({ args: '{"passphrase":"[secret]","limit":3}' })],
    ['{"password": 1234}', '{"password":"[secret]"}'],
    ['{ "a" : 1.50 }', '{ "a" : 1.50 }'],
    ['{"password": "a b"', '{"password": "a b"'],
  ] as const)
    assert.equal(of.text(text, "arguments"), shown);
  const deep = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
  assert.equal(of.text(deep, null), deep);
  assert.equal(of.text(String.raw`see {\"password\": \"hunter22\"}`, null).includes("hunter"), false);
});

test("numbers are replaced where they are cards or secrets by their name", () => {
  const of = redaction(["secret", "card", "phone"]);
  assert.equal(of.scalar(4111111111111111, "number"), "[card]");
  assert.equal(of.scalar(1234, "password"), "[secret]");
  for (const value of [4111111111111112, 0.05123456789, 0, null, true])
    assert.equal(of.scalar(value, "x"), value);
});
