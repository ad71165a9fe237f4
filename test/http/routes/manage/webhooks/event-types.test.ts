// The types of events: every one that there is, with a schema that its example fits.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventTypes } from "#contract/messages/events.ts";
import { bodyFault } from "../../../../posted-event.ts";
import { dataOf, type Managed, managed } from "../managed.ts";

let m: Managed;
before(async () => {
  m = await managed();
});
after(() => m.close());

interface Listed {
  type: string;
  title: string;
  description: string;
  schema: { $ref: string; $defs: Record<string, { required?: string[]; oneOf?: object[] }> };
  example: { type: string; timestamp: string; data: Record<string, unknown> };
}

test("every type is listed with its schema and an example, for everybody who is signed in", async () => {
  const { id } = await m.it.account();
  const member = await m.member(id);
  const listed = dataOf<Listed[]>(await member("GET", "/event-types"));
  assert.deepEqual(
    listed.map(({ type }) => type),
    [...eventTypes, "webhook.test"],
  );
  for (const { type, title, description, schema, example } of listed) {
    assert.ok(title.length > 0 && description.length > 0);
    assert.equal(example.type, type);
    assert.equal(bodyFault(JSON.stringify(example)), null);
    const { required, oneOf } = schema.$defs[schema.$ref.split("/").at(-1)!]!;
    // A message's is one of three channels.
    if (oneOf !== undefined) assert.equal(oneOf.length, 3, type);
    else
      assert.ok(
        required?.every((name) => Object.hasOwn(example.data, name)),
        type,
      );
  }
});
