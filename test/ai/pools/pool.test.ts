// Whom a pool asks: what narrows it, in which order, and with which shares.

import assert from "node:assert/strict";
import test from "node:test";
import { MemberHealth } from "#ai/health/health.ts";
import { type Candidate, type Choice, eligibleMembers, embeddingMembers, order } from "#ai/pools/pool.ts";
import { seededRandom } from "../../harness.ts";

interface Embedding extends Candidate {
  embedding_models: readonly string[];
}

function member(name: string, more: Partial<Embedding> = {}): Embedding {
  return {
    id: name,
    name,
    priority: 1,
    weight: 1,
    active: true,
    models: [`${name}-large`, "shared"],
    embedding_models: [],
    aliases: {},
    health: new MemberHealth(),
    ...more,
  };
}

const asked = { model: null, poolName: "pool", strict: false, allowed: null } as const;
const shown = (served: ReturnType<typeof eligibleMembers<Embedding>>) =>
  served.kind === "unknown_model"
    ? served.kind
    : served.choices.map((one) => `${one.member.name}:${one.model}`);

test("no model, the pool's name and an unknown name mean the whole pool; a name that is served says who is first", () => {
  const members = [member("a"), member("b"), member("off", { active: false })];
  const whole = ["a:a-large", "b:b-large"];
  for (const model of [null, "pool", "gpt-unheard-of", "off-large"])
    assert.deepEqual(shown(eligibleMembers(members, { ...asked, model })), whole, `${model}`);
  const named = eligibleMembers(members, { ...asked, model: "b-large" });
  assert.deepEqual(shown(named), ["b:b-large", "a:a-large"]);
  assert.ok(named.kind === "choices");
  assert.deepEqual(names(order(named.choices, 0, () => 0)), ["b", "a"]);
  const strict = { ...asked, strict: true, model: "b-large" };
  assert.deepEqual(shown(eligibleMembers(members, strict)), ["b:b-large"]);
  assert.deepEqual(shown(eligibleMembers(members, { ...asked, model: "shared" })), ["a:shared", "b:shared"]);
});

test("an alias is another name of a model, at each member for its own", () => {
  const members = [
    member("azure", { models: ["prod-mini", "prod-big"], aliases: { mini: "prod-mini", big: "prod-big" } }),
    member("openai", { models: ["big", "mini"] }),
    member("other", { models: ["prod-mini"], aliases: { small: "prod-mini" } }),
  ];
  const choices = (model: string, more: object = {}) =>
    shown(eligibleMembers(members, { ...asked, strict: true, model, ...more }));
  assert.deepEqual(choices("mini"), ["azure:prod-mini", "openai:mini"]);
  assert.deepEqual(
    choices("prod-big"),
    ["azure:prod-big", "openai:big"],
    "by the name that one member has for it",
  );
  assert.deepEqual(choices("small"), ["other:prod-mini"]);
  assert.deepEqual(choices("toString"), "unknown_model");
  assert.deepEqual(choices("mini", { strict: false }), ["azure:prod-mini", "openai:mini", "other:prod-mini"]);
  const off = members.map((one) => ({ ...one, active: one.name !== "azure" }));
  assert.deepEqual(shown(eligibleMembers(off, { ...asked, strict: true, model: "mini" })), ["openai:mini"]);
});

test("what a key may use, it may use under each of its names", () => {
  const members = [
    member("azure", { models: ["prod-big", "prod-mini"], aliases: { mini: "prod-mini" } }),
    member("openai", { models: ["big", "mini"] }),
  ];
  const choices = (model: string | null, allowed: string[]) =>
    shown(eligibleMembers(members, { ...asked, model, allowed }));
  assert.deepEqual(choices(null, ["mini"]), ["azure:prod-mini", "openai:mini"]);
  assert.deepEqual(choices("mini", ["mini"]), ["azure:prod-mini", "openai:mini"]);
  assert.deepEqual(choices("mini", ["prod-mini"]), ["azure:prod-mini"]);
  assert.deepEqual(choices("big", ["mini"]), "unknown_model");
  assert.deepEqual(choices("prod-big", ["mini"]), "unknown_model");
});

