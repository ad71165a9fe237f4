// What mails are given: only what the gateway asks for, the same at every attempt, and nothing that cannot be reached.

import assert from "node:assert/strict";
import test from "node:test";
import {
  createTrackingExtras,
  type LinkSettings,
  mailLinks,
  needsPublicUrl,
} from "#messaging/email/links.ts";
import {
  readClickToken,
  readOpenToken,
  readReturnPath,
  readUnsubscribeToken,
} from "#messaging/email/tokens.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";

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

test("headers are one line of ASCII, for every recipient", () => {
  const { unsubscribeHeaders } = mailLinks(
    { sealer, publicUrl },
    { ...mail, recipient: "o'hara+{x}@xn--4ca.example" },
    on,
  );
  for (const [, value] of unsubscribeHeaders) assert.match(value, /^[\x21-\x7e]+$/);
});

test("a mail gets the same additions at every attempt, its text none, and its recipient as the list has it", () => {
  const extrasOf = (
    change: { recipient?: string; html?: string | null; messageId?: string },
    settings = on,
  ) => createTrackingExtras({ sealer, publicUrl }, { ...mail, html, ...change }, settings);
  const first = extrasOf({ recipient: "Ann@Example.COM" });
  assert.deepEqual(extrasOf({}), first);
  assert.match(
    first.html ?? "",
    /^<body><a href="https:\/\/t\.test\/base\/t\/c\/1[\w-]+">x<\/a><img src="https:[^"]+"[^>]*><\/body>$/,
  );
  assert.equal(extrasOf({ html: null }).html, null);
  assert.equal(extrasOf({}, off).html, html);
  assert.notEqual(extrasOf({ messageId: "msg_01k3j5m8q2x9v7n4c6b0d1f3gj" }).html, first.html);
});

test("without a public URL mails go out as they are, but for their return path", () => {
  const extras = createTrackingExtras({ sealer, publicUrl: null }, { ...mail, html }, on);
  assert.deepEqual([extras.html, extras.headers], [html, []]);
  assert.equal(readReturnPath(sealer, extras.returnPath ?? ""), messageId);
});

test("a public URL is needed for what leads to it", () => {
  const { tracking } = off;
  assert.equal(needsPublicUrl({ ...off, return_path_domain: "b.example.com" }), false);
  assert.ok(needsPublicUrl({ ...off, unsubscribe: true }));
  assert.ok(needsPublicUrl({ ...off, tracking: { ...tracking, opens: true } }));
  assert.ok(needsPublicUrl({ ...off, tracking: { ...tracking, clicks: true } }));
});
