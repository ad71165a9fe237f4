// The list of models: the pool first, then what members that are up serve, each once, as far as the key may.

import assert from "node:assert/strict";
import test from "node:test";
import { MemberHealth } from "#ai/health/health.ts";
import type { Pool } from "#ai/pools/member.ts";
import { listModels } from "#ai/pools/models.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { poolKey } from "./pool-keys.ts";

const member = (name: string, models: string[], more: object = {}) => ({
  name,
  models,
  embedding_models: [],
  provider: { embeds: true, forwards: [] },
  image_models: [],
  speech_models: [],
  transcription_models: [],
  moderation_models: [],
  rerank_models: [],
  aliases: {},
  active: true,
  health: new MemberHealth(),
  ...more,
});

const poolOf = (...members: object[]) =>
  ({ name: "default", createdAt: 1_767_225_600_999, members }) as unknown as Pool;

const clock = movableClock();
const ids = (pool: Pool, models: string[] | null = null) =>
  listModels(pool, poolKey({ models }), clock).map(({ id, owner }) => `${id} by ${owner}`);

test("each model once, by the first that has it, embeddings too; switched-off members are not asked for theirs", () => {
  const pool = poolOf(
    member("one", ["a", "b"], { embedding_models: ["e"] }),
    member("two", ["b", "c"]),
    member("off", ["d"], { active: false }),
  );
  assert.deepEqual(ids(pool), ["default by trunkline", "a by one", "b by one", "e by one", "c by two"]);
  assert.deepEqual(ids(pool, ["c", "x"]), ["default by trunkline", "c by two"]);
  assert.deepEqual(listModels(pool, poolKey(), clock)[0], {
    id: "default",
    created: 1_767_225_600,
    owner: "trunkline",
    completes: true,
    embeds: true,
  });
});

test("what can be done with a model is what the members that are up do with it, and the pool does all of that", () => {
  const both = { embedding_models: ["e"], aliases: { small: "e" } };
  const listed = (...members: object[]) =>
    listModels(poolOf(...members), poolKey(), clock).map(({ id, completes, embeds }) => [
      id,
      completes,
      embeds,
    ]);
  assert.deepEqual(listed(member("one", ["a"], both)), [
    ["default", true, true],
    ["a", true, false],
    ["e", false, true],
    ["small", false, true],
  ]);
  assert.deepEqual(
    listed(member("one", [], { image_models: ["i"] }), member("off", ["a"], { active: false })),
    [
      ["default", false, false],
      ["i", false, false],
    ],
  );
  // The second member serves the name in another way than the first.
  const later = listed(member("one", ["a"]), member("two", [], { embedding_models: ["a"] }));
  assert.deepEqual(later.at(-1), ["a", true, true]);
});

test("aliases are listed beside their models, and a key for one name sees all of them", () => {
  const pool = poolOf(member("one", ["prod", "b"], { aliases: { mini: "prod" } }), member("two", ["mini"]));
  const all = ["default by trunkline", "prod by one", "mini by one", "b by one"];
  assert.deepEqual(ids(pool), all);
  assert.deepEqual(ids(pool, ["mini"]), ["default by trunkline", "prod by one", "mini by one"]);
  assert.deepEqual(ids(pool, ["prod"]), ["default by trunkline", "prod by one", "mini by one"]);
});

test("a member that is down, or has been found to lack a model, does not list it", () => {
  const down = new MemberHealth();
  for (let i = 0; i < 5; i++) down.failed(down.begin(0), 0, "upstream_error", null);
  const lacking = new MemberHealth();
  lacking.modelMissing(lacking.begin(0), 0, "b");
  const pool = poolOf(member("one", ["a"], { health: down }), member("two", ["b", "c"], { health: lacking }));
  assert.deepEqual(ids(pool), ["default by trunkline", "c by two"]);
});

test("a model that is limited is left out while it rests, and the member's other ones are not", () => {
  const limited = new MemberHealth();
  limited.failed(limited.begin(0), 0, "rate_limited", 5_000, "a");
  const pool = poolOf(member("one", ["a", "b"], { health: limited }));
  assert.deepEqual(ids(pool), ["default by trunkline", "b by one"]);
});
