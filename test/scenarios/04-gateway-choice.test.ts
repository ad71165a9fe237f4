// Through which gateway a message goes, and what happens when that one is switched off.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { provider, takes } from "./provider.ts";

const contact = { number: "+4915123456789", message: "Hi" };

describe("choosing a gateway", () => {
  let it: Harness;
  before(async () => {
    it = await harness({ respond: takes });
    await it.account();
    await it.gateway({ identifier: "oldest", ...provider, default: false });
    await it.gateway({ identifier: "main", ...provider });
    await it.gateway({ identifier: "off", ...provider, default: false, active: false });
  });
  after(() => it?.close());

  const through = async (gateway_identifier?: string) => {
    const [id] = await it.accepted([{ ...contact, gateway_identifier }]);
    await it.settle();
    return (await it.message(id!)).gateway_identifier;
  };

  test("without a name: the default one", async () => {
    assert.equal(await through(), "main");
  });

  test("with a name: that one", async () => {
    assert.equal(await through("oldest"), "oldest");
  });

  test("one request may name several", async () => {
    const ids = await it.accepted([
      { ...contact, gateway_identifier: "oldest" },
      contact,
      { ...contact, gateway_identifier: "main" },
    ]);
    const used = await Promise.all(ids.map(async (id) => (await it.message(id)).gateway_identifier));
    assert.deepEqual(used, ["oldest", "main", "main"]);
  });

  test("a name that is off, unknown, of another channel or another account's is refused", async () => {
    await it.gateway({ identifier: "mail", channel: "email", kind: "sandbox" });
    const mine = await it.account();
    await it.account({ name: "other" });
    await it.gateway({ identifier: "theirs", ...provider });
    it.as(mine);
    for (const gateway_identifier of ["off", "unknown", "mail", "theirs"]) {
      const reply = await it.send([{ ...contact, gateway_identifier }]);
      assert.equal(reply.statusCode, 422, gateway_identifier);
      assert.deepEqual(reply.json().errors, {
        "contact.0.gateway_identifier": ["The selected contact.0.gateway_identifier is invalid."],
      });
    }
  });
});

test("a gateway that is switched off: who named none moves to the default, who named it waits", async () => {
  const it = await harness({ respond: takes });
  await it.account();
  await it.gateway({ identifier: "spare", ...provider, default: false });
  await it.gateway({ identifier: "main", ...provider });
  const later = { ...contact, schedule_at: "2026-01-01 10:00:00" };
  const [open, named] = await it.accepted([later, { ...later, gateway_identifier: "main" }]);
  await it.gateway({ identifier: "main", ...provider, active: false });
  assert.equal((await it.send([contact])).statusCode, 200, "new ones take the oldest active gateway");
  await it.advance(12 * 3_600_000);

  const moved = await it.message(open!);
  assert.equal(moved.gateway_identifier, "spare");
  assert.equal(moved.status, "sent");
  assert.equal(moved.sent_at, "2026-01-01T10:00:00.000Z");
  const waiting = await it.message(named!);
  assert.equal(waiting.gateway_identifier, "main");
  assert.equal(waiting.status, "scheduled");

  await it.gateway({ identifier: "main", ...provider });
  await it.advance(1000);
  assert.equal((await it.message(named!)).status, "sent");
  assert.equal(it.requests.length, 3);
  await it.close();
});

test("without any active gateway a send is refused, and messages wait for one", async () => {
  const it = await harness({ respond: takes });
  await it.account();
  await it.gateway({ identifier: "only", ...provider });
  const [id] = await it.accepted([{ ...contact, schedule_at: "2026-01-01 01:00:00" }]);
  await it.gateway({ identifier: "only", ...provider, active: false });
  const reply = await it.send([contact]);
  assert.equal(reply.statusCode, 422);
  assert.deepEqual(reply.json().errors, {
    "contact.0.gateway_identifier": ["No active sms gateway is configured."],
  });
  await it.advance(5 * 3_600_000);
  assert.equal((await it.message(id!)).status, "scheduled");
  await it.gateway({ identifier: "new", ...provider });
  await it.advance(3_600_000);
  assert.equal((await it.message(id!)).status, "sent");
  await it.close();
});
