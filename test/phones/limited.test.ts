// A phone that may not send so fast: its messages wait and go out more slowly, none of them fails for it, and the pace comes back.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { hour, minute, type PhoneWorld, phoneWorld } from "./phone-world.ts";

const refusal = {
  error: "Send result: RESULT_ERROR_LIMIT_EXCEEDED (Failed because the sending queue limit)",
};

for (const engine of someEngines(import.meta.filename)) {
  describe(`limited phones on ${engine}`, () => {
    let w: PhoneWorld;
    before(async () => {
      w = await phoneWorld(engine);
    });
    after(() => w.m.close());

    const slowed = async () =>
      ((await w.shown()) as unknown as { slowed: { factor: number } | null }).slowed?.factor ?? 1;

    test("what the phone had in hand halves its pace once, and what comes after that halves it again", async () => {
      const phone = await w.linked({ ahead: 3 }, { per_second: 1, jitter_ms: 0, per_day: 1_000 });
      assert.equal(await slowed(), 1);
      phone.radio = () => refusal;
      const ids = await w.accepted(3);
      await w.pass();
      assert.deepEqual([await slowed(), (await w.shown()).state], [2, "active"]);
      assert.deepEqual(await w.statuses(ids), ["queued", "queued", "queued"]);
      await w.pass(2_000);
      assert.equal(await slowed(), 4);
      await w.pass(3_000);
      assert.equal(await slowed(), 4, "nothing was handed over in three seconds");
      phone.radio = () => ["Sent"];
      await w.m.it.advance(minute);
      assert.deepEqual(await w.statuses(ids), ["sent", "sent", "sent"]);
      assert.equal(w.air.length, 3, "each went out once");
      for (const id of ids) assert.equal((await w.m.it.message(id)).error, null);

      await w.m.it.advance(hour);
      assert.equal(await slowed(), 2);
      await w.m.it.advance(hour);
      assert.equal(await slowed(), 1);
    });

    test("a clock that jumps ahead gives up no message that is one too many", async () => {
      const phone = await w.linked({}, { per_second: 1, jitter_ms: 0, per_day: 1_000 });
      const retry = { for_ms: 2 * hour };
      assert.equal((await w.m.operator("PATCH", w.path(), { retry })).statusCode, 200);
      phone.radio = () => refusal;
      const [id = ""] = await w.accepted(1);
      await w.m.it.advance(minute);
      const { clock } = w.m.it;
      clock.setNow(clock.now() + 4 * hour);
      await w.m.it.advance(hour);
      assert.equal((await w.m.it.message(id)).status, "queued");
      assert.ok((await slowed()) > 1, "it was tried again");
    });

    test("a message that is one too many for as long as messages are tried has failed", async () => {
      const phone = await w.linked({}, { per_second: 1, jitter_ms: 0, per_day: 1_000 });
      const retry = { for_ms: 2 * minute };
      assert.equal((await w.m.operator("PATCH", w.path(), { retry })).statusCode, 200);
      phone.radio = () => refusal;
      const [id = ""] = await w.accepted(1);
      await w.m.it.advance(10 * minute);
      const { status, error } = await w.m.it.message(id);
      assert.deepEqual([status, error?.code], ["failed", "limit_exceeded"]);
      assert.ok((await slowed()) > 4);
      assert.ok(phone.stored.items.size < 10, "it was not tried more often than the slower pace allows");
    });
  });
}
