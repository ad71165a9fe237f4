// The life of a message, step by step: the whole table, and what holds for any order of steps.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type Status, statuses } from "#contract/messages/channel.ts";
import {
  advance,
  groups,
  type ReceiptStep,
  receiptSteps,
  type Step,
  type SystemStep,
} from "#contract/messages/states.ts";

const ownSteps = [
  "accepted",
  "rejected",
  "deferred",
  "outcome_unknown",
  "resent",
  "returned",
  "cancelled",
  "suppressed",
  "expired",
  "resent_by_account",
  "marked_sent",
  "marked_failed",
] as const;

/** Where our own steps lead from each status; `.` is nowhere. Columns in the order of the steps. */
// biome-ignore format: it is a table.
const table: Record<Status, string> = {
  //             accepted rejected deferred unknown resent   returned cancelled suppressed expired by_account marked_sent marked_failed
  queued:       "sent     .        .        .       .        .        cancelled suppressed expired .          .           .",
  scheduled:    ".        .        .        .       .        .        cancelled suppressed expired .          .           .",
  sending:      "sent     failed   queued   unknown queued   .        .         .          .       .          .           .",
  unknown:      "sent     failed   queued   .       .        queued   .         .          .       queued     sent        failed",
  cancelled:    "sent     .        .        .       .        .        .         .          .       .          .           .",
  expired:      "sent     .        .        .       .        .        .         .          .       .          .           .",
  suppressed:   "sent     .        .        .       .        .        .         .          .       .          .           .",
  sent:         ".        .        .        .       .        queued   .         .          .       .          .           .",
  failed:       ".        .        .        .       .        .        .         .          .       .          .           .",
  undelivered:  ".        .        .        .       .        .        .         .          .       .          .           .",
  delivered:    ".        .        .        .       .        .        .         .          .       .          .           .",
  bounced:      ".        .        .        .       .        .        .         .          .       .          .           .",
  read:         ".        .        .        .       .        .        .         .          .       .          .           .",
};

/** Where receipts lead. From every status that is not listed each leads to what it says. */
// biome-ignore format: it is a table.
const reported: Partial<Record<Status, string>> = {
  //             sent delivered read undelivered failed bounced
  sent:         ".    delivered read undelivered failed bounced",
  failed:       ".    delivered read undelivered .      bounced",
  undelivered:  ".    delivered read .           .      bounced",
  delivered:    ".    .         read .           .      bounced",
  bounced:      ".    .         read .           .      .",
  read:         ".    .         .    .           .      .",
};
const steps = [...ownSteps, ...receiptSteps] as const;

const own = (step: SystemStep): Step => ({ by: "system", step });
const receipt = (step: ReceiptStep): Step => ({ by: "receipt", step });
const stepOf = (name: (typeof steps)[number]): Step =>
  (ownSteps as readonly string[]).includes(name) ? own(name as SystemStep) : receipt(name as ReceiptStep);

/** The order in which receipts know more about a message. */
const ladder: readonly Status[] = ["sent", "failed", "undelivered", "delivered", "bounced", "read"];

for (const status of statuses) {
  test(`from ${status} each step leads where the table says`, () => {
    const expected = [
      ...table[status].split(/\s+/),
      ...(reported[status] ?? "sent delivered read undelivered failed bounced").split(/\s+/),
    ];
    assert.equal(expected.length, steps.length);
    const actual = steps.map((step) => advance(status, stepOf(step))?.status ?? ".");
    assert.deepEqual(actual, expected);
  });
}

test("a step to where the message already is changes nothing", () => {
  for (const status of statuses) {
    for (const step of steps) assert.notEqual(advance(status, stepOf(step))?.status, status);
  }
});

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, at) =>
    permutations(list.filter((_, other) => other !== at)).map((rest) => [first, ...rest]),
  );
}

