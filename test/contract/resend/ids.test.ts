// Ids of ours as UUIDs, and back.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { messageIdOf, uuidOf } from "#contract/resend/ids.ts";

test("an id is one UUID, and the UUID names it", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/), (digits) => {
      const id = `msg_${digits}`;
      const uuid = uuidOf(id);
      assert.match(uuid, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.equal(messageIdOf(uuid), id);
      assert.equal(messageIdOf(uuid.toUpperCase()), id);
      assert.equal(messageIdOf(id), id);
    }),
  );
  for (const text of ["", "x", "0".repeat(32), "gw_01test"]) assert.equal(messageIdOf(text), null);
});
