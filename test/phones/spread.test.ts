// A spread of phones, against the whole system: which phone gets a message, what a silent or stopped phone keeps and gives back, and
// processes that die between the steps.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { ground, type Harness, harness, someEngines } from "../harness.ts";
import { linkCode, minute, type PhoneWorld, phoneWorld, unpaced } from "./phone-world.ts";
import { SimulatedPhone, type Transmission } from "./simulated-phone.ts";

let recipients = 0;
const another = () => `+4915${String(100_000_000 + recipients++)}`;
const contactsTo = (gateway: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    number: another(),
    message: `${gateway} ${i}`,
    gateway_identifier: gateway,
  }));
const chosenOf = async (it: Harness, ids: readonly string[]) =>
  await Promise.all(ids.map(async (id) => (await it.message(id)).gateway_identifier ?? ""));

for (const engine of someEngines(import.meta.filename)) {
  describe(`a spread on ${engine}`, () => {
    let w: PhoneWorld;
    let number = 0;
    let name = "";
    let members: string[] = [];
    let phones: SimulatedPhone[] = [];
    before(async () => {
      w = await phoneWorld(engine);
    });
    after(() => w.m.close());
    beforeEach(async () => {
      number += 1;
      name = `spread-${number}`;
      members = [];
      phones = [];
      for (let i = 0; i < 2; i += 1) {
        phones.push(await w.linked({}, { per_second: 100_000, per_day: 300 }));
        members.push(w.gateway);
      }
      for (const phone of phones) phone.disconnect();
      await w.m.it.gateway({ identifier: name, kind: "spread", settings: { members } });
    });
    const send = (count: number) => w.m.it.accepted(contactsTo(name, count));
    const sendTo = async (to: string) =>
      (await w.m.it.accepted([{ number: to, message: "Hi", gateway_identifier: name }]))[0] ?? "";
    const chosen = (ids: readonly string[]) => chosenOf(w.m.it, ids);
    const gatewayOf = async (id: string) => (await chosen([id]))[0] ?? "";
    const act = async (identifier: string, action: "pause" | "resume") => {
      const path = `/accounts/${w.accountId}/gateways/${identifier}/${action}`;
      assert.equal((await w.m.operator("POST", path, {})).statusCode, 200);
      await w.pass();
    };
    const shown = async (identifier: string) => {
      w.gateway = identifier;
      return await w.shown();
    };
    /** All phones but these are silent for so long that they count as offline. */
    const silence = async (...heard: SimulatedPhone[]) => {
      await w.m.it.advance(36 * minute);
      for (const phone of heard) await phone.cycle();
      await w.m.it.system.core.phones.sweep();
      await w.pass();
    };

    test("the record names the phone at once, and messages go by what is left of each day", async () => {
      const [first = "", second = ""] = members;
      await w.m.it.gateway({ identifier: first, kind: "android", pace: { per_day: 100, per_second: 1000 } });
      const names = await chosen(await send(100));
      const counts = [first, second].map((member) => names.filter((one) => one === member).length);
      // Where the choices begin is random, so that a share may be off by some.
      const isAbout = (count = 0, share: number) => Math.abs(count - share) <= 4;
      assert.ok(isAbout(counts[0], 25) && isAbout(counts[1], 75), `${counts}`);
      const later = (await chosen(await send(80))).filter((one) => one === first).length;
      assert.ok(isAbout(later, 20), `${later}: what waits counts as used`);
    });

    test("a recipient keeps a phone", async () => {
      const to = another();
      const phoneOf = async () => {
        for (const phone of phones) await phone.cycle();
        return await gatewayOf(await sendTo(to));
      };
      const first = await phoneOf();
      for (let i = 0; i < 6; i += 1) assert.equal(await phoneOf(), first);
    });

    test("a stopped phone gets no message, what waits for it goes to the other, and its recipients stay there", async () => {
      const to = another();
      const id = await sendTo(to);
      const first = await gatewayOf(id);
      const other = members.find((member) => member !== first);
      await act(first, "pause");
      assert.equal(await gatewayOf(id), other);
      assert.deepEqual(new Set(await chosen(await send(10))), new Set([other]));
      await act(first, "resume");
      assert.equal(await gatewayOf(await sendTo(to)), other, "chosen anew, and kept");
      assert.deepEqual(new Set(await chosen(await send(10))), new Set(members));
    });

    test("what a silent phone was never handed goes out once through the others; what it has stays with it", async () => {
      const [dead, alive] = phones as [SimulatedPhone, SimulatedPhone];
      const [first = "", second = ""] = members;
      const ids = await send(20);
      await dead.pull();
      const handed = [...dead.stored.items.keys()];
      assert.equal(handed.length, 5, "`ahead`");
      await silence(alive);
      const { state, pause } = await shown(first);
      assert.equal(state, "paused");
      assert.match(pause?.reason ?? "", /last reported/);
      const names = new Map(ids.map((id, i) => [id, i] as const));
      const now = await chosen(ids);
      for (const id of handed) assert.equal(now[names.get(id) ?? -1], first);
      assert.equal(now.filter((one) => one === second).length, 15);
      for (let i = 0; i < 6; i += 1) await alive.cycle();
      await dead.cycle();
      await w.pass();
      assert.deepEqual(new Set(await w.statuses(ids)), new Set(["delivered"]));
      const texts = ids.map((_, i) => `${name} ${i}`);
      const air = [...w.airOf(first), ...w.airOf(second)].map(({ text }) => text);
      assert.deepEqual(air.toSorted(), texts.toSorted(), "each once");
      const moved = ids.find((id) => !handed.includes(id) && id !== "") ?? "";
      assert.ok((await w.m.it.message(moved)).events?.length);
    });

    test("without a phone that can send it pauses with a reason and keeps what comes, and goes on by itself", async () => {
      await silence();
      const ids = await send(4);
      await w.m.it.advance(minute);
      const { state, pause } = await shown(name);
      assert.deepEqual([state, pause?.reason], ["paused", "None of its phones can send."]);
      assert.deepEqual(new Set(await chosen(ids)), new Set([name]));
      const [, back] = phones as [SimulatedPhone, SimulatedPhone];
      await back.cycle();
      await w.pass();
      assert.equal((await shown(name)).state, "active");
      assert.deepEqual(new Set(await chosen(ids)), new Set([members[1]]));
      await back.cycle();
      assert.deepEqual(new Set(await w.statuses(ids)), new Set(["delivered"]));
    });

    test("a spread that is stopped holds what comes, and gives it away when it is resumed", async () => {
      await act(name, "pause");
      const [id = ""] = await send(1);
      await w.m.it.advance(minute);
      assert.equal(await gatewayOf(id), name);
      await act(name, "resume");
      assert.ok(members.includes(await gatewayOf(id)));
    });

    test("a phone that was never linked gets nothing", async () => {
      await w.m.it.gateway({ identifier: `${name}-new`, kind: "android" });
      const settings = { members: [...members, `${name}-new`] };
      await w.m.it.gateway({ identifier: name, kind: "spread", settings });
      assert.deepEqual(new Set(await chosen(await send(20))), new Set(members));
    });
  });

  for (const dieAt of ["accept.before", "accept.after", "spread.before", "spread.after", "stamp.after"]) {
    test(`a process that dies at ${dieAt} loses no message of a spread and sends none twice, on ${engine}`, async () => {
      const shared = await ground(engine);
      const air: Transmission[] = [];
      let it = await harness({ ground: shared });
      const { clock } = it;
      const account = await it.account();
      const phones: SimulatedPhone[] = [];
      for (const identifier of ["a", "b"]) {
        await it.gateway({ identifier, kind: "android", pace: unpaced });
        const phone = new SimulatedPhone(identifier, () => it, air);
        assert.equal(await phone.registerByCode(await linkCode(it, account.id, identifier)), 201);
        phones.push(phone);
      }
      const [silent, heard] = phones as [SimulatedPhone, SimulatedPhone];
      await it.gateway({ identifier: "both", kind: "spread", settings: { members: ["a", "b"] } });
      const ids = await it.accepted(contactsTo("both", 8));
      await it.close();
      const dying = await harness({ ground: shared, clock, dieAt });
      it = dying;
      it.as(account);
      // One phone falls silent, so its messages change hands; more come; the other phone asks. None of it may come back.
      const steps = async () => {
        await it.send(contactsTo("both", 3));
        await heard.cycle();
      };
      await Promise.race([steps().catch(() => {}), clock.advance(minute)]);
      await Promise.race([clock.advance(36 * minute), it.system.core.phones.sweep()]);
      await Promise.race([heard.cycle().catch(() => {}), clock.advance(minute)]);
      await Promise.race([it.system.core.phones.sweep().catch(() => {}), clock.advance(minute)]);
      await clock.advance(minute);
      assert.equal(dying.dead(), true);
      await dying.kill();
      it = await harness({ ground: shared, clock });
      it.as(account);
      await clock.advance(minute);
      heard.crash();
      for (let round = 0; round < 4; round += 1) {
        await heard.cycle();
        await silent.cycle();
        await clock.advance(minute);
      }
      for (const id of ids) assert.equal((await it.message(id)).status, "delivered");
      const texts = air.map(({ number }) => number);
      assert.equal(new Set(texts).size, texts.length, "nothing went out twice");
      assert.ok(texts.length >= ids.length);
      await it.close();
      await shared.remove();
    });
  }
}
