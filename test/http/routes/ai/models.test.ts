// GET /api/ai/v1/models and /models/{id}: OpenAI's shape, the pool first, narrowed by the key; ids with slashes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { model as modelShape, modelsReply } from "#contract/ai/chat-shapes.ts";
import { type Pooled, pooled } from "../../pooled.ts";

let it: Pooled;
let whole: string;
let narrow: string;
before(async () => {
  it = await pooled({
    members: [
      {
        name: "box",
        kind: "sandbox",
        models: ["echo", "openai/gpt-4o", "a/b/c", "50%"],
        embedding_models: ["vec"],
      },
      { name: "other", kind: "sandbox", models: ["echo", "slow"] },
      { name: "off", kind: "sandbox", models: ["tools"], active: false },
    ],
  });
  whole = it.key;
  narrow = await it.pool({ keys: [{ name: "narrow", models: ["echo", "no-member-has-it"] }] });
});
after(() => it?.close());

const ask = (path: string, key: string) => it.ask(path, { headers: { authorization: `Bearer ${key}` } });
const idsOf = (json: unknown) => modelsReply.parse(json).data.map(({ id }) => id);

test("the pool's name first, then each model once; what is off is not listed", async () => {
  const { status, json } = await ask("/models", whole);
  assert.equal(status, 200);
  assert.deepEqual(idsOf(json), ["assistants", "echo", "openai/gpt-4o", "a/b/c", "50%", "vec", "slow"]);
  const again = await ask("/models/", whole);
  assert.deepEqual(again.json, json);
});

test("a key's list narrows it", async () => {
  assert.deepEqual(idsOf((await ask("/models", narrow)).json), ["assistants", "echo"]);
  assert.equal((await ask("/models/slow", narrow)).status, 404);
  assert.equal((await ask("/models/echo", narrow)).status, 200);
});

for (const [path, id] of [
  ["assistants", "assistants"],
  ["echo", "echo"],
  ["echo/", "echo"],
  ["openai%2Fgpt-4o", "openai/gpt-4o"],
  ["openai%2fgpt-4o", "openai/gpt-4o"],
  ["openai/gpt-4o", "openai/gpt-4o"],
  ["a/b/c", "a/b/c"],
  ["a%2Fb/c", "a/b/c"],
  ["50%25", "50%"],
  ["echo?x=1", "echo"],
] as const) {
  test(`/models/${path} is ${id}`, async () => {
    const { status, json } = await ask(`/models/${path}`, whole);
    assert.equal(status, 200);
    assert.equal(modelShape.parse(json).id, id);
  });
}

for (const path of ["tools", "gpt-5", "openai", "openai/gpt-4o/more", "a//b/c", "__proto__"]) {
  test(`/models/${path} is not there`, async () => {
    const { status, json } = await ask(`/models/${path}`, whole);
    assert.equal(status, 404);
    const { error } = json as unknown as { error: Record<string, unknown> };
    assert.deepEqual(
      [error.code, error.param, error.type],
      ["model_not_found", "model", "invalid_request_error"],
    );
    assert.ok(String(error.message).includes(path));
  });
}
