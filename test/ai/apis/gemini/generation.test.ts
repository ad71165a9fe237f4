// `generationConfig` as parameters of chat completions: what is carried, what is named, and what a member cannot do.

import assert from "node:assert/strict";
import test from "node:test";
import { Untranslatable } from "#ai/apis/gemini/fields.ts";
import { generationOf, jsonSchemaOf } from "#ai/apis/gemini/generation.ts";

const written = (config: object) => {
  const leftOut: string[] = [];
  return [generationOf({ ...config }, leftOut), leftOut];
};

test("pictures and their form are carried, and sounds are no answer of a member's", () => {
  const pictures = {
    responseModalities: ["TEXT", "IMAGE"],
    imageConfig: { aspectRatio: "16:9", image_size: "2K" },
  };
  assert.deepEqual(written(pictures), [
    { modalities: ["text", "image"], image_config: { aspect_ratio: "16:9", image_size: "2K" } },
    [],
  ]);
  assert.deepEqual(written({ responseModalities: ["TEXT"] }), [{}, []]);
  for (const name of ["AUDIO", "VIDEO"])
    assert.throws(() => written({ responseModalities: ["TEXT", name] }), Untranslatable);
});

test("what is inside of an object and has no equivalent is named too", () => {
  const config = {
    imageConfig: { personGeneration: "ALLOW_ALL" },
    thinkingConfig: { includeThoughts: true, thinkingBudget: 0, other: 1 },
    responseMimeType: "text/x.enum",
    responseSchema: { type: "STRING", enum: ["a", "b"] },
    speechConfig: {},
  };
  const [chat, leftOut] = written(config) as [Record<string, unknown>, string[]];
  assert.equal(chat.reasoning_effort, "none");
  assert.deepEqual(leftOut.sort(), [
    "generationConfig.imageConfig.personGeneration",
    "generationConfig.responseMimeType",
    "generationConfig.speechConfig",
    "generationConfig.thinkingConfig.other",
  ]);
});

test("a schema in Google's spelling is a JSON schema", () => {
  assert.deepEqual(jsonSchemaOf({ type: "STRING", nullable: true, min_length: "2" }), {
    type: ["string", "null"],
    minLength: 2,
  });
});
