// The query of the lookup of incoming messages.

import assert from "node:assert/strict";
import test from "node:test";
import { readReceived } from "#contract/messages/received/record.ts";

const read = (query: string) => readReceived(new URLSearchParams(query));

test("fifty, from the newest on, unless asked otherwise", () => {
  assert.deepEqual(read(""), { limit: 50, cursor: null, issues: null });
  assert.deepEqual(read("limit=200&cursor=in_1"), { limit: 200, cursor: "in_1", issues: null });
  assert.deepEqual(read("limit=7&limit=8"), { limit: 8, cursor: null, issues: null });
});

test("faults are reported in the common sentences, and a status is no parameter here", () => {
  const { issues } = read("limit=0&cursor=a%00b&status=bogus");
  assert.deepEqual(
    issues?.map(({ path, message }) => [path.join("."), message]),
    [
      ["limit", "The limit field must be at least 1."],
      ["cursor", "The selected cursor is invalid."],
    ],
  );
  assert.equal(read("status=bogus").issues, null);
});
