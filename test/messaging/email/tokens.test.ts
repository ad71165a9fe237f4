// Tokens in mails: each says what it was made to say, to its own purpose and installation, and nothing else passes.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  clickTarget,
  clickToken,
  maxTargetLength,
  openToken,
  readClickToken,
  readOpenToken,
  readReturnPath,
  readUnsubscribeToken,
  returnPathOf,
  unsubscribeToken,
} from "#messaging/email/tokens.ts";
import { createIds } from "#runtime/ids.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";

const random = seededRandom(3);
const sealer = createSealer("a master key that is only used in tests", random);
const other = createSealer("another master key, only used in tests..", random);
const newId = createIds(movableClock(), random);
const id = newId("msg");
const target = "https://shop.test/a?b=c&d=ü#e";
const mail = { messageId: id, accountId: "acc_1", recipient: "ann@example.com" };

test("what is written is read, the same every time", () => {
  assert.equal(readOpenToken(sealer, openToken(sealer, id)), id);
  const href = clickTarget(target)!;
  assert.deepEqual(readClickToken(sealer, clickToken(sealer, id, href)), { messageId: id, target: href });
  assert.deepEqual(readUnsubscribeToken(sealer, unsubscribeToken(sealer, mail)), mail);
  assert.equal(readReturnPath(sealer, returnPathOf(sealer, id, "b.example.com")), id);
  assert.equal(openToken(sealer, id), openToken(sealer, id));
});

test("a return path is a lower-case address of at most 64 characters before its @, in any case", () => {
  const address = returnPathOf(sealer, id, "b.example.com");
  const [local = ""] = address.split("@");
  assert.ok(local.length <= 64);
  assert.equal(local, local.toLowerCase());
  assert.equal(readReturnPath(sealer, address.toUpperCase()), id);
  assert.equal(readReturnPath(sealer, address.replace("b+", "c+")), null);
  assert.equal(readReturnPath(sealer, local), null);
  assert.equal(readReturnPath(sealer, `x${address}`), null);
});

test("a token is worth nothing for another purpose, another message or another installation", () => {
  const token = openToken(sealer, id);
  const href = clickTarget(target)!;
  assert.equal(readClickToken(sealer, token), null);
  assert.equal(readUnsubscribeToken(sealer, token), null);
  assert.equal(readReturnPath(sealer, `b+${token}@x.test`), null);
  assert.equal(readOpenToken(sealer, clickToken(sealer, id, href)), null);
  assert.equal(readOpenToken(other, token), null);
  const foreign = openToken(sealer, newId("msg"));
  assert.equal(readOpenToken(sealer, token.slice(0, 27) + foreign.slice(27)), null);
});

test("no changed token passes: each character, the length, the payload, junk", () => {
  const href = clickTarget(target)!;
  const token = clickToken(sealer, id, href);
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === "a" ? "b" : "a") + token.slice(at + 1);
    assert.equal(readClickToken(sealer, changed), null, `at ${at}`);
  }
  const evil = Buffer.from("https://evil.test/").toString("base64url");
  const tampered = [
    token.slice(0, 53) + evil,
    `${token}${evil}`,
    `${token}A`,
    `${token}=`,
    token.slice(0, -1),
    token.slice(0, 53),
    token.toUpperCase(),
    `${token}?u=https://evil.test`,
    `${token}\r\nSet-Cookie: a=b`,
    `${token}/../${evil}`,
    evil,
    "",
    "1",
    "a".repeat(1_000_000),
  ];
  for (const each of tampered) assert.equal(readClickToken(sealer, each), null, each.slice(0, 100));
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (junk) => {
      assert.equal(readOpenToken(sealer, junk), null);
      assert.equal(readClickToken(sealer, junk), null);
      assert.equal(readUnsubscribeToken(sealer, junk), null);
      assert.equal(readReturnPath(sealer, junk), null);
    }),
  );
});

test("targets are http and https, in ASCII, fit for a header, and not too long", () => {
  assert.equal(clickTarget(target), "https://shop.test/a?b=c&d=%C3%BC#e");
  assert.match(clickTarget(" HTTP://Ünïcode.example/ ") ?? "", /^http:\/\/xn--[a-z0-9-]+\.example\/$/);
  for (const bad of [
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.test/",
    "/relative",
    "mailto:a@b.test",
    "https://",
    "ftp://a.test/",
    `https://a.test/${"x".repeat(maxTargetLength)}`,
  ])
    assert.equal(clickTarget(bad), null, bad.slice(0, 40));
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (tail) => {
      const made = clickTarget(`https://a.test/${tail}`);
      if (made === null) return;
      assert.match(made, /^https?:\/\/[\x21-\x7e]+$/);
      assert.equal(readClickToken(sealer, clickToken(sealer, id, made))?.target, made);
    }),
  );
});
