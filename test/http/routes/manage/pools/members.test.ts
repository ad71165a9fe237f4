// Members through the management API: checked, masked, changed in part; and how they are doing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { healthOf } from "#http/routes/manage/pools/members.ts";
import { createdBy, dataOf, isDeleted, type Managed, managed } from "../managed.ts";

let m: Managed;
let path: string;
before(async () => {
  m = await managed();
  const { id } = await m.it.account();
  const pool = dataOf<{ id: string }>(await m.operator("POST", `/accounts/${id}/pools`, { name: "default" }));
  path = `/accounts/${id}/pools/${pool.id}`;
});
after(() => m.close());

interface Shown {
  id: string;
  name: string;
  settings: Record<string, unknown>;
  weight: number;
  timeouts: Record<string, number | null>;
}

const openai = {
  kind: "openai-compatible",
  models: ["gpt-4o-mini"],
  settings: { base_url: "https://api.example.test/v1", api_key: "sk-a-secret" },
};
const create = async (input: object) =>
  await createdBy<Shown>(m.operator, `${path}/members`, { ...openai, ...input });
const patch = (id: string, change: object) => m.operator("PATCH", `${path}/members/${id}`, change);
const errorsOf = (reply: { json(): { errors: object } }) => reply.json().errors;

test("a member is added and shown, its secrets masked", async () => {
  const made = await create({
    name: "primary",
    price: { input: 0.15, output: 0.6 },
    context_tokens: 128_000,
  });
  const { id, created_at, updated_at, ...rest } = made as Shown & Record<string, unknown>;
  assert.match(id, /^mem_/);
  assert.deepEqual(
    [created_at, rest],
    [
      updated_at,
      {
        name: "primary",
        kind: "openai-compatible",
        models: ["gpt-4o-mini"],
        embedding_models: [],
        image_models: [],
        speech_models: [],
        transcription_models: [],
        moderation_models: [],
        rerank_models: [],
        aliases: {},
        context_tokens: 128_000,
        settings: { vendor: "openai", base_url: "https://api.example.test/v1", api_key: "••••", headers: {} },
        priority: 1,
        weight: 1,
        active: true,
        price: { input: 0.15, output: 0.6 },
        prices: {},
        timeouts: {
          connect_ms: 5_000,
          headers_ms: 60_000,
          first_token_ms: 120_000,
          idle_ms: 30_000,
          thinking_ms: 600_000,
          total_ms: null,
        },
        unpriced_models: [],
        revision: 1,
      },
    ],
  );
  assert.deepEqual(dataOf(await m.operator("GET", `${path}/members/${id}`)), made);
  assert.deepEqual(dataOf<Shown[]>(await m.operator("GET", `${path}/members`)), [made]);
});

test("faults are reported by field: the provider's, the address, the name", async () => {
  await create({ name: "taken" });
  const add = (input: object) => m.operator("POST", `${path}/members`, { ...openai, ...input });
  assert.deepEqual(errorsOf(await add({ name: "taken" })), { name: ["is taken"] });
  const private_ = await add({ name: "x", settings: { base_url: "http://10.0.0.1/v1" } });
  assert.match(JSON.stringify(errorsOf(private_)), /settings\.base_url.*TRUNKLINE_OUTBOUND_ALLOW/);
  const wrong = await add({ name: "x", kind: "anthropic", settings: { api_key: 7 } });
  assert.deepEqual(Object.keys(errorsOf(wrong)), ["settings.api_key"]);
  const many = await add({ name: "", weight: 0, timeouts: { idle_ms: -1 }, other: 1 });
  assert.deepEqual(Object.keys(errorsOf(many)).sort(), ["name", "other", "timeouts.idle_ms", "weight"]);
});

test("a mask keeps the secret, a new address asks for it again", async () => {
  const { id } = await create({ name: "moved" });
  const kept = dataOf<Shown>(
    await patch(id, { weight: 4, settings: { api_key: "••••" }, timeouts: { idle_ms: 900 } }),
  );
  assert.deepEqual([kept.weight, kept.timeouts.idle_ms, kept.timeouts.connect_ms], [4, 900, 5_000]);
  const moved = await patch(id, { settings: { base_url: "https://elsewhere.test/v1", api_key: "••••" } });
  assert.deepEqual(errorsOf(moved), {
    "settings.api_key": ["must be given again, since the member's address changes"],
  });
  const brought = { base_url: "https://elsewhere.test/v1", api_key: "sk-new" };
  assert.equal(dataOf<Shown>(await patch(id, { settings: brought })).settings.base_url, brought.base_url);
  assert.deepEqual(errorsOf(await patch(id, { name: "renamed" })), { name: ["is not a field"] });
});

