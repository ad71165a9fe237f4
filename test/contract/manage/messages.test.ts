// The filter by several statuses: each word is one, and counts once.

import assert from "node:assert/strict";
import test from "node:test";
import { messagesQuery, statusesIn } from "#contract/manage/messages.ts";

test("statuses are words with commas between them, and nothing else", () => {
  for (const [text, read] of [
    ["failed", ["failed"]],
    ["failed,bounced", ["failed", "bounced"]],
    ["failed,failed,bounced", ["failed", "bounced"]],
    ["", null],
    ["lost", null],
    ["failed,", null],
    ["failed, bounced", null],
    ["failed;bounced", null],
  ] as const) {
    const { success, error } = messagesQuery.safeParse({ status: text });
    assert.equal(success, read !== null, text);
    if (read === null) assert.match(error?.issues[0]?.message ?? "", /must be a status such as failed/, text);
    else assert.deepEqual(statusesIn(text), read);
  }
});
