// Slowing guessers down without locking anybody out.

import assert from "node:assert/strict";
import test from "node:test";
import { createCredentialThrottle } from "#http/auth/credential-throttle.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("sixty wrong ones a minute, then one a second; another client is not touched", async () => {
  const clock = movableClock();
  const wrong = createCredentialThrottle(clock);
  for (let i = 0; i < 60; i++) {
    assert.equal(wrong.wait("a", `h${i}`), 0);
    assert.equal(wrong.record("a", `h${i}`, false), 0);
  }
  assert.equal(wrong.wait("a", "h"), 1_000);
  assert.equal(wrong.wait("a", "h"), 1_000, "looking costs nothing");
  assert.equal(wrong.wait("b", "h"), 0);
  await clock.advance(1_000);
  assert.equal(wrong.wait("a", "h"), 0);
  wrong.record("a", "h", false);
  assert.equal(wrong.wait("a", "h"), 1_000);
});

test("what was right in the last ten minutes is always looked up, until it is wrong", async () => {
  const clock = movableClock();
  const wrong = createCredentialThrottle(clock);
  const exhaust = () => {
    for (let i = 0; i < 61; i++) wrong.record("a", "guess", false);
  };
  wrong.record("a", "mine", true);
  exhaust();
  assert.equal(wrong.wait("a", "mine"), 0);
  await clock.advance(599_999);
  exhaust();
  assert.equal(wrong.wait("a", "mine"), 0);
  await clock.advance(1);
  exhaust();
  assert.ok(wrong.wait("a", "mine") > 0);
  wrong.record("a", "revoked", true);
  wrong.record("a", "revoked", false);
  assert.ok(wrong.wait("a", "revoked") > 0);
});

test("right ones cost nothing", () => {
  const wrong = createCredentialThrottle(movableClock());
  for (let i = 0; i < 1_000; i++) assert.equal(wrong.record("a", `h${i}`, true), 0);
  assert.equal(wrong.wait("a", "h"), 0);
});
