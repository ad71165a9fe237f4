// The lists of a message's changing columns are made from one.

import assert from "node:assert/strict";
import test from "node:test";
import {
  acceptedSnapshot,
  type MessageSnapshot,
  snapshotColumns,
  snapshotOf,
  stateColumns,
  stateColumnTypes,
} from "#store/schema/message-state.ts";

test("every column has its type, and events show those that describe the message", () => {
  assert.deepEqual(Object.keys(stateColumnTypes), stateColumns);
  assert.deepEqual([stateColumnTypes.status, stateColumnTypes.due_at], ["text", "bigint"]);
  const hidden = stateColumns.filter((name) => !(snapshotColumns as readonly string[]).includes(name));
  assert.deepEqual(hidden, ["version", "resends", "first_deferred_at", "refunded", "held_due_at"]);
  assert.ok(snapshotColumns.includes("gateway_id"));
});

test("a snapshot has the columns of events alone, as they are at that moment", () => {
  const row: MessageSnapshot & { recipient: string; refunded: number } = {
    status: "sent",
    due_at: null,
    attempts: 2,
    updated_at: 30,
    sent_at: 20,
    delivered_at: null,
    read_at: null,
    provider_reference: "ref",
    error_code: null,
    error_message: null,
    gateway_id: "gw_1",
    recipient: "+15550100",
    refunded: 1,
  };
  const { recipient: _, refunded: _refunded, ...shown } = row;
  const snapshot = snapshotOf(row);
  row.status = "delivered";
  assert.deepEqual(snapshot, shown);
});

test("a message as it was accepted has every column that events show, and a value in the known ones alone", () => {
  const known = { status: "scheduled", due_at: 7, updated_at: 5, gateway_id: "gw_1" } as const;
  const accepted = acceptedSnapshot(known);
  assert.deepEqual(Object.keys(accepted).sort(), [...snapshotColumns].sort());
  const { attempts, status, due_at, updated_at, gateway_id, ...others } = accepted;
  assert.deepEqual({ status, due_at, updated_at, gateway_id }, known);
  assert.equal(attempts, 0);
  assert.ok(Object.values(others).every((value) => value === null));
});
