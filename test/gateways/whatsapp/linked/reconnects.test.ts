// When a linked device connects again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Reconnects } from "#gateways/whatsapp/linked/reconnects.ts";
import { movableClock } from "#runtime/movable-clock.ts";

const minute = 60_000;

function make() {
  const clock = movableClock();
  const random = { random: () => 1 } as ConstructorParameters<typeof Reconnects>[1];
  return { clock, reconnects: new Reconnects(clock, random) };
}

const lost = { wasConnected: true, firstMs: 1_000 };
const refused = { wasConnected: false, firstMs: 1_000 };

test("waits double up to a minute, and begin anew after a connection that held for a minute", async () => {
  const { clock, reconnects } = make();
  const waits = Array.from({ length: 8 }, () => reconnects.waitAfter(428, refused));
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000, minute, minute, minute]);
  reconnects.connected();
  await clock.advance(minute - 1);
  assert.equal(reconnects.waitAfter(428, lost), minute);
  reconnects.connected();
  await clock.advance(minute);
  assert.equal(reconnects.waitAfter(428, lost), 1_000);
});

test("three server errors in a row, without a connection between them, mean damaged keys", () => {
  const { reconnects } = make();
  assert.notEqual(reconnects.waitAfter(500, refused), null);
  assert.notEqual(reconnects.waitAfter(500, refused), null);
  reconnects.connected();
  assert.notEqual(reconnects.waitAfter(500, refused), null);
  assert.notEqual(reconnects.waitAfter(500, refused), null);
  assert.equal(reconnects.waitAfter(500, refused), null);
});

test("a link that is taken twice within ten minutes is left to the other", async () => {
  const { clock, reconnects } = make();
  assert.equal(reconnects.isConflict(), false);
  await clock.advance(10 * minute);
  assert.equal(reconnects.isConflict(), false);
  await clock.advance(10 * minute - 1);
  assert.equal(reconnects.isConflict(), true);
});
