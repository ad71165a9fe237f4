// A PATCH without a body says nothing of what to change: 400 at every route of the management API that has one.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { endpoints } from "#http/endpoints.ts";
import { type Harness, harness } from "../harness.ts";
import { bearer, manage, tokenFor } from "./managing.ts";

const patches = endpoints.map(({ head }) => head).filter(({ method }) => method === "PATCH");
let it: Harness;
let account: string;
let token: string;
before(async () => {
  it = await harness();
  account = (await it.account()).id;
  token = await tokenFor(it);
});
after(() => it.close());

test("there are such routes", () => assert.ok(patches.length >= 7));

for (const { path } of patches) {
  test(`PATCH ${path}`, async () => {
    const to = path
      .replace("/api/manage/v1", "")
      .replace("{account}", account)
      .replaceAll(/\{\w+\}/g, "x");
    const json = { "content-type": "application/json" };
    for (const [headers, body] of [
      [{}, undefined],
      [json, ""],
      [json, " "],
      [json, "null"],
    ] as const) {
      const reply = await manage(it, "PATCH", to, {
        headers: { ...bearer(token), ...headers },
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(reply.statusCode, 400);
      assert.deepEqual(reply.json(), {
        success: false,
        message: "The body must be a JSON object that says what to change.",
        code: "malformed_body",
      });
    }
    const empty = await manage(it, "PATCH", to, { headers: { ...bearer(token), ...json }, body: "{}" });
    assert.notEqual(empty.statusCode, 400);
  });
}
