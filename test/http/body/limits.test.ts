// How many values a body may have: enough for as many whole contacts as the installation takes.

import assert from "node:assert/strict";
import test from "node:test";
import { maxValuesFor } from "#http/body/limits.ts";
import { ask, edge, key } from "../edge.ts";

test("500,000 values, or ten for each contact where that is more", () => {
  assert.equal(maxValuesFor(1), 500_000);
  assert.equal(maxValuesFor(50_000), 500_000);
  assert.equal(maxValuesFor(100_000), 1_000_000);
});

const contact = { number: "1", message: "x", gateway_identifier: "a", schedule_at: null, more: 1 };
const body = JSON.stringify({ contact: Array(100_000).fill(contact) });

/** The answer of an installation that takes so many contacts to 100,000 contacts of five fields. */
async function sendTo(maxContacts: number, headers: Record<string, string>) {
  const to = edge({ settings: { maxContacts, maxBodyBytes: body.length, maxKeylessBodyBytes: body.length } });
  const answer = await ask(to, { headers: { "content-type": "application/json", ...headers }, body });
  return { status: answer.status, text: answer.text.slice(0, 200) };
}

test("an installation that takes 100,000 contacts reads them with all their fields", async () => {
  assert.equal((await sendTo(100_000, { "api-key": key })).status, 200);
  const refused = await sendTo(10_000, { "api-key": key });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /more than 500000 values/);
});
