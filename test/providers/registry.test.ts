// Every adapter in the folder is in the list, under a kind of its own: one that is left out could never be chosen.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import test from "node:test";
import { findProvider, providers } from "#providers/registry.ts";

test("every adapter is in the list, once, under its own kind", () => {
  const folder = new URL("./", import.meta.resolve("#providers/registry.ts"));
  const adapters = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== "provider.ts")
    .filter((name) => /\bdefineProvider\(/.test(readFileSync(new URL(name, folder), "utf8")));
  assert.equal(providers.length, adapters.length);
  assert.deepEqual(
    providers.map(({ kind }) => kind).sort(),
    adapters.map((name) => basename(name, ".ts")).sort(),
  );
});

test("a provider is found by its kind, and only by that", () => {
  for (const provider of providers) assert.equal(findProvider(provider.kind), provider);
  for (const kind of ["", "Sandbox", "constructor", "__proto__"]) assert.equal(findProvider(kind), null);
});
