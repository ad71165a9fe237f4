// A member's health against a plain model of it, under random sequences of requests, checks and answers.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type HealthTicket, healthRules, MemberHealth } from "#ai/health/health.ts";

const { minCooldownMs } = healthRules;

/** What may happen to a member. */
const step = fc.record({
  ms: fc.integer({ min: 0, max: 12_000 }),
  act: fc.constantFrom(
    "begin",
    "begin",
    "spoke",
    "upstream_error",
    "rate_limited",
    "succeeded",
    "dropped",
    "well",
    "ill",
  ),
  pick: fc.nat({ max: 7 }),
  restMs: fc.option(fc.integer({ min: 0, max: 20_000 })),
});

test("property: one probe at a time, closed only by what began after opening, rests are kept, counts are right", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const health = new MemberHealth();
      // The plain model: who is under way, when it opened, until when it rests.
      const under: { ticket: HealthTicket; startedAt: number; risky: boolean; spoke: boolean }[] = [];
      let openedAt = Number.NEGATIVE_INFINITY;
      let restUntil = 0;
      let now = 0;
      for (const { ms, act, pick, restMs } of steps) {
        now += ms;
        const wasOpen = health.isOpen;
        if (act === "begin") {
          const risky = health.availability(now).kind === "half_open";
          const ticket = health.begin(now);
          assert.equal(ticket.probe, risky);
          under.push({ ticket, startedAt: now, risky, spoke: false });
        } else if (act === "well" || act === "ill") health.checked(now, act === "well");
        else {
          const one = under[pick % Math.max(1, under.length)];
          if (!one) continue;
          if (act === "spoke") {
            if (one.spoke) continue;
            one.spoke = true;
            one.risky = false;
            const closes = wasOpen && one.startedAt >= openedAt;
            assert.equal(health.firstOutput(one.ticket, now, 5), closes);
            assert.equal(health.isOpen, wasOpen && !closes);
            continue;
          }
          under.splice(under.indexOf(one), 1);
          if (act === "upstream_error") {
            const before = health.availability(now);
            const went = health.failed(one.ticket, now, "upstream_error", null);
            if (one.startedAt < openedAt) {
              assert.equal(went, false);
              assert.equal(health.isOpen, wasOpen);
              if (before.kind === "up") assert.equal(health.availability(now).kind, "up");
            }
            if (went || (wasOpen && one.risky && one.startedAt >= openedAt)) openedAt = now;
          } else if (act === "rate_limited") {
            assert.equal(health.failed(one.ticket, now, "rate_limited", restMs), false);
            const asked = Math.max(minCooldownMs, restMs ?? healthRules.defaultCooldownMs);
            restUntil = Math.max(restUntil, now + asked);
          } else if (act === "succeeded") {
            health.succeeded(one.ticket, now);
            assert.equal(health.isOpen, wasOpen);
          } else health.dropped(one.ticket);
        }
        assert.equal(health.inFlight, under.length);
        assert.ok(under.filter(({ risky }) => risky).length <= 1, "one probe at a time");
        const standing = health.availability(now);
        if (restUntil > now)
          assert.deepEqual(standing, { kind: "down", until: restUntil, why: "cooling_down" });
        else assert.equal(standing.kind === "up", !health.isOpen);
      }
    }),
    { numRuns: 500 },
  );
});
