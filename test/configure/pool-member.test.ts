// Members one change at a time: checked by their provider, sealed, and the same as one whole input would make.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accountInput } from "#configure/account.ts";
import { pools } from "#configure/pool.ts";
import { deleteMember, members, type PoolRef } from "#configure/pool-member.ts";
import { memberChanges, memberFields } from "#contract/manage/pools/members.ts";
import { poolFields } from "#contract/manage/pools/pools.ts";
import { memberSettingsContext, readPools } from "#store/pools/pools.ts";
import { type Configuring, openConfiguring } from "./deps.ts";
import { upsertAccount } from "./upsert-account.ts";

let open: Configuring;
let of: PoolRef;
before(async () => {
  open = await openConfiguring();
  const accountId = await upsertAccount(open.deps, accountInput.parse({ name: "acme" }));
  const made = await pools.create(open.deps, { accountId }, poolFields.parse({ name: "default" }));
  assert.ok(made.kind === "saved");
  of = { accountId, poolId: made.id };
});
after(() => open.close());

const openai = {
  kind: "openai-compatible",
  models: ["gpt-4o-mini"],
  settings: { base_url: "https://api.example.test/v1", api_key: "sk-a-secret-of-the-member" },
};
const inputOf = (name: string, rest: object = {}) => memberFields.parse({ name, ...openai, ...rest });
const make = (name: string, rest: object = {}) => members.create(open.deps, of, inputOf(name, rest));
const row = async (name: string) => {
  const [found] = await open.deps.database.run(readPools, { accountId: of.accountId, id: of.poolId });
  const member = found?.members.find((one) => one.name === name);
  assert.ok(member, name);
  return member;
};
const change = async (name: string, changes: object) =>
  members.update(open.deps, of, (await row(name)).id, memberChanges.parse(changes));
const faults = (result: Awaited<ReturnType<typeof change>>) =>
  result.kind === "invalid"
    ? result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
    : result.kind;

test("a stored member is the input that made it, its secret sealed", async () => {
  const rest = {
    embedding_models: ["embed-1"],
    image_models: ["gpt-image-1"],
    speech_models: [],
    transcription_models: ["whisper-1"],
    moderation_models: [],
    rerank_models: [],
    context_tokens: 128_000,
    priority: 2,
    weight: 3,
    active: false,
    price: { input: 0.15, output: 0.6 },
    timeouts: { idle_ms: 1_000, total_ms: 9_000 },
  };
  assert.equal(faults(await make("same", rest)), "saved");
  const stored = await row("same");
  const input = inputOf("same", rest);
  assert.deepEqual(members.fieldsOf(open.deps.sealer, stored), {
    ...input,
    settings: { ...input.settings, vendor: "openai", headers: {} },
  });
  const { name: _name, kind: _kind, settings: _settings, ...rules } = input;
  assert.deepEqual(JSON.parse(stored.rules), rules, "in the words of the API");
  assert.ok(!open.dump().includes(openai.settings.api_key));
  assert.ok(
    open.deps.sealer.unseal(stored.settings, memberSettingsContext(stored.id)).includes("sk-a-secret"),
  );
});

test("what its provider refuses is reported by field, and an address that must not be called as well", async () => {
  const issues = async (rest: object) =>
    (await members.issues(open.deps, of, inputOf("x", rest), null)).map(
      ({ path, message }) => `${path.join(".")}: ${message}`,
    );
  assert.deepEqual(await issues({}), []);
  assert.match(
    (await issues({ kind: "nothing" })).join(),
    /^kind: is no kind of provider; there are: openai-compatible, /,
  );
  assert.deepEqual(await issues({ settings: { base_url: 7, other: 1 } }), [
    "settings.base_url: must be an http or https URL",
    "settings.other: is not a field",
  ]);
  assert.deepEqual(await issues({ settings: { vendor: "azure-openai" } }), [
    "settings.base_url: is needed, such as https://NAME.openai.azure.com/openai/v1",
  ]);
  for (const settings of [{ base_url: "http://127.0.0.1:9100/v1" }, { vendor: "ollama" }])
    assert.match((await issues({ settings })).join(), /^settings\.base_url: .*TRUNKLINE_OUTBOUND_ALLOW/);
  assert.deepEqual(await issues({ models: [] }), ["models: must name at least one"]);
  assert.deepEqual(await issues({ models: [], embedding_models: ["e"] }), []);
  const settings = { api_key: "k" };
  assert.deepEqual(await issues({ kind: "anthropic", embedding_models: ["e"], settings }), [
    "embedding_models: must be empty: providers of kind anthropic have none",
  ]);
  assert.deepEqual(await issues({ models: [], rerank_models: ["r"] }), []);
  const aliases = { mini: "prod-mini", embed: "e" };
  assert.deepEqual(await issues({ models: ["prod-mini"], embedding_models: ["e"], aliases }), []);
  assert.deepEqual(await issues({ models: ["big", "mini"], aliases }), [
    "aliases.mini: is one of the member's models",
    "aliases.mini: stands for prod-mini, no model of the member",
    "aliases.embed: stands for e, no model of the member",
  ]);
  assert.deepEqual(await issues({ kind: "anthropic", speech_models: ["s"], settings }), [
    "speech_models: must be empty: providers of kind anthropic have none",
  ]);
});

