// Lists of models in the forms that providers have.

import assert from "node:assert/strict";
import test from "node:test";
import { modelNames } from "#providers/model-names.ts";

const namesIn = (value: unknown) => modelNames(JSON.stringify(value));

test("names in every form, each once", () => {
  assert.deepEqual(namesIn({ object: "list", data: [{ id: "a" }, { id: "b" }, { id: "a" }] }), ["a", "b"]);
  assert.deepEqual(namesIn({ models: [{ name: "models/gemini-3-pro" }] }), ["gemini-3-pro"]);
  assert.deepEqual(namesIn({ publisherModels: [{ name: "publishers/google/models/gemini-3-pro" }] }), [
    "gemini-3-pro",
  ]);
  assert.deepEqual(
    namesIn({ modelSummaries: [{ modelId: "amazon.nova-pro-v1:0", modelName: "Nova Pro" }] }),
    ["amazon.nova-pro-v1:0"],
  );
  assert.deepEqual(namesIn([{ id: "a" }, { id: 7 }, "x", {}]), ["a"]);
  assert.deepEqual(namesIn({ data: [] }), []);
  assert.equal(
    namesIn({ data: Array.from({ length: 2_000 }, (_, id) => ({ id: `m${id}` })) })?.length,
    1_000,
  );
});

test("something else is no list", () => {
  for (const text of ["<html>", "{}", '{"data":{}}', "null", '"a"', '{"error":{"message":"x"}}'])
    assert.equal(modelNames(text), null, text);
});