/** Applies the steps, checking on the way that no step leads down the ladder. */
function end(start: Status, taken: readonly Step[]): Status {
  let status = start;
  for (const step of taken) {
    const next = advance(status, step);
    if (next === null) continue;
    const from = ladder.indexOf(status);
    assert.ok(
      ladder.indexOf(next.status) > from || from === -1,
      `${status} → ${next.status} by ${step.by} ${step.step}`,
    );
    status = next.status;
  }
  return status;
}

const highest = (steps: readonly ReceiptStep[]) =>
  ladder.filter((one) => steps.some((step) => step === one)).at(-1);

/** What our own side may still do to a message about which receipts come: nothing, settle it, or hear its account. */
const settlings = [null, "accepted", "outcome_unknown", "resent", "deferred", "rejected"] as const;
const answersToDoubt = ["accepted", "resent_by_account", "marked_sent", "marked_failed"] as const;

for (const left of receiptSteps) {
  test(`all 120 orders of the five receipts without ${left}, with and without a step of ours anywhere among them, end alike`, () => {
    const five = receiptSteps.filter((step) => step !== left);
    const best = highest(five);
    const orders = permutations(five);
    assert.equal(orders.length, 120);
    for (const order of orders) {
      for (let at = 0; at <= order.length; at++) {
        for (const [start, ours] of [
          ["sending", settlings],
          ["unknown", answersToDoubt],
        ] as const) {
          for (const step of ours) {
            // Each comes twice: at once again, and once more when all have come.
            const taken = [...order.flatMap((one) => [one, one]), ...order].map(receipt);
            if (step !== null) taken.splice(2 * at, 0, own(step));
            assert.equal(end(start, taken), best, `${order.join(" ")}, ${step} at ${at}`);
          }
        }
      }
    }
  });
}

test("receipts that come twice, early, late and in any order end where the most telling one says", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Status>("sending", "queued", "unknown", "sent"),
      fc.array(fc.constantFrom(...receiptSteps), { minLength: 1, maxLength: 12 }),
      fc.nat(12),
      (start, steps, at) => {
        const taken = steps.map(receipt);
        taken.splice(Math.min(at, taken.length), 0, own("accepted"));
        assert.equal(end(start, taken), highest(steps));
      },
    ),
    { numRuns: 2000, seed: 7 },
  );
});

test("once a receipt has spoken, no step of ours moves the message", () => {
  for (const status of ladder.slice(1)) {
    for (const step of ownSteps) assert.equal(advance(status, own(step)), null, `${status} ${step}`);
  }
});

test("failed becomes delivered when a receipt proves it, and the error goes", () => {
  const change = advance("failed", receipt("delivered"));
  assert.equal(change?.status, "delivered");
  assert.equal(change?.error, "clear");
  assert.equal(change?.refund, false);
});

test("unknown is settled by any receipt", () => {
  for (const step of receiptSteps) assert.equal(advance("unknown", receipt(step))?.status, step);
});

test("credit goes back only where the message ends without having been sent", () => {
  for (const status of statuses) {
    for (const step of steps) {
      const change = advance(status, stepOf(step));
      if (change === null) continue;
      const notSent = (groups.notSent as readonly Status[]).includes(change.status);
      assert.equal(change.refund, notSent, `${status} ${step}`);
    }
  }
});

test("times are marked by what they follow from", () => {
  const marks = (step: Step) => advance("sending", step)?.timestamps;
  assert.deepEqual(marks(own("accepted")), ["sent_at"]);
  assert.deepEqual(marks(receipt("sent")), ["sent_at"]);
  assert.deepEqual(marks(receipt("delivered")), ["sent_at", "delivered_at"]);
  assert.deepEqual(marks(receipt("read")), ["sent_at", "delivered_at", "read_at"]);
  assert.deepEqual(marks(receipt("undelivered")), ["sent_at"]);
  assert.deepEqual(marks(receipt("failed")), []);
});

test("the four groups hold each status once", () => {
  const all = Object.values(groups).flat();
  assert.deepEqual([...all].sort(), [...statuses].sort());
});
