// Thoughts in the words of OpenRouter and LiteLLM: pieces joined, seals found, blocks of Claude, and seals packed into one text.

import assert from "node:assert/strict";
import test from "node:test";
import {
  claudeFormat,
  detailsOf,
  hasPacked,
  isPacked,
  joined,
  packed,
  responsesFormat,
  sealedDetail,
  sealOf,
  thinkingBlock,
  thoughtDetail,
  unpacked,
} from "#providers/translate/reasoning-details.ts";

test("pieces of one thought are joined until it is signed; others stay apart", () => {
  const pieces = [
    thoughtDetail(0, "Two ", ""),
    thoughtDetail(0, "files.", ""),
    thoughtDetail(0, "", "c2ln"),
    thoughtDetail(1, "More.", ""),
    sealedDetail(2, "ZGF0YQ==", claudeFormat),
  ];
  const expected = [thoughtDetail(0, "Two files.", "c2ln"), thoughtDetail(1, "More.", ""), pieces[4]];
  assert.deepEqual(joined(pieces), expected);
  assert.deepEqual(joined(expected.map((detail) => detail!)), expected);
  assert.deepEqual(
    expected.map((detail) => sealOf(detail!)),
    ["c2ln", "", "ZGF0YQ=="],
  );
});

test("details are taken, else LiteLLM's blocks, and both make Claude's blocks", () => {
  const blocks = [
    { type: "thinking", thinking: "Two files.", signature: "c2ln" },
    { type: "redacted_thinking", data: "ZGF0YQ==" },
  ];
  const details = [thoughtDetail(0, "Two files.", "c2ln"), sealedDetail(1, "ZGF0YQ==", claudeFormat)];
  assert.deepEqual(detailsOf({ thinking_blocks: blocks }), details);
  assert.deepEqual(detailsOf({ reasoning_details: details, thinking_blocks: blocks }), details);
  assert.deepEqual(detailsOf({ reasoning_details: "none" }), []);
  assert.deepEqual(details.map(thinkingBlock), blocks);
  assert.deepEqual(
    [thoughtDetail(0, "unsigned", ""), sealedDetail(0, "eA==", responsesFormat)].map(thinkingBlock),
    [null, null],
  );
});

test("what is packed comes back, and other or damaged texts bring nothing", () => {
  const details = [thoughtDetail(0, "Grüße 🌍", "c2ln"), sealedDetail(1, "ZGF0YQ==", responsesFormat)];
  const text = packed(details);
  assert.deepEqual(unpacked(text), details);
  assert.deepEqual(
    [isPacked(text), hasPacked(`{"signature":"${text}"}`), isPacked("c2ln")],
    [true, true, false],
  );
  for (const other of ["c2ln", text.slice(0, -3), `${text.slice(0, 17)}!!!`, 7, null, packed([{ a: 1 }])])
    assert.deepEqual(unpacked(other), []);
});
