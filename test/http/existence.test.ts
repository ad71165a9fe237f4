// What a stranger can learn by asking: nothing about which gateways there are, as long as they take no callbacks.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { providerSettings } from "../scenarios/provider.ts";

let it: Harness;
/** The operations that storage was asked for. */
let asked: string[] = [];

before(async () => {
  it = await harness({ started: false });
  await it.account();
  await it.gateway({ identifier: "sandbox-of-ours" });
  const oneWay = { ...providerSettings, callback: undefined };
  await it.gateway({ identifier: "one-way", kind: "http-api", settings: oneWay });
  const smtp = { host: "mail.example.com", port: 587, from: "a@example.com" };
  await it.gateway({ identifier: "mail", channel: "email", kind: "smtp", settings: smtp });
  const { database } = it.system;
  const { run } = database;
  database.run = (operation, input) => {
    asked.push(operation.name);
    return run(operation, input);
  };
});
after(() => it?.close());

const requests = {
  "a report in the query": { method: "GET", query: "?token=x&id=1" },
  "a report as JSON": { method: "POST", type: "application/json", body: '{"id":1,"state":"DELIVRD"}' },
  "a form": {
    method: "POST",
    type: "application/x-www-form-urlencoded",
    body: "MessageSid=1&MessageStatus=sent",
  },
  "a mail": { method: "POST", type: "message/rfc822", body: "From: a@example.com\r\n\r\nHi" },
  "no body": { method: "POST" },
  "a body of another type": { method: "POST", type: "image/png", body: "x".repeat(10_000) },
  "a body that is too large": { method: "POST", type: "application/json", body: "x".repeat(1_100_000) },
} as const satisfies Record<string, { method: "GET" | "POST"; query?: string; type?: string; body?: string }>;

for (const [what, request] of Object.entries(requests)) {
  test(`${what}: a gateway that takes no callbacks is as one that does not exist`, async () => {
    const { method, query = "", type, body } = { query: "", type: undefined, body: undefined, ...request };
    const ask = async (identifier: string) => {
      asked = [];
      const reply = await inject(it.system.app, {
        method,
        url: `/callbacks/${identifier}${query}`,
        headers: type === undefined ? {} : { "content-type": type },
        ...(body === undefined ? {} : { payload: body }),
      });
      const { "x-request-id": _id, date: _date, ...headers } = reply.headers;
      return { status: reply.statusCode, headers, body: reply.body, asked };
    };
    const missing = await ask("gateway-of-none");
    assert.equal(missing.status, what === "a body that is too large" ? 413 : 404);
    for (const there of ["sandbox-of-ours", "one-way", "mail"])
      assert.deepEqual(await ask(there), missing, `${there}: the same answer for the same work`);
  });
}
