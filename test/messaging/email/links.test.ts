// What mails are given: only what the gateway asks for, the same at every attempt, and nothing that cannot be reached.

import assert from "node:assert/strict";
import test from "node:test";
import { createTrackingExtras, type LinkSettings, mailLinks } from "#messaging/email/links.ts";
import {
  readClickToken,
  readOpenToken,
  readReturnPath,
  readUnsubscribeToken,
} from "#messaging/email/tokens.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom());
const publicUrl = "https://t.test/base";
const messageId = "msg_01k3j5m8q2x9v7n4c6b0d1f3gh";
const mail = { messageId, accountId: "acc_1", recipient: "ann@example.com" };
const off: LinkSettings = { tracking: { opens: false, clicks: false }, unsubscribe: false };
const on: LinkSettings = {
  tracking: { opens: true, clicks: true },
  unsubscribe: true,
  return_path_domain: "b.example.com",
};
const html = '<body><a href="https://shop.test/?a=1&amp;b=2">x</a></body>';

test("nothing that is not asked for", () => {
  const links = mailLinks({ sealer, publicUrl }, mail, off);
  assert.equal(links.pixelUrl, null);
  assert.equal(links.clickUrl("https://shop.test/"), null);
  assert.deepEqual(links.unsubscribeHeaders, []);
  assert.equal(links.returnPath, null);
});

test("what is asked for leads back to this very message", () => {
  const links = mailLinks({ sealer, publicUrl }, mail, on);
  const after = (prefix: string, url: string | null) => {
    assert.ok(url !== null);
    assert.ok(url.startsWith(`${publicUrl}${prefix}`), url);
    return url.slice(publicUrl.length + prefix.length);
  };
  assert.equal(readOpenToken(sealer, after("/t/o/", links.pixelUrl)), messageId);
  const target = "https://shop.test/?a=1&b=2";
  assert.equal(readClickToken(sealer, after("/t/c/", links.clickUrl(target)))?.target, target);
  assert.equal(readReturnPath(sealer, links.returnPath ?? ""), messageId);
  const [[name, value] = ["", ""], post] = links.unsubscribeHeaders;
  assert.equal(name, "List-Unsubscribe");
  assert.deepEqual(post, ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"]);
  assert.deepEqual(readUnsubscribeToken(sealer, after("/u/", /^<(.*)>$/.exec(value)?.[1] ?? null)), mail);
});

test("our own links, what is no web page, and what is too long are left alone", () => {
  const { clickUrl } = mailLinks({ sealer, publicUrl }, mail, on);
  for (const target of [
    `${publicUrl}/u/abc`,
    `${publicUrl}/t/c/abc`,
    "mailto:a@b.test",
    `https://a.test/${"x".repeat(3000)}`,
  ])
    assert.equal(clickUrl(target), null, target.slice(0, 50));
  assert.notEqual(clickUrl(`${publicUrl}/shop`), null);
});

test("one click takes https", () => {
  const { unsubscribeHeaders } = mailLinks({ sealer, publicUrl: "http://t.test" }, mail, on);
  assert.deepEqual(
    unsubscribeHeaders.map(([name]) => name),
    ["List-Unsubscribe"],
  );
});

test("headers are one line of ASCII, whoever the recipient is", () => {
  const { unsubscribeHeaders } = mailLinks(
    { sealer, publicUrl },
    { ...mail, recipient: "o'hara+{x}@xn--4ca.example" },
    on,
  );
  for (const [, value] of unsubscribeHeaders) assert.match(value, /^[\x21-\x7e]+$/);
});

test("a mail gets the same additions at every attempt, its text none, and its recipient as the list has it", () => {
  const add = createTrackingExtras({ sealer, publicUrl, log: memoryLog() });
  const first = add({ ...mail, recipient: "Ann@Example.COM", html, settings: on });
  assert.deepEqual(add({ ...mail, html, settings: on }), first);
  assert.match(
    first.html ?? "",
    /^<body><a href="https:\/\/t\.test\/base\/t\/c\/1[\w-]+">x<\/a><img src="https:[^"]+"[^>]*><\/body>$/,
  );
  assert.equal(add({ ...mail, html: null, settings: on }).html, null);
  assert.equal(add({ ...mail, html, settings: off }).html, html);
  const other = add({ ...mail, messageId: "msg_01k3j5m8q2x9v7n4c6b0d1f3gj", html, settings: on });
  assert.notEqual(other.html, first.html);
});

test("without a public URL mails go out as they are, which is said once", () => {
  const log = memoryLog();
  const add = createTrackingExtras({ sealer, publicUrl: null, log });
  for (let i = 0; i < 3; i++) {
    const { html: same, headers, returnPath } = add({ ...mail, html, settings: on });
    assert.deepEqual([same, headers], [html, []]);
    assert.equal(readReturnPath(sealer, returnPath ?? ""), messageId);
  }
  assert.equal(log.lines().filter(({ level }) => level === "warn").length, 1);
});
