// Room for another key among those of an owner.

import assert from "node:assert/strict";
import { test } from "node:test";
import { roomFor } from "#store/key-room.ts";

const keys = (revoked: number, valid: number) => [
  ...Array.from({ length: revoked }, (_, at) => ({ id: `revoked-${at}`, revoked_at: at })),
  ...Array.from({ length: valid }, (_, at) => ({ id: `valid-${at}`, revoked_at: null })),
];

test("valid keys are bounded, and so are the revoked ones, of which the oldest goes", () => {
  for (const [revoked, valid, isFull, goes] of [
    [0, 0, false, null],
    [0, 2, false, null],
    [0, 3, true, null],
    [2, 2, false, null],
    [3, 2, false, "revoked-0"],
    [4, 3, true, "revoked-0"],
  ] as const)
    assert.deepEqual(roomFor(keys(revoked, valid), 3), { isFull, goes }, `${revoked} and ${valid}`);
});