test("embeddings go to the members that have the same model under another name", () => {
  const members = [
    member("azure", { embedding_models: ["prod-emb"], aliases: { "emb-3": "prod-emb" } }),
    member("openai", { embedding_models: ["emb-3"] }),
    member("other", { embedding_models: ["emb-2"] }),
  ];
  const of = (model: string | null) =>
    shown(embeddingMembers(members, { ...asked, model }, (one) => one.embedding_models));
  for (const model of [null, "emb-3", "prod-emb"])
    assert.deepEqual(of(model), ["azure:prod-emb", "openai:emb-3"], `${model}`);
});

test("the named model goes before every priority, and a member that is down behind those that are well", () => {
  const members = [
    member("a", { priority: 0 }),
    member("b", { priority: 900 }),
    member("c", { priority: 1 }),
  ];
  const named = eligibleMembers(members, { ...asked, model: "b-large" });
  assert.ok(named.kind === "choices");
  assert.deepEqual(names(order(named.choices, 0, () => 0)), ["b", "a", "c"]);
  const { health } = members[1]!;
  for (let turn = 0; turn < 2; turn += 1) health.failed(health.begin(0), 0, "upstream_error", null);
  assert.deepEqual(names(order(named.choices, 0, () => 0)), ["a", "c"]);
});

test("a strict pool refuses an unknown name, but not its own nor none", () => {
  const members = [member("a")];
  assert.equal(
    shown(eligibleMembers(members, { ...asked, strict: true, model: "unheard-of" })),
    "unknown_model",
  );
  assert.deepEqual(shown(eligibleMembers(members, { ...asked, strict: true, model: "pool" })), ["a:a-large"]);
  assert.deepEqual(shown(eligibleMembers(members, { ...asked, strict: true })), ["a:a-large"]);
});

test("a key's list of models: others are unknown to it, and without a model it means its own", () => {
  const members = [member("a"), member("b"), member("c", { models: ["c-only"] })];
  const allowed = ["shared", "b-large"];
  assert.equal(shown(eligibleMembers(members, { ...asked, allowed, model: "a-large" })), "unknown_model");
  assert.deepEqual(shown(eligibleMembers(members, { ...asked, allowed })), ["a:shared", "b:b-large"]);
  assert.deepEqual(shown(eligibleMembers(members, { ...asked, allowed, model: "shared" })), [
    "a:shared",
    "b:shared",
  ]);
  assert.deepEqual(shown(eligibleMembers(members, { ...asked, allowed: [] })), []);
});

test("embeddings go by the members' embedding models, and never leave the model that is first", () => {
  const members = [
    member("a"),
    member("b", { embedding_models: ["embed"], priority: 2 }),
    member("c", { embedding_models: ["other", "embed"], priority: 1 }),
    member("d", { embedding_models: ["other"], priority: 3 }),
  ];
  const of = (one: Embedding) => one.embedding_models;
  assert.deepEqual(shown(embeddingMembers(members, asked, of)), ["c:other", "d:other"]);
  assert.deepEqual(shown(embeddingMembers(members, { ...asked, model: "a-large" }, of)), [
    "c:other",
    "d:other",
  ]);
  assert.deepEqual(shown(embeddingMembers(members, { ...asked, model: "embed" }, of)), [
    "b:embed",
    "c:embed",
  ]);
  assert.deepEqual(shown(embeddingMembers(members, { ...asked, allowed: ["embed"] }, of)), [
    "b:embed",
    "c:embed",
  ]);
  assert.equal(
    shown(embeddingMembers(members, { ...asked, strict: true, model: "a-large" }, of)),
    "unknown_model",
  );
  assert.deepEqual(shown(embeddingMembers([member("a")], asked, of)), []);
});

const choice = (one: Embedding): Choice<Embedding> => ({ member: one, model: one.models[0]! });
const names = (choices: readonly Choice<Embedding>[]) => choices.map((one) => one.member.name);

function speed(one: Embedding, ms: number): void {
  const ticket = one.health.begin(0);
  one.health.firstOutput(ticket, ms, ms);
  one.health.succeeded(ticket, ms);
}

