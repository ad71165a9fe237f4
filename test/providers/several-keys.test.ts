// The settings of a member once for each of its keys.

import assert from "node:assert/strict";
import test from "node:test";
import { providers } from "#providers/registry.ts";
import { keyedSettings, keyOf } from "#providers/several-keys.ts";

test("each key once, the single one first; with one or none the settings stay as they are", () => {
  const one = { base_url: "x", api_key: "a" };
  assert.deepEqual(keyedSettings(one), [one]);
  assert.deepEqual(keyedSettings({ api_keys: ["a"] }), [{ api_keys: ["a"] }]);
  assert.deepEqual(keyedSettings({}), [{}]);
  assert.deepEqual(keyedSettings({ ...one, api_keys: ["b", "a", "b"] }), [
    { base_url: "x", api_key: "a" },
    { base_url: "x", api_key: "b" },
  ]);
  assert.deepEqual(
    [keyOf({ api_keys: ["b"] }), keyOf({ api_key: "a", api_keys: ["b"] }), keyOf({})],
    ["b", "a", undefined],
  );
});

test("every kind with a key takes several, which are sent as its one is", () => {
  const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
  const request = { text: JSON.stringify(body), body, model: "m", stream: false };
  const takesSeveral = ({ settings }: (typeof providers)[number]) => "api_keys" in settings.shape;
  // The sandbox has no key, Bedrock is asked with an access key of AWS, which is a pair, and Vertex AI with tokens.
  assert.deepEqual(
    providers.filter((provider) => !takesSeveral(provider)).map(({ kind }) => kind),
    ["vertex", "bedrock", "sandbox"],
  );
  for (const { kind, settings, chat } of providers.filter(takesSeveral)) {
    const headersOf = (fields: object) => {
      const prepared = chat(request, settings.parse(fields));
      assert.ok(prepared.kind === "request", kind);
      return prepared.request.headers;
    };
    assert.deepEqual(
      headersOf({ api_keys: ["first-key", "second"] }),
      headersOf({ api_key: "first-key" }),
      kind,
    );
  }
});
