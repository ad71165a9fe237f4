// Browsers that are known: their cookie is good for one user, one password, one installation and 90 days.

import assert from "node:assert/strict";
import test from "node:test";
import { createDeviceToken, deviceTtlMs, hasCurrentPassword, readDeviceToken } from "#identity/device.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../harness.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom(1));
const elsewhere = createSealer("another master key, only used in tests", seededRandom(1));
const ann = { email: "ann@acme.test", password: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$dGFn" };
const now = 1_767_225_600_000;

test("what was made is read back, and knows its user", () => {
  const text = createDeviceToken(sealer, ann, now);
  const device = readDeviceToken(sealer, text, ann.email, now);
  assert.ok(device);
  assert.equal(hasCurrentPassword(sealer, device, ann), true);
  assert.equal(readDeviceToken(sealer, createDeviceToken(sealer, ann, now), ann.email, now)?.id, device.id);
});

test("it holds neither the password's hash nor the address", () => {
  const text = createDeviceToken(sealer, ann, now);
  assert.match(text, /^[\w-]+\.[\w-]{22}\.[\w-]{43}$/);
  const bytes = text.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
  for (const secret of ["ann", "acme", "argon2", "c2FsdA", "dGFn", "salt", "tag"])
    assert.equal(
      [text, ...bytes].some((part) => part.includes(secret)),
      false,
      secret,
    );
});

test("for another address, from another installation, too old, from the future, or changed: nothing", () => {
  const text = createDeviceToken(sealer, ann, now);
  assert.equal(readDeviceToken(sealer, text, "bob@acme.test", now), null);
  assert.equal(readDeviceToken(elsewhere, text, ann.email, now), null);
  assert.ok(readDeviceToken(sealer, text, ann.email, now + deviceTtlMs - 1));
  assert.equal(readDeviceToken(sealer, text, ann.email, now + deviceTtlMs), null);
  assert.equal(readDeviceToken(sealer, text, ann.email, now - 1), null);
  const [time = "", mark = "", mac = ""] = text.split(".");
  for (const changed of [
    null,
    "",
    "x",
    mac,
    `${(now + 1).toString(36)}.${mark}.${mac}`,
    `${time}.${"A".repeat(22)}.${mac}`,
    `${time}.${mark}.${"A".repeat(43)}`,
    `${time}.${mark}.${mac}=`,
    ` ${text}`,
    `${text}.${mac}`,
  ])
    assert.equal(readDeviceToken(sealer, changed, ann.email, now), null, String(changed));
});

test("with another password it is read, and is not the user's any more", () => {
  const device = readDeviceToken(sealer, createDeviceToken(sealer, ann, now), ann.email, now);
  assert.ok(device);
  // The same password anew: another salt, and so another hash.
  assert.equal(hasCurrentPassword(sealer, device, { ...ann, password: `${ann.password}x` }), false);
});
