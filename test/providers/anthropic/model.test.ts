// Claude's versions by name, and what follows from them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeCapabilities, claudeVersion } from "#providers/anthropic/model.ts";

test("versions, in every spelling of the name", () => {
  const names: [string, number | null][] = [
    ["claude-3-haiku-20240307", 300],
    ["claude-3-5-sonnet-latest", 305],
    ["claude-3-7-sonnet-20250219", 307],
    ["claude-sonnet-4-20250514", 400],
    ["claude-opus-4-1@20250805", 401],
    ["anthropic/claude-haiku-4.5", 405],
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 405],
    ["claude-opus-5-5", 505],
    ["claude-haiku-5", 500],
    ["claude", null],
    ["claude-latest", null],
    ["gpt-4", null],
  ];
  for (const [name, version] of names) assert.equal(claudeVersion(name), version, name);
});

test("what a version can do", () => {
  const facts = (name: string) => {
    const { thinking, sampling, eitherSampler, structured, maxTokens, thinksByDefault } =
      claudeCapabilities(name);
    return [thinking, sampling, eitherSampler, structured, thinksByDefault, maxTokens];
  };
  assert.deepEqual(facts("claude-3-haiku-20240307"), ["none", true, false, false, false, 4096]);
  assert.deepEqual(facts("claude-3-5-haiku-20241022"), ["none", true, false, false, false, 8192]);
  assert.deepEqual(facts("claude-sonnet-4-20250514"), ["budget", true, false, false, false, 21_333]);
  assert.deepEqual(facts("claude-haiku-4-5"), ["budget", true, true, true, false, 21_333]);
  assert.deepEqual(facts("claude-opus-4-7"), ["adaptive", false, true, true, false, 21_333]);
  assert.deepEqual(facts("claude-opus-5-5"), ["adaptive", false, true, true, true, 21_333]);
  assert.deepEqual(facts("house-claude"), ["adaptive", true, false, true, false, 4096]);
});

test("system messages between turns are taken by Opus from 4.8 on, and by the others from 5 on", () => {
  const takers = [
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5-5",
    "claude-fable-5",
  ];
  const others = ["claude-opus-4-7", "claude-sonnet-4-8", "claude-haiku-4-5", "house-claude"];
  for (const name of takers) assert.equal(claudeCapabilities(name).systemBetweenTurns, true, name);
  for (const name of others) assert.equal(claudeCapabilities(name).systemBetweenTurns, false, name);
});

test("a stream without a limit may be as long as the model writes", () => {
  const lengths = {
    "house-claude": 4096,
    "claude-3-haiku-20240307": 4096,
    "claude-3-5-haiku-20241022": 8192,
    "claude-3-7-sonnet-latest": 21_333,
    "claude-opus-4-1": 21_333,
    "claude-sonnet-4-20250514": 21_333,
    "claude-haiku-4-5": 64_000,
    "claude-opus-4-6": 128_000,
    "claude-sonnet-4-6": 64_000,
    "claude-sonnet-5-5": 128_000,
    "claude-fable-5-1": 128_000,
    "claude-haiku-5-5": 64_000,
  };
  for (const [name, length] of Object.entries(lengths))
    assert.equal(claudeCapabilities(name).maxStreamTokens, length, name);
});
