// Guessing at the link codes of phones: it is bounded for a network, a site and everybody together, however the guesses come.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { linkCodesPerMinute } from "#http/auth/sign-in-limits.ts";
import { type Harness, harness } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { inject } from "../inject.ts";

const { network, site, installation } = linkCodesPerMinute;

let it: Harness;
beforeEach(async () => {
  it = await harness({ started: false });
});
afterEach(() => it.close());

/** Shows codes, each from the address that `from` names. Returns how many got each status. */
async function show(codes: readonly string[], from: (i: number) => string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const replies = await Promise.all(codes.map((code, i) => register(`Code ${code}`, from(i))));
  for (const { statusCode, headers } of replies) {
    statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    assert.equal(headers["retry-after"] !== undefined, statusCode === 429, "429 says when to try again");
  }
  return statuses;
}

const register = (authorization: string, remoteAddress: string) =>
  inject(it.system.app, {
    method: "POST",
    url: "/api/mobile/v1/device",
    remoteAddress,
    headers: { authorization, "content-type": "application/json" },
    payload: JSON.stringify({ name: "Guesser", simCards: [] }),
  });

const guesses = (count: number) => Array.from({ length: count }, (_, i) => String(i).padStart(8, "0"));

async function linkOf(identifier: string): Promise<{ code: { text: string } | null; token: string }> {
  const account = await it.account();
  await it.gateway({ identifier, kind: "android" });
  const reply = await manage(it, "POST", `/accounts/${account.id}/gateways/${identifier}/link`, {
    headers: bearer(await tokenFor(it)),
    body: { method: "qr" },
  });
  assert.equal(reply.statusCode, 202, reply.body);
  return reply.json().data;
}

test("a network has sixty guesses a minute, also when they come at once", async () => {
  assert.deepEqual(await show(guesses(network + 20), () => "192.0.2.1"), { 401: network, 429: 20 });
  assert.deepEqual(await show(guesses(1), () => "192.0.2.2"), { 401: 1 });
});

test("the 65,536 networks of an IPv6 /48 have 180 guesses a minute together", async () => {
  const fromSite = (i: number) => `2001:db8:1:${i.toString(16)}::1`;
  assert.deepEqual(await show(guesses(site + 40), fromSite), { 401: site, 429: 40 });
  assert.deepEqual(await show(guesses(1), () => "2001:db8:2::1"), { 401: 1 });
  await it.advance(60_000);
  assert.deepEqual(await show(guesses(1), fromSite), { 401: 1 });
});

test("everybody together has a thousand guesses a minute; the private token links a phone nevertheless", async () => {
  const { code, token } = await linkOf("phone");
  const fromAnywhere = (i: number) => `2001:db8:${(i + 16).toString(16)}::1`;
  assert.deepEqual(await show(guesses(installation + 50), fromAnywhere), { 401: installation, 429: 50 });
  assert.equal((await register(`Code ${code?.text}`, "203.0.113.7")).statusCode, 429);
  assert.equal((await register(`Bearer ${token}`, "203.0.113.7")).statusCode, 201);
  await it.advance(60_000);
  assert.equal(
    (await register(`Code ${(await linkOf("second")).code?.text}`, "203.0.113.7")).statusCode,
    201,
  );
});
