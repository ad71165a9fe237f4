// GET /api/account

import assert from "node:assert/strict";
import test from "node:test";
import { currentAccountReply } from "#contract/replies.ts";
import { account, ask, edge, key } from "../../edge.ts";

const get = (to: ReturnType<typeof edge>) =>
  ask(to, { method: "GET", url: "/api/account", headers: { "api-key": key } });

test("the account, its plan and its credit", async () => {
  const { status, json } = await get(edge());
  assert.equal(status, 200);
  assert.deepEqual(currentAccountReply.parse(json), json);
  assert.deepEqual(json, {
    success: true,
    message: "Account found.",
    data: {
      name: "acme",
      time_zone: "Europe/Berlin",
      country: "DE",
      plan: { name: "basic", expires_at: null },
      credit: { sms: { allowance: 1_000, remaining: 999 }, whatsapp: null, email: null },
    },
  });
});

test("the plan's end is an instant in UTC", async () => {
  const ending = { ...account, plan: { name: "basic", expiresAt: Date.UTC(2030, 0, 31, 9) } };
  const { json } = await get(edge({ authenticate: async () => ending }));
  assert.equal(currentAccountReply.parse(json).data.plan.expires_at, "2030-01-31T09:00:00.000Z");
});
