// Which failures count against a member, and for how long it is left alone.

import assert from "node:assert/strict";
import test from "node:test";
import { isTransient, restMs, updateHealth } from "#ai/failover/record-failure.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Failure } from "#providers/provider.ts";
import { script } from "../scripted-members.ts";
import { call } from "./chain-calls.ts";

const failure = (
  kind: Failure["kind"],
  status: number,
  retryAfterMs: number | null = null,
  code: string | null = null,
): Failure => ({ kind, status, retryAfterMs, error: apiError("No.", "server_error", code) });

test("an immediate retry is for 500, 502 and 503 of the vendor without a requested wait", () => {
  const retried = [500, 501, 502, 503, 504, 529].filter((status) =>
    isTransient(failure("upstream_error", status)),
  );
  assert.deepEqual(retried, [500, 502, 503]);
  assert.equal(isTransient(failure("upstream_error", 503, 1_000)), false);
  assert.equal(isTransient(failure("rate_limited", 503)), false);
});

test("a requested wait counts for the member with 429, 503 and 529, and with other server errors for the request alone", () => {
  const rest = (kind: Failure["kind"], status: number) => restMs(failure(kind, status, 9_000));
  assert.equal(rest("rate_limited", 429), 9_000);
  assert.equal(rest("upstream_error", 503), 9_000);
  assert.equal(rest("upstream_error", 529), 9_000);
  assert.equal(rest("upstream_error", 500), null);
});

for (const [kind, status, kinds] of [
  ["invalid_request", 400, ["up", "up"]],
  ["context_length", 400, ["up", "up"]],
  ["content_policy", 400, ["up", "up"]],
  ["unsupported", 501, ["up", "up"]],
  ["model_not_found", 404, ["missing", "up"]],
  ["rate_limited", 429, ["down", "up"]],
  ["unauthorized", 401, ["down", "down"]],
] as const)
  test(`${kind}: the model is ${kinds[0]}, another of the member ${kinds[1]}`, () => {
    const it = script();
    const { deps } = it;
    const [choice] = call([it.member("a", [])]).choices;
    const { health } = choice!.member;
    const now = it.clock.monotonic();
    updateHealth(deps, choice!, health.begin(now), failure(kind, status, 5_000), null);
    const state = (model: string) =>
      health.isModelMissing(model, now) ? "missing" : health.availability(now, model).kind;
    assert.deepEqual([choice!.model, "another-model"].map(state), kinds);
  });
