// The checker of inbound messages sees every kind of damage: each test plants one in a sound run.

import assert from "node:assert/strict";
import test from "node:test";
import { checkInbound, type InboundEvidence } from "./checker-inbound.ts";
import type { Handed, Inbound, Posted } from "./evidence.ts";

const handed = (marker: string, taken: number): Handed => ({
  marker,
  account: "acme",
  gateway: "twilio",
  taken,
});
const stored = (marker: string): Inbound => ({
  id: `in-${marker}`,
  marker,
  account: "acme",
  gateway: "twilio",
});
const postOf = (marker: string): Posted => ({
  account: "acme",
  id: `evt-${marker}`,
  signed: true,
  type: "message.received",
  timestamp: "2026-01-01T00:00:00.000Z",
  subject: `in-${marker}`,
  status: null,
  digest: marker,
  answer: "ok",
});

interface Case {
  handed: Handed[];
  inbound: Inbound[];
  posted: Posted[];
}

/** Taken once, taken twice, stored although the answer got lost, and never arrived. */
const sound = (): Case => ({
  handed: [handed("i.1", 1), handed("i.2", 2), handed("i.3", 0), handed("i.4", 0)],
  inbound: [stored("i.1"), stored("i.2"), stored("i.3")],
  posted: [postOf("i.1"), postOf("i.2"), { ...postOf("i.2"), answer: "500" }, postOf("i.3")],
});

function judge(change: (run: Case) => void, more: Partial<InboundEvidence> = {}): string[] {
  const run = sound();
  change(run);
  return checkInbound({ ...run, drained: true, ...more });
}

test("a sound run has no violations; before the drain not everything has been posted", () => {
  assert.deepEqual(
    judge(() => {}),
    [],
  );
  assert.deepEqual(
    judge((run) => run.posted.splice(0), { drained: false }),
    [],
  );
});

const planted: [string, (run: Case) => void, RegExp][] = [
  [
    "a message that was taken and is not stored",
    (run) => {
      run.inbound.shift();
      run.posted.shift();
    },
    /^lost: inbound i\.1: taken, and not stored$/,
  ],
  [
    "a message that is stored twice",
    (run) => {
      run.inbound.push({ ...stored("i.2"), id: "in-x" });
      run.posted.push({ ...postOf("i.2"), id: "evt-x", subject: "in-x" });
    },
    /^inbound i\.2: stored 2 times$/,
  ],
  [
    "an unanswered message that is stored twice",
    (run) => run.inbound.push({ ...stored("i.3"), id: "in-x" }),
    /^inbound i\.3: stored 2 times$/,
  ],
  [
    "a message that the simulator never sent",
    (run) => run.inbound.push(stored("x.1")),
    /^inbound x\.1: stored, but never sent$/,
  ],
  [
    "a message without a marker",
    (run) => run.inbound.push({ ...stored("x.1"), marker: null }),
    /^inbound no marker in in-x\.1: stored, but never sent$/,
  ],
  [
    "a message that another account sees",
    (run) => run.inbound.splice(0, 1, { ...stored("i.1"), account: "beta" }),
    /^inbound i\.1: of acme by twilio, shown to beta by twilio$/,
  ],
  [
    "a message of another gateway",
    (run) => run.inbound.splice(0, 1, { ...stored("i.1"), gateway: "other" }),
    /^inbound i\.1: of acme by twilio, shown to acme by other$/,
  ],
  ["a message that was never posted", (run) => run.posted.shift(), /^inbound in-i\.1: never posted$/],
  [
    "a message whose event was never taken",
    (run) => run.posted.splice(0, 1, { ...postOf("i.1"), answer: "500" }),
    /^inbound in-i\.1: never posted$/,
  ],
  [
    "a message that is posted as two events",
    (run) => run.posted.push({ ...postOf("i.1"), id: "evt-x" }),
    /^inbound in-i\.1: told as 2 events$/,
  ],
  [
    "a message that is posted to another account",
    (run) => run.posted.push({ ...postOf("i.1"), account: "beta" }),
    /^inbound in-i\.1: of acme, told to beta$/,
  ],
  [
    "an event of a message that is not stored",
    (run) => run.posted.push(postOf("x.1")),
    /^message\.received told of in-x\.1, which is not stored$/,
  ],
];

for (const [name, damage, expected] of planted) {
  test(`seen: ${name}`, () => {
    const lines = judge(damage);
    assert.ok(
      lines.some((line) => expected.test(line)),
      `${expected} not in ${JSON.stringify(lines)}`,
    );
  });
}
