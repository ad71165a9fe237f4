// Marks of what to cache are found wherever a request may have them.

import assert from "node:assert/strict";
import test from "node:test";
import { unmarked } from "#providers/translate/cache-marks.ts";
import { readConversation } from "#providers/translate/conversation.ts";
import type { FunctionTool } from "#providers/translate/request-fields.ts";

test("a mark on the system text, a part, a result or a tool is named; none is not", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const part = (more: object) => [{ type: "text", text: "x", ...more }];
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const tool: FunctionTool = { name: "f", description: null, parameters: null, strict: false };
  const named = (at: number) => {
    const more = (own: number) => (at === own ? mark : {});
    const read = readConversation([
      { role: "system", content: part(more(0)) },
      { role: "user", content: part(more(1)) },
      { role: "assistant", content: part(more(2)), tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: part(more(3)) },
    ]);
    assert.ok(read.kind !== "issue");
    return unmarked(read, [at === 4 ? { ...tool, cacheControl: mark.cache_control } : tool]);
  };
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(named), [...Array(5).fill(["cache_control"]), []]);
});