function down(one: Embedding, at: number): void {
  for (let turn = 0; turn < 2; turn++) one.health.failed(one.health.begin(at), at, "upstream_error", null);
}

/** How often each is asked first. */
function shares(members: readonly Embedding[], draws = 10_000): Map<string, number> {
  const { random } = seededRandom(7);
  const first = new Map<string, number>();
  for (let draw = 0; draw < draws; draw++) {
    const name = order(members.map(choice), 60_000, random)[0]!.member.name;
    first.set(name, (first.get(name) ?? 0) + 1 / draws);
  }
  return first;
}

const near = (value: number | undefined, expected: number) =>
  assert.ok(Math.abs((value ?? 0) - expected) <= 0.03, `${value} is not ${expected}`);

test("tiers go one after another, at any speed, and each member once", () => {
  const members = [member("c", { priority: 3 }), member("a"), member("b", { priority: 2 })];
  speed(members[1]!, 5_000);
  speed(members[0]!, 1);
  assert.deepEqual(names(order(members.map(choice), 0, seededRandom(3).random)), ["a", "b", "c"]);
});

test("equal members share by weight, within 3 %", () => {
  const members = [member("a", { weight: 5 }), member("b", { weight: 3 }), member("c", { weight: 2 })];
  const first = shares(members);
  near(first.get("a"), 0.5);
  near(first.get("b"), 0.3);
  near(first.get("c"), 0.2);
});

test("near-ties share by weight alone; a clearly slower one gets less, but not nothing", () => {
  const close = [member("a"), member("b")];
  speed(close[0]!, 100);
  speed(close[1]!, 115);
  near(shares(close).get("a"), 0.5);
  const apart = [member("a"), member("b")];
  speed(apart[0]!, 100);
  speed(apart[1]!, 1_000);
  near(shares(apart).get("b"), 0.25);
});

test("requests under way make a member dearer, so that the quick one is not overrun", () => {
  const members = [member("a"), member("b")];
  for (const one of members) speed(one, 100);
  const { health } = members[0]!;
  const tickets = [health.begin(1), health.begin(1)];
  near(shares(members).get("a"), 0.25);
  for (const ticket of tickets) health.dropped(ticket);
  near(shares(members).get("a"), 0.5);
});

test("those that are down are left out, and one that lacks the model too", () => {
  const members = [member("a"), member("b"), member("c")];
  down(members[0]!, 0);
  const { health } = members[1]!;
  health.modelMissing(health.begin(0), 0, "b-large");
  assert.deepEqual(names(order(members.map(choice), 0, () => 0)), ["c"]);
});

test("all down: the least bad first, and one without the model last", () => {
  const members = [member("late"), member("soon"), member("lacks"), member("rests")];
  down(members[0]!, 3_000);
  down(members[1]!, 0);
  const lacking = members[2]!.health;
  lacking.modelMissing(lacking.begin(0), 0, "lacks-large");
  const resting = members[3]!.health;
  resting.failed(resting.begin(0), 0, "rate_limited", 9_000);
  const ordered = names(order(members.map(choice), 3_000, () => 0));
  assert.deepEqual(ordered, ["soon", "rests", "late", "lacks"]);
});

test("without a member the list is empty", () => {
  assert.deepEqual(
    order([], 0, () => 0),
    [],
  );
});

test("members are compared by the times of what is asked: slow whole answers say nothing about streams", () => {
  const members = [member("a"), member("b")];
  const times = { a: { stream: 100, whole: 60_000 }, b: { stream: 2_000, whole: 5_000 } };
  for (const { name, health } of members)
    for (const kind of ["stream", "whole"] as const) {
      const ticket = health.begin(0);
      health.firstOutput(ticket, 0, times[name as "a" | "b"][kind], kind);
      health.succeeded(ticket, 0);
    }
  const choices = members.map((one) => ({ member: one, model: "shared" }));
  // Both are drawn, in this order.
  const draws = [0, 0.9];
  const first = (kind: "stream" | "whole" | "embeddings") => {
    let draw = 0;
    return order(choices, 60_000, () => draws[draw++ % 2]!, kind)[0]!.member.name;
  };
  assert.deepEqual([first("stream"), first("whole"), first("embeddings")], ["a", "b", "a"]);
});
