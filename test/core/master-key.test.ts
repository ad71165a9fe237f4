// A database opens with the master key that it was sealed with, and with no other.

import assert from "node:assert/strict";
import test from "node:test";
import { openSealer } from "#core/master-key.ts";
import { StorageError } from "#store/database.ts";
import { ground, seededRandom } from "../harness.ts";

test("the first key is remembered; another one is refused, and the database closed", async () => {
  const own = await ground("sqlite");
  const random = seededRandom();
  const first = await own.open();
  const sealer = await openSealer("the first master key of this test", random, first);
  const sealed = sealer.seal("secret", "here");
  await first.close();
  const second = await own.open();
  await assert.rejects(openSealer("another master key of this test", random, second), (error) => {
    assert.ok(error instanceof StorageError);
    assert.match(error.message, /TRUNKLINE_MASTER_KEY/);
    return true;
  });
  const third = await own.open();
  const again = await openSealer("the first master key of this test", random, third);
  assert.equal(again.unseal(sealed, "here"), "secret");
  await third.close();
  await own.remove();
});
