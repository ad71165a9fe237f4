// What is remembered of refusals: for how long, of which values, and how much at most.

import assert from "node:assert/strict";
import test from "node:test";
import { RefusedParameters, rememberedMs } from "#ai/health/refused-parameters.ts";

const whole = (name: string) => ({ name, valueOnly: false });
const refusedValue = (name: string) => ({ name, valueOnly: true });

test("by name or by value, of this model alone, until it is over", () => {
  const refused = new RefusedParameters();
  assert.equal(refused.learn("m", whole("top_k"), { top_k: 1 }, 0), true);
  assert.equal(refused.learn("m", refusedValue("temperature"), { temperature: 0.2 }, 0), true);
  assert.deepEqual(refused.of("m", { top_k: 7, temperature: 0.2 }, 0), ["top_k", "temperature"]);
  assert.deepEqual(refused.of("m", { temperature: 0.3 }, 0), []);
  assert.deepEqual(refused.of("other", { top_k: 7 }, 0), []);
  assert.deepEqual(refused.of("m", { top_k: 7 }, rememberedMs), []);
  assert.deepEqual(refused.list(rememberedMs), []);
});

test("the name as a whole takes the place of its values, and a choice of a tool counts by its type", () => {
  const refused = new RefusedParameters();
  const choice = (name: string) => ({ tool_choice: { type: "function", function: { name } } });
  refused.learn("m", refusedValue("tool_choice"), choice("one"), 0);
  assert.deepEqual(refused.of("m", choice("another"), 0), ["tool_choice"]);
  assert.deepEqual(refused.of("m", { tool_choice: "auto" }, 0), []);
  refused.learn("m", whole("tool_choice"), choice("one"), 5);
  assert.deepEqual(
    refused.list(5).map(({ value, until }) => [value, until]),
    [[null, rememberedMs + 5]],
  );
});

test("nothing is learned of what every request has, of what this one lacks, and of long values", () => {
  const refused = new RefusedParameters();
  const body = { model: "m", messages: [], stream: true, input: "x", user: "u".repeat(41), format: { a: 1 } };
  for (const name of ["model", "messages", "stream", "input", "absent", "constructor"])
    assert.equal(refused.learn("m", whole(name), body, 0), false, name);
  for (const name of ["user", "format"])
    assert.equal(refused.learn("m", refusedValue(name), body, 0), false, name);
  assert.equal(refused.learn("m", whole("n".repeat(65)), { ["n".repeat(65)]: 1 }, 0), false);
  assert.deepEqual(refused.list(0), []);
});

test("64 of each model, the newest", () => {
  const refused = new RefusedParameters();
  for (let at = 0; at < 100; at++) refused.learn("m", whole(`p${at}`), { [`p${at}`]: 1 }, at);
  assert.equal(refused.list(100).length, 64);
  assert.equal(refused.list(100)[0]?.parameter, "p36");
});
