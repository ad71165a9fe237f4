// The kinds of gateways: enough to build a settings form from, with every secret marked as one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { adapters } from "#gateways/registry.ts";
import { dataOf, managed } from "../managed.ts";

interface Schema {
  properties: Record<string, Schema & { writeOnly?: boolean }>;
  required?: string[];
}

test("every kind is listed, for members too, with the schema of its settings", async () => {
  const m = await managed({ started: false });
  const { id } = await m.it.account();
  const member = await m.member(id);
  const kinds = dataOf<
    { kind: string; channels: string[]; checks: boolean; links: boolean; settings: Schema }[]
  >(await member("GET", "/gateway-kinds"));
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    adapters.map(({ kind }) => kind),
  );
  const named = (flag: "checks" | "links") => kinds.filter((each) => each[flag]).map(({ kind }) => kind);
  assert.ok(named("checks").includes("twilio") && !named("checks").includes("android"));
  assert.deepEqual(named("links").toSorted(), ["android", "whatsapp-linked"]);
  const settingsOf = (name: string) => kinds.find(({ kind }) => kind === name)!.settings;
  const twilio = settingsOf("twilio");
  assert.equal(twilio.properties.auth_token?.writeOnly, true);
  assert.equal(twilio.properties.from?.writeOnly, undefined);
  assert.deepEqual(twilio.required, ["account_sid", "auth_token"]);
  const http = settingsOf("http-api");
  for (const field of ["url", "headers", "body"])
    assert.equal(http.properties[field]?.writeOnly, true, field);
  assert.equal(http.properties.callback?.properties.token?.writeOnly, true);
  assert.ok(!JSON.stringify(kinds).includes('"secret"'));
  await m.close();
});
