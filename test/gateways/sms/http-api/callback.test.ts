// Callbacks of an `http-api` gateway, beside the recorded ones of the conformance suite.

import assert from "node:assert/strict";
import { test } from "node:test";
import { httpApi } from "#gateways/sms/http-api/http-api.ts";
import { toolsWith } from "../../conformance-samples.ts";
import { json, received, settings, sign, token } from "./http-api-example.ts";

test("a list inside a callback is found by its path", async () => {
  const own = httpApi.settings.parse({
    ...settings,
    callback: { ...settings.callback, items: "$.results" },
  });
  const call = (value: unknown) =>
    httpApi.receive(sign({ method: "POST", query: [], ...json(value) }), own, toolsWith());
  assert.deepEqual(
    await call({ results: [{ id: "1", state: "DELIVRD" }] }),
    received({ status: "delivered", reference: "1" }),
  );
  assert.equal((await call({ id: "1", state: "DELIVRD" })).kind, "malformed");
});

test("the token counts alone: not twice, not in the body, not shortened, only with GET and POST", async () => {
  const own = httpApi.settings.parse(settings);
  const good = sign({ method: "POST", query: [], ...json({ id: "1", state: "DELIVRD", token }) });
  const kindOf = async (query: string, method = "POST") =>
    (await httpApi.receive({ ...good, method, query: new URLSearchParams(query) }, own, toolsWith())).kind;
  assert.equal(await kindOf(`token=${encodeURIComponent(token)}`), "received");
  assert.equal(await kindOf(`token=${encodeURIComponent(token)}&token=x`), "forbidden");
  assert.equal(await kindOf(`token=x&token=${encodeURIComponent(token)}`), "forbidden");
  assert.equal(await kindOf(`token=${encodeURIComponent(token.slice(0, -1))}`), "forbidden");
  assert.equal(await kindOf(`token=${encodeURIComponent(token.toUpperCase())}`), "forbidden");
  assert.equal(await kindOf("token="), "forbidden");
  assert.equal(await kindOf(""), "forbidden");
  assert.equal(await kindOf(`token=${encodeURIComponent(token)}`, "PUT"), "malformed");
});
