// Which deployments share a member, and under which names.

import assert from "node:assert/strict";
import test from "node:test";
import { type Deployment, membersOf, tidied } from "#command-line/import/litellm-members.ts";

const deployment = (group: string, model: string, more: Partial<Deployment> = {}, key = "a"): Deployment => ({
  group,
  kind: "openai",
  target: { model, kind: "openai-compatible", settings: { api_key: key } },
  list: "models",
  priority: 1,
  price: null,
  ...more,
});
const made = (...deployments: Deployment[]) =>
  membersOf(deployments, "")
    .map(tidied)
    .map(({ kind: _, settings: __, ...rest }) => rest);

test("models of one account are one member; another name is an alias; names that contradict need another member", () => {
  assert.deepEqual(
    made(
      deployment("gpt-5", "gpt-5"),
      deployment("fast", "gpt-5-mini"),
      deployment("fast", "gpt-5-nano"),
      deployment("embed", "embed-3", { list: "embedding_models" }),
      deployment("gpt-5", "gpt-5", {}, "b"),
    ),
    [
      {
        name: "openai",
        models: ["gpt-5", "gpt-5-mini"],
        embedding_models: ["embed-3"],
        aliases: { fast: "gpt-5-mini", embed: "embed-3" },
      },
      { name: "openai-2", models: ["gpt-5-nano"], aliases: { fast: "gpt-5-nano" } },
      { name: "openai-3", models: ["gpt-5"] },
    ],
  );
  // A name that is another model there, in either order.
  for (const pair of [
    [deployment("b", "b"), deployment("b", "a")],
    [deployment("b", "a"), deployment("b", "b")],
  ])
    assert.equal(made(...pair).length, 2);
});

test("another priority is another member; prices are by model", () => {
  const price = { input: 1, output: 2 };
  assert.deepEqual(made(deployment("a", "a", { price }), deployment("a", "b", { priority: 2 })), [
    { name: "openai", models: ["a"], prices: { a: price } },
    { name: "openai-2", models: ["b"], aliases: { a: "b" }, priority: 2 },
  ]);
  assert.equal(membersOf([deployment("a", "a")], "-fallback")[0]?.name, "openai-fallback");
});
