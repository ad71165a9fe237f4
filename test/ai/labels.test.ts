// Whom and what a call was for, as its client says.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { labelsOf, readTags, tagsText } from "#ai/labels.ts";

test("the user comes from the body, under the names that vendors have for it", () => {
  const userOf = (body: object) => labelsOf(body as Record<string, unknown>, []).user;
  assert.equal(userOf({ user: "ann", safety_identifier: "hash" }), "ann");
  assert.equal(userOf({ safety_identifier: "hash" }), "hash");
  assert.equal(userOf({ metadata: { user_id: "claude" } }), "claude");
  for (const user of [undefined, null, "", 7, {}]) assert.equal(userOf({ user }), null);
  assert.equal(userOf({ user: `a\u0000b${"x".repeat(200)}` }), `a b${"x".repeat(125)}`);
  assert.equal(userOf({ user: `${"x".repeat(127)}😀` }), `${"x".repeat(127)}\ufffd`);
});

test("tags come from the header first, then from the texts of metadata, ten at the most", () => {
  const metadata = { team: "b", run: "r\n7", user_id: "ann", count: 3, empty: "" };
  assert.deepEqual(labelsOf({ metadata }, ["team=a"]).tags, ["team=a", "run=r 7"]);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, "v"]));
  assert.equal(labelsOf({ metadata: many }, ["team=a"]).tags.length, 10);
  assert.deepEqual(labelsOf({ metadata: ["a"] }, []), { user: null, tags: [] });
  assert.deepEqual(labelsOf({}, []).tags, []);
});

test("a header of tags is read, or malformed as a whole", () => {
  assert.deepEqual(readTags("team=checkout , stage=live a=b"), ["team=checkout", "stage=live a=b"]);
  assert.equal(readTags("team=checkout,stage"), null);
});

test("the documented form of the header is what is read", () => {
  const characters = fc.constantFrom(..."a:=, ~-é");
  const names = fc.constantFrom(
    "",
    " ",
    "a=1",
    " a=1 2 ",
    "a:b/c=x=y",
    "a=",
    "=1",
    "a",
    "é=1",
    `${"a".repeat(41)}=1`,
    `a=${"1".repeat(88)}`,
  );
  const headers = fc.oneof(
    fc.string({ unit: characters, maxLength: 12 }),
    fc.array(names, { maxLength: 10 }).map((tags) => tags.join(",")),
  );
  fc.assert(
    fc.property(headers, (header) => assert.equal(tagsText.test(header), readTags(header) !== null)),
    { numRuns: 2_000 },
  );
  assert.equal(tagsText.test(Array(11).fill("a=1").join(",")), false);
});
