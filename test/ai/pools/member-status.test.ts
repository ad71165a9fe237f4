// How a member is doing: the times of its health, which are monotonic, as times of the day.

import assert from "node:assert/strict";
import test from "node:test";
import { rememberedMs } from "#ai/health/refused-parameters.ts";
import { statusOf } from "#ai/pools/member-status.ts";
import { script } from "../scripted-members.ts";

test("a member that was not asked yet is up, and nothing is known of it", () => {
  const { clock, ...it } = script();
  assert.deepEqual(statusOf(it.member("m", []), clock), {
    member: "m",
    state: "up",
    until: null,
    inFlight: 0,
    firstOutputMs: null,
    refused: [],
    lacksResponses: false,
    keys: [],
  });
});

test("a limit and a refusal end at times of the day; the Responses API is missing when every model lacks it", () => {
  const { clock, ...it } = script();
  const member = it.member("m", []);
  const { health } = member;
  const model = member.models[0]!;
  const now = clock.monotonic();
  health.failed(health.begin(now), now, "rate_limited", 5_000);
  health.refused.learn(model, { name: "top_k", valueOnly: false }, { top_k: 1 }, now);
  for (const [at, name] of member.models.entries()) {
    assert.equal(statusOf(member, clock).lacksResponses, false, String(at));
    health.missingApis.learn(name, "responses", now);
  }
  const status = statusOf(member, clock);
  assert.equal(status.state, "cooling_down");
  assert.equal(status.until, clock.now() + 5_000);
  assert.equal(status.refused[0]?.until, clock.now() + rememberedMs);
  assert.equal(status.lacksResponses, true);
});