test("a removed member is gone", async () => {
  const { id } = await create({ name: "gone" });
  isDeleted(await m.operator("DELETE", `${path}/members/${id}`));
  assert.equal((await m.operator("GET", `${path}/members/${id}`)).statusCode, 404);
  assert.equal((await m.operator("DELETE", `${path}/members/${id}`)).statusCode, 404);
  assert.equal((await patch(id, { weight: 2 })).statusCode, 404);
});

/** Nothing was asked. */
const since = Date.parse("2027-01-01T00:00:00Z");
const quiet = {
  recent: { since: "2027-01-01T00:00:00.000Z", asked: 0, failed: 0 },
  last_answered_at: null,
  last_failure: null,
};

test("health names every member; one that is switched off is off", async () => {
  const { id } = await create({ name: "quiet", active: false });
  const health = dataOf<{ member: string; state: string; recent: { since: string } }[]>(
    await m.operator("GET", `${path}/health`),
  );
  const members = dataOf<Shown[]>(await m.operator("GET", `${path}/members`));
  assert.deepEqual(
    health.map(({ member }) => member),
    members.map((member) => member.id),
  );
  assert.deepEqual(
    health.find(({ member }) => member === id),
    {
      member: id,
      name: "quiet",
      state: "off",
      until: null,
      in_flight: 0,
      first_output_ms: null,
      ...quiet,
      recent: { ...quiet.recent, since: new Date(m.it.clock.now() - 3_600_000).toISOString() },
      responses: "translated",
      keys: [],
      refused: [],
    },
  );
  assert.deepEqual(
    [...new Set(health.filter(({ member }) => member !== id).map(({ state }) => state))],
    ["up"],
  );
});

test("a standing is shown with its times on the wire, unless the member is switched off", () => {
  const standing = {
    member: "mem_1",
    state: "cooling_down" as const,
    until: Date.parse("2027-01-01T00:00:05Z"),
    inFlight: 3,
    firstOutputMs: 120.5,
    refused: [
      { model: "m", parameter: "temperature", value: "0.2", until: Date.parse("2027-01-01T06:00:00Z") },
    ],
    lacksResponses: false,
    keys: [{ position: 2, state: "unauthorized" as const, until: Date.parse("2027-01-01T00:01:00Z") }],
  };
  const row = { id: "mem_1", name: "one", rules: "{}" };
  const shown = {
    member: "mem_1",
    name: "one",
    state: "cooling_down",
    until: "2027-01-01T00:00:05.000Z",
    in_flight: 3,
    first_output_ms: 120.5,
    ...quiet,
    responses: "translated",
    keys: [{ position: 2, state: "unauthorized", until: "2027-01-01T00:01:00.000Z" }],
    refused: [{ model: "m", parameter: "temperature", value: "0.2", until: "2027-01-01T06:00:00.000Z" }],
  };
  const none = { since, members: [] };
  assert.deepEqual(healthOf(row, standing, false, none), shown);
  assert.deepEqual(healthOf(row, standing, true, none), { ...shown, responses: "forwarded" });
  assert.deepEqual(healthOf(row, { ...standing, lacksResponses: true }, true, none), shown);
  assert.deepEqual(healthOf(row, { ...standing, until: null }, false, none), { ...shown, until: null });
  assert.deepEqual(healthOf({ ...row, rules: '{"active":false}' }, standing, false, none), {
    ...shown,
    state: "off",
    until: null,
  });
  // What the pool's calls say of the member is found by its name.
  const failure = { call: "req_1", at: since + 2_000, outcome: "upstream_error", status: 503 };
  const recent = { member: "one", asked: 4, failed: 3, answeredAt: since + 1_000, failure };
  const of = (name: string) => healthOf({ ...row, name }, standing, false, { since, members: [recent] });
  assert.deepEqual(of("one"), {
    ...shown,
    recent: { ...quiet.recent, asked: 4, failed: 3 },
    last_answered_at: "2027-01-01T00:00:01.000Z",
    last_failure: { ...failure, at: "2027-01-01T00:00:02.000Z" },
  });
  assert.deepEqual(of("two"), { ...shown, name: "two" });
});
