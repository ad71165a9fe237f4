// Several processes and phones: whichever process serves a phone's request hands over its messages, and a process that dies at any
// point of it loses nothing and makes nothing go out twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenCheckMs } from "#phones/streams.ts";
import { engines, ground, harness } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { linkCode, minute, unpaced } from "./phone-world.ts";
import { SimulatedPhone, type Transmission } from "./simulated-phone.ts";

const contactsTo = (gateway: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    number: `+49151234${10_000 + i}`,
    message: `${gateway} ${i}`,
    gateway_identifier: gateway,
  }));

/** Each text went out once. */
function expectOnce(air: readonly Transmission[], expected: number): void {
  const texts = air.map(({ text }) => text);
  assert.equal(new Set(texts).size, expected, "nothing is lost");
  assert.equal(texts.length, expected, "nothing went out twice");
}

test("a phone is served by two processes at once, on PostgreSQL", async () => {
  const shared = await ground("postgres");
  const first = await harness({ ground: shared });
  const second = await harness({ ground: shared, clock: first.clock });
  const account = await first.account();
  second.as(account);
  await first.gateway({ identifier: "phone", kind: "android", pace: unpaced, settings: { ahead: 50 } });
  const air: Transmission[] = [];
  let turn = 0;
  const phone = new SimulatedPhone("phone", () => (turn++ % 2 === 0 ? first : second), air);
  assert.equal(await phone.registerByCode(await linkCode(first, account.id, "phone")), 201);
  await phone.start();
  await first.advance(200);
  phone.disconnect();
  const ids = [
    ...(await first.accepted(contactsTo("phone", 10))),
    ...(await second.accepted([
      { number: "+4915123499999", message: "from the second", gateway_identifier: "phone" },
    ])),
  ];
  // Both processes answer lists of the same phone at once.
  await Promise.all([phone.pull(), phone.pull(), phone.pull(), phone.pull()]);
  phone.transmit();
  await Promise.all([phone.report(), phone.report()]);
  expectOnce(air, 11);
  for (const id of ids) assert.equal((await second.message(id)).status, "delivered");
  await first.close();
  await second.close();
  await shared.remove();
});

test("a link that one process ends or replaces ends the phone's streams in the other, on PostgreSQL", async () => {
  const shared = await ground("postgres");
  const first = await harness({ ground: shared });
  const second = await harness({ ground: shared, clock: first.clock });
  const account = await first.account();
  second.as(account);
  await first.gateway({ identifier: "phone", kind: "android", pace: unpaced });
  const phone = new SimulatedPhone("phone", () => second, []);
  assert.equal(await phone.registerByCode(await linkCode(first, account.id, "phone")), 201);
  await phone.start();
  const id = phone.stored.registration?.id ?? "";
  const { streams } = second.system.core.phones;
  const path = `/accounts/${account.id}/gateways/phone/link`;
  const headers = bearer(await tokenFor(first));
  await first.advance(tokenCheckMs);
  assert.equal(streams.isConnected(id), true, "a phone that is linked stays connected");

  const replaced = await manage(first, "POST", path, { headers, body: { method: "qr", replace: true } });
  const other = new SimulatedPhone("other", () => first, []);
  assert.equal(await other.registerByCode(replaced.json().data.code.text), 201);
  await first.advance(tokenCheckMs);
  assert.equal(streams.isConnected(id), false, "another phone has the link");

  const served = new SimulatedPhone("served elsewhere", () => second, []);
  served.stored.registration = other.stored.registration;
  await served.connect();
  await first.advance(tokenCheckMs);
  assert.equal(streams.isConnected(id), true);
  assert.equal((await manage(first, "DELETE", path, { headers })).statusCode, 202);
  assert.equal(streams.isConnected(id), true, "the other process has not looked yet");
  await first.advance(tokenCheckMs);
  assert.equal(streams.isConnected(id), false, "the link has ended");
  await first.close();
  await second.close();
  await shared.remove();
});

for (const engine of engines) {
  for (const dieAt of ["stamp.before", "stamp.after", "settle.before", "settle.after"]) {
    test(`a process that dies at ${dieAt} loses nothing, and nothing goes out twice, on ${engine}`, async () => {
      const shared = await ground(engine);
      const air: Transmission[] = [];
      let it = await harness({ ground: shared });
      const { clock } = it;
      const account = await it.account();
      await it.gateway({ identifier: "phone", kind: "android", pace: unpaced });
      const phone = new SimulatedPhone("phone", () => it, air);
      assert.equal(await phone.registerByCode(await linkCode(it, account.id, "phone")), 201);
      const ids = await it.accepted(contactsTo("phone", 3));
      await it.close();
      const dying = await harness({ ground: shared, clock, dieAt });
      it = dying;
      // Its requests never come back.
      const cycle = phone.cycle();
      await Promise.race([cycle, clock.advance(minute)]);
      await clock.advance(minute);
      assert.equal(dying.dead(), true);
      await dying.kill();
      it = await harness({ ground: shared, clock });
      it.as(account);
      phone.crash();
      await phone.cycle();
      await clock.advance(minute);
      expectOnce(air, 3);
      for (const id of ids) assert.equal((await it.message(id)).status, "delivered");
      await it.close();
      await shared.remove();
    });
  }
}

test("ten phones with networks that fail at random send every message once", async () => {
  const it = await harness({ seed: 14 });
  const account = await it.account();
  const air: Transmission[] = [];
  let state = 12_345;
  const chance = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const phones: SimulatedPhone[] = [];
  const ids: string[] = [];
  for (let number = 0; number < 10; number += 1) {
    const identifier = `phone-${number}`;
    await it.gateway({ identifier, kind: "android", pace: unpaced });
    const phone = new SimulatedPhone(identifier, () => it, air);
    assert.equal(await phone.registerByCode(await linkCode(it, account.id, identifier)), 201);
    phone.network = () => {
      const drawn = chance();
      return drawn < 0.15 ? "refused" : drawn < 0.3 ? "lost" : "through";
    };
    phone.radio = () => (chance() < 0.15 ? { error: "Send result: RESULT_ERROR_NO_SERVICE" } : ["Sent"]);
    phones.push(phone);
    ids.push(...(await it.accepted(contactsTo(identifier, 12))));
  }
  for (let round = 0; round < 60; round += 1) {
    await Promise.all(
      phones.map(async (phone) => {
        if (chance() < 0.2) phone.crash();
        await phone.cycle().catch(() => {});
      }),
    );
    await it.advance(chance() < 0.1 ? 40 * minute : minute);
    if (round % 10 === 0) await it.system.core.phones.sweep();
  }
  // From here on all is well.
  for (const phone of phones) {
    phone.network = () => "through";
    phone.radio = () => ["Sent"];
  }
  for (let round = 0; round < 12; round += 1) {
    for (const phone of phones) await phone.cycle();
    await it.advance(6 * minute);
  }
  expectOnce(air, ids.length);
  for (const id of ids) assert.equal((await it.message(id)).status, "sent");
  await it.close();
});
