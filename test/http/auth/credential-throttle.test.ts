// Slowing guessers down without locking anybody out.

import assert from "node:assert/strict";
import test from "node:test";
import { type CredentialUse, createCredentialThrottle } from "#http/auth/credential-throttle.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("sixty wrong ones a minute, then one a second; another client is not touched", async () => {
  const clock = movableClock();
  const wrong = createCredentialThrottle(clock);
  for (let i = 0; i < 60; i++) {
    assert.equal(wrong.wait("a", "management", `h${i}`), 0);
    assert.equal(wrong.record("a", "management", `h${i}`, false), 0);
  }
  assert.equal(wrong.wait("a", "management", "h"), 1_000);
  assert.equal(wrong.wait("a", "management", "h"), 1_000, "looking costs nothing");
  assert.equal(wrong.wait("b", "management", "h"), 0);
  await clock.advance(1_000);
  assert.equal(wrong.wait("a", "management", "h"), 0);
  wrong.record("a", "management", "h", false);
  assert.equal(wrong.wait("a", "management", "h"), 1_000);
});

test("what was right in the last ten minutes is always looked up, until it is wrong", async () => {
  const clock = movableClock();
  const wrong = createCredentialThrottle(clock);
  const exhaust = () => {
    for (let i = 0; i < 61; i++) wrong.record("a", "management", "guess", false);
  };
  wrong.record("a", "management", "mine", true);
  exhaust();
  assert.equal(wrong.wait("a", "management", "mine"), 0);
  await clock.advance(599_999);
  exhaust();
  assert.equal(wrong.wait("a", "management", "mine"), 0);
  await clock.advance(1);
  exhaust();
  assert.ok(wrong.wait("a", "management", "mine") > 0);
  wrong.record("a", "management", "revoked", true);
  wrong.record("a", "management", "revoked", false);
  assert.ok(wrong.wait("a", "management", "revoked") > 0);
});

test("right ones cost nothing", () => {
  const wrong = createCredentialThrottle(movableClock());
  for (let i = 0; i < 1_000; i++) assert.equal(wrong.record("a", "management", `h${i}`, true), 0);
  assert.equal(wrong.wait("a", "management", "h"), 0);
});

test("a credential that is right for one use stays exempt when it is wrong for another", () => {
  const uses: CredentialUse[] = ["management", "hook", "hook signature", "phone", "smtp"];
  for (const right of uses)
    for (const other of uses.filter((use) => use !== right)) {
      const throttle = createCredentialThrottle(movableClock());
      throttle.record("192.0.2.1", right, "mine", true);
      for (let i = 0; i < 61; i++) throttle.record("192.0.2.1", other, "mine", false);
      assert.equal(throttle.wait("192.0.2.1", right, "mine"), 0, `${right}, wrong for ${other}`);
      assert.ok(throttle.wait("192.0.2.1", other, "mine") > 0);
    }
});

test("the addresses of an IPv6 network are one client, for every use", () => {
  const throttle = createCredentialThrottle(movableClock());
  for (let i = 0; i < 61; i++) throttle.record(`2001:db8::${i + 1}`, "hook", `guess${i}`, false);
  assert.ok(throttle.wait("2001:db8::ffff", "hook", "guess") > 0);
  assert.ok(throttle.wait("2001:db8::ffff", "smtp", "guess") > 0);
  assert.equal(throttle.wait("2001:db8:0:1::1", "hook", "guess"), 0);
});