test("an operator who allows an address may have a member there", async () => {
  const allowing = await openConfiguring({ allow: "127.0.0.0/8" });
  const settings = { base_url: "http://127.0.0.1:9100/v1" };
  assert.deepEqual(await members.issues(allowing.deps, of, inputOf("x", { settings }), null), []);
  await allowing.close();
});

test("only what is given changes, also inside settings and timeouts", async () => {
  await make("part", { price: { input: 1, output: 2 }, timeouts: { idle_ms: 500 } });
  const before = members.fieldsOf(open.deps.sealer, await row("part"));
  assert.equal(faults(await change("part", {})), "saved");
  assert.deepEqual(members.fieldsOf(open.deps.sealer, await row("part")), before);
  const partial = {
    weight: 9,
    price: null,
    timeouts: { total_ms: 7_000 },
    settings: { headers: { "X-Org": "1" } },
  };
  assert.equal(faults(await change("part", partial)), "saved");
  assert.deepEqual(members.fieldsOf(open.deps.sealer, await row("part")), {
    ...before,
    weight: 9,
    price: null,
    timeouts: { ...before.timeouts, total_ms: 7_000 },
    settings: { ...before.settings, headers: { "X-Org": "1" } },
  });
  assert.deepEqual(faults(await change("part", { models: [] })), ["models: must name at least one"]);
});

test("a secret stays where it belongs: not to another server, not to another kind", async () => {
  await make("moved");
  const words = "must be given again, since the member's address changes";
  for (const settings of [
    { base_url: "https://elsewhere.test/v1" },
    { base_url: "https://elsewhere.test/v1", api_key: "••••" },
    // The vendor gives the address where the settings have no address.
    { base_url: null, vendor: "groq" },
  ])
    assert.deepEqual(faults(await change("moved", { settings })), [`settings.api_key: ${words}`]);
  assert.equal(faults(await change("moved", { settings: { vendor: "groq", api_key: "••••" } })), "saved");
  const kind = { kind: "anthropic", settings: { api_key: "••••" } };
  assert.deepEqual(faults(await change("moved", kind)), [
    "settings.api_key: is a mask, and nothing is stored that it could stand for",
  ]);
  assert.equal(faults(await change("moved", { kind: "sandbox" })), "saved");
  assert.deepEqual(members.fieldsOf(open.deps.sealer, await row("moved")).settings, {});
  assert.deepEqual(faults(await make("masked", { settings: { api_key: "••••" } })), [
    "settings.api_key: is a mask, and nothing is stored that it could stand for",
  ]);
});

test("a name is taken once, also when two ask at the same time; the caches of pools are notified", async () => {
  const results = await Promise.all([make("race"), make("race"), make("race")]);
  assert.deepEqual(results.map(faults).map(String).sort(), ["name: is taken", "name: is taken", "saved"]);
  const notified = open.deps.notified.pools;
  const { id } = await row("race");
  assert.equal(await deleteMember(open.deps, { ...of, poolId: "pool_none" }, id), false);
  assert.equal(open.deps.notified.pools, notified);
  assert.equal(await deleteMember(open.deps, of, id), true);
  assert.equal(await deleteMember(open.deps, of, id), false);
  assert.equal(open.deps.notified.pools, notified + 1);
  assert.equal(faults(await members.update(open.deps, of, id, { weight: 2 })), "not_found");
});
