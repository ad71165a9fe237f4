// The estimate of a request: which rate, when the last message goes out, and why that cannot be known.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Ask, dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
let member: Ask;
let path: string;
before(async () => {
  m = await managed();
  const account = await m.it.account({ name: "acme" });
  path = `/accounts/${account.id}`;
  member = await m.member(account.id);
  await m.it.gateway({ identifier: "paced", default: true, pace: { per_second: 2 } });
  await m.it.gateway({ identifier: "free" });
});
after(() => m.close());

interface Estimate {
  messages: number;
  gateways: {
    gateway: string;
    per_second: number | null;
    rate_of: string | null;
    unknown_because: string | null;
  }[];
  done_at: string | null;
}

const later = { number: "+15550000001", message: "hi", schedule_at: "2030-01-31 09:00:00" };

async function estimateOf(contacts: object[]): Promise<{ id: string; estimate: Estimate | null }> {
  const [id = ""] = await m.it.accepted(contacts);
  const request = (await m.it.message(id)).request_id;
  return dataOf(await member("GET", `${path}/requests/${request}`));
}

test("what waits goes out at the pace of its gateway once it is due, behind what is due before", async () => {
  const first = await estimateOf(Array.from({ length: 20 }, () => later));
  assert.deepEqual(first.estimate, {
    messages: 20,
    gateways: [
      {
        gateway: "paced",
        messages: 20,
        per_second: 2,
        rate_of: "pace",
        done_at: "2030-01-31T09:00:10.000Z",
        unknown_because: null,
      },
    ],
    done_at: "2030-01-31T09:00:10.000Z",
  });
  const second = await estimateOf([later, later]);
  assert.equal(second.estimate?.done_at, "2030-01-31T09:00:11.000Z");
  const address = `${path}/requests/${second.id}`;
  const { estimate, ...rest } = dataOf<{ estimate: Estimate | null }>(await member("GET", address));
  assert.equal(estimate?.messages, 2);
  assert.deepEqual(dataOf(await member("GET", `${address}?estimate=false`)), { ...rest, estimate: null });
  assert.equal((await member("GET", `${address}?estimate=no`)).statusCode, 422);
});

test("a gateway without a pace, and one that does not send, are no estimate", async () => {
  const without = await estimateOf([{ ...later, gateway_identifier: "free" }, later]);
  assert.equal(without.estimate?.done_at, null);
  assert.deepEqual(
    without.estimate?.gateways.map(({ gateway, unknown_because }) => [gateway, unknown_because]).sort(),
    [
      ["free", "no_rate"],
      ["paced", null],
    ],
  );
  assert.equal((await member("POST", `${path}/gateways/paced/pause`)).statusCode, 200);
  const again = dataOf<{ estimate: Estimate | null }>(await member("GET", `${path}/requests/${without.id}`));
  assert.deepEqual(again.estimate?.gateways.map(({ unknown_because }) => unknown_because).sort(), [
    "no_rate",
    "stopped",
  ]);
});

test("a request of which all went out has none", async () => {
  const sent = await estimateOf([{ number: "+15550000001", message: "hi", gateway_identifier: "free" }]);
  await m.it.advance(60_000);
  const after = dataOf<{ estimate: Estimate | null }>(await member("GET", `${path}/requests/${sent.id}`));
  assert.equal(after.estimate, null);
});
