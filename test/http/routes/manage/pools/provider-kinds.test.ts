// The kinds of providers: every one that there is, with what a settings form has to know.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { providers } from "#providers/registry.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
before(async () => {
  m = await managed();
});
after(() => m.close());

interface Kind {
  kind: string;
  embeddings: boolean;
  settings: { type: string; properties: Record<string, { writeOnly?: boolean; secret?: boolean }> };
}

test("every kind is listed with the JSON Schema of its settings, for everybody who is signed in", async () => {
  const { id } = await m.it.account();
  const member = await m.member(id);
  const kinds = dataOf<Kind[]>(await member("GET", "/provider-kinds"));
  assert.deepEqual(
    kinds.map(({ kind, embeddings }) => [kind, embeddings]),
    providers.map(({ kind, embeds }) => [kind, embeds]),
  );
  for (const { kind, settings } of kinds) {
    assert.equal(settings.type, "object");
    const secret = kind === "vertex" ? "credentials" : "api_key";
    assert.equal(settings.properties[secret]?.writeOnly, kind === "sandbox" ? undefined : true, kind);
    assert.ok(!JSON.stringify(settings).includes('"secret"'));
  }
});
