// The envelope of replies and lists, and the query of a page.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { idCursor, idParam, limit, page, reply } from "#contract/envelope.ts";

const item = z.object({ id: z.string() });

test("a reply and a page have their envelope, and their name in the document", () => {
  const single = reply("EnvelopeTestReply", item);
  const data = { success: true as const, message: "Found.", data: { id: "a" } };
  assert.deepEqual(single.parse(data), data);
  assert.equal(single.safeParse({ ...data, success: false }).success, false);
  assert.equal(z.globalRegistry.get(single)?.id, "EnvelopeTestReply");
  const list = page("EnvelopeTestPage", item, " More.");
  for (const next_cursor of [null, "c"])
    assert.equal(list.safeParse({ ...data, data: [data.data], next_cursor }).success, true);
  assert.equal(list.safeParse({ ...data, data: [data.data] }).success, false);
  assert.match(list.shape.next_cursor.description ?? "", / More\.$/);
  for (const schema of [single, list]) z.globalRegistry.remove(schema);
});

test("a page has 1 to 200 items, 50 by default", () => {
  assert.equal(limit.parse(undefined), 50);
  assert.deepEqual([limit.parse("1"), limit.parse("200")], [1, 200]);
  for (const text of ["0", "201", "1.5", "x"]) assert.equal(limit.safeParse(text).success, false, text);
});

test("cursors and ids are plain", () => {
  assert.equal(idCursor.safeParse(undefined).success, true);
  assert.equal(idCursor.safeParse("msg_01k3").success, true);
  for (const text of ["", "A", "a b", "a".repeat(65)]) assert.equal(idCursor.safeParse(text).success, false);
  const id = idParam("The id.");
  assert.equal(id.description, "The id.");
  assert.equal(id.safeParse("wh_A-1").success, true);
  for (const text of ["", "a/b", "a".repeat(65)]) assert.equal(id.safeParse(text).success, false);
});
