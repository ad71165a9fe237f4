// A customer sends a first SMS and watches it arrive.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { type Harness, harness, someEngines } from "../harness.ts";

for (const engine of someEngines(import.meta.filename)) {
  describe(`a first SMS on ${engine}`, () => {
    let it: Harness;
    after(() => it?.close());

    test("is accepted, goes out and is delivered", async () => {
      it = await harness({ engine });
      await it.account();
      await it.gateway({ identifier: "sandbox-sms", default: true });
      const reply = await it.send([{ number: "+15550000001", message: "Hello" }]);
      assert.equal(reply.statusCode, 200);
      const { success, message, data } = reply.json();
      assert.equal(success, true);
      assert.equal(message, "SMS messages have been queued.");
      assert.equal(data.contact.length, 1);
      assert.equal(data.contact[0].status, "queued");
      await it.settle();
      const record = await it.message(data.contact[0].id);
      assert.equal(record.status, "delivered");
      assert.deepEqual(
        record.events?.map((event) => event.type),
        ["queued", "sending", "sent", "delivered"],
      );
    });

    test("that the provider defers is tried again, and then delivered", async () => {
      const [id] = await it.accepted([{ number: "+15550000004", message: "Hello" }]);
      await it.settle();
      assert.equal((await it.message(id!)).status, "queued");
      await it.advance(86_400_000);
      const record = await it.message(id!);
      assert.equal(record.status, "delivered");
      assert.equal(record.attempts, 3);
    });
  });
}
