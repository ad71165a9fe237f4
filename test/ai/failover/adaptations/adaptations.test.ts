// The table of adaptations: which one a failure leads to, that it is used once, and what a failure means in the end.

import assert from "node:assert/strict";
import test from "node:test";
import { adapt, planFor } from "#ai/failover/adaptations/adaptations.ts";
import { Learned } from "#ai/failover/adaptations/learned.ts";
import type { Run } from "#ai/failover/call.ts";
import { MemberKeys } from "#ai/pools/member-keys.ts";
import { vendorFailure } from "#providers/failure/vendor-failure.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { Failure } from "#providers/provider.ts";
import { keyedSettings } from "#providers/several-keys.ts";
import { script } from "../../scripted-members.ts";
import { call } from "../chain-calls.ts";

const unsupported = (more: Partial<Failure>): Failure => ({
  ...vendorFailure("unsupported", 400, "no"),
  ...more,
});

/** An attempt with a request that has a limit, a hint and a tool. The member has two keys. */
function attempts() {
  const it = script();
  const settings = openaiCompatible.settings.parse({
    base_url: "https://api.openai.com/v1",
    api_keys: ["key-one", "key-two"],
  });
  const keys = new MemberKeys(keyedSettings(settings));
  const member = { ...it.member("m", []), provider: openaiCompatible, settings, keys };
  const body = {
    messages: [{ role: "user", content: "hello" }],
    max_tokens: 100,
    temperature: 0.5,
    tools: [{ type: "function", function: { name: "f" } }],
  };
  const asked = call([member], "chat", { body, text: JSON.stringify(body), pool: { params: "adapt" } });
  const choice = asked.choices[0]!;
  const run: Run = {
    startedAt: 0,
    attempts: [],
    failures: [],
    excluded: [],
    attemptedIds: [],
    last: null,
    learned: new Learned(),
    failedBy: null,
  };
  const request = { text: asked.text, body, model: choice.model, stream: false };
  return (failure: Failure) => {
    const plan = planFor(it.deps, asked, choice, run, 0);
    const refused = member.health.refused.of(choice.model, body, 0);
    return adapt({ deps: it.deps, call: asked, run, choice, plan, request, refused, now: 0 }, failure);
  };
}

const table: readonly [name: string | null, failure: Failure][] = [
  ["answer limit", unsupported({ outputLimit: 10 })],
  [null, unsupported({ outputLimit: 100 })],
  ["tools API", unsupported({ toolsApiRequired: true })],
  ["next key", vendorFailure("rate_limited", 429, "slow down")],
  ["next key", vendorFailure("unauthorized", 401, "who?")],
  ["refused parameter", unsupported({ refused: { name: "temperature", valueOnly: false } })],
  [null, unsupported({ refused: { name: "messages", valueOnly: false } })],
  [null, vendorFailure("upstream_error", 500, "broken")],
  [null, vendorFailure("invalid_request", 400, "wrong")],
];

for (const [name, failure] of table)
  test(`${JSON.stringify({ ...failure, error: undefined })}: ${name ?? "no adaptation"}`, () => {
    const fail = attempts();
    const first = fail(failure);
    assert.equal(first.adaptation?.name ?? null, name);
    assert.equal(first.adaptation?.ignoredByHealth ?? false, name === "next key");
    assert.equal(fail(failure).adaptation, null);
  });

test("when all keys are refused, the member rests until the first may be tried again", () => {
  const fail = attempts();
  const refused = vendorFailure("unauthorized", 401, "who?");
  assert.equal(fail(refused).keysRestMs, undefined);
  const last = fail(refused);
  assert.equal(last.failure.kind, "unauthorized");
  assert.ok(last.keysRestMs !== undefined && last.keysRestMs > 0);
});
