// What the ends of a connection mean.

import assert from "node:assert/strict";
import { test } from "node:test";
import { disconnectOf } from "#gateways/whatsapp/linked/disconnects.ts";

const kindOf = (code: number | null) => disconnectOf(code, null).kind;

test("the network and the server are tried again, the server after a longer wait", () => {
  for (const code of [null, 408, 428])
    assert.deepEqual(disconnectOf(code, null), { kind: "again", firstMs: 1_000 });
  for (const code of [500, 501, 503, 516])
    assert.deepEqual(disconnectOf(code, null), { kind: "again", firstMs: 5_000 });
});

test("the end of a link says how it ended", () => {
  const words = [401, 403, 406].map((code) => {
    const means = disconnectOf(code, null);
    return means.kind === "ended" ? means.word : means.kind;
  });
  assert.deepEqual(words, ["logged_out", "locked", "banned"]);
});

test("a ban says why where WhatsApp does", () => {
  const means = disconnectOf(402, "101");
  assert.ok(means.kind === "banned_for" && means.reason.includes("too many people"));
  assert.equal(kindOf(402), "banned_for");
});

test("refusals that a quick try makes worse are left alone", () => {
  for (const code of [400, 405, 409, 411, 413, 414, 415, 418]) assert.equal(kindOf(code), "refused");
  const outdated = disconnectOf(405, null);
  assert.equal(outdated.kind === "refused" && outdated.state, "outdated");
  assert.equal(kindOf(440), "replaced");
});
