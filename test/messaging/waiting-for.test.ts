// Why a message waits: each reason alone, of two the one that ends last, and none for what does not wait.

import assert from "node:assert/strict";
import test from "node:test";
import { statuses } from "#contract/messages/channel.ts";
import { type WaitingFor, type WaitingReason, waitingReasons } from "#contract/messages/waiting-for.ts";
import { type WaitingLane, type WaitingMessage, waitingFor } from "#messaging/waiting-for.ts";

const minute = 60_000;
const now = Date.UTC(2026, 2, 2, 12);
const iso = (at: number) => new Date(at).toISOString();

const message: WaitingMessage = {
  status: "queued",
  due_at: now - minute,
  held_due_at: null,
  attempts: 0,
  created_at: now - minute,
  updated_at: now - minute,
};
const lane: WaitingLane = {
  active: true,
  stopped: null,
  lacks: null,
  pause: null,
  hours: null,
  perDay: null,
  day: "2026-03-02",
  dayCount: 0,
  timeZone: "UTC",
};

const stopped = { at: now - 9 * minute, by: "ada", reason: null };
const pause = { since: now - 5 * minute, until: now + 10 * minute, reason: "HTTP 401" };
const off = { status: "queued", due_at: null } as const;

type Change = { message?: Partial<WaitingMessage>; lane?: Partial<WaitingLane> | null };

/** Each reason with what brings it about, alone. */
const alone: Readonly<Record<WaitingReason, [change: Change, expected: Omit<WaitingFor, "reason">]>> = {
  held_after_restore: [
    { message: { ...off, held_due_at: now } },
    { until: null, since: null, by: null, detail: null },
  ],
  gateway_missing: [{ lane: null }, { until: null, since: null, by: null, detail: null }],
  gateway_off: [{ lane: { active: false } }, { until: null, since: null, by: null, detail: null }],
  gateway_stopped: [
    { lane: { stopped } },
    { until: null, since: iso(now - 9 * minute), by: "ada", detail: null },
  ],
  not_linked: [
    { lane: { lacks: { reason: "not_linked", since: null, detail: null } } },
    { until: null, since: null, by: null, detail: null },
  ],
  not_connected: [
    { lane: { lacks: { reason: "not_connected", since: now - minute, detail: "The socket closed." } } },
    { until: null, since: iso(now - minute), by: null, detail: "The socket closed." },
  ],
  gateway_paused: [
    { lane: { pause } },
    { until: iso(pause.until), since: iso(pause.since), by: null, detail: "HTTP 401" },
  ],
  schedule: [
    { message: { status: "scheduled", due_at: now + minute } },
    { until: iso(now + minute), since: iso(now - minute), by: null, detail: null },
  ],
  retry: [
    { message: { attempts: 1, due_at: now + minute } },
    { until: iso(now + minute), since: iso(now - minute), by: null, detail: null },
  ],
  sending_hours: [
    { lane: { hours: "14:00-20:00" } },
    { until: iso(now + 120 * minute), since: null, by: null, detail: null },
  ],
  daily_limit: [
    { lane: { perDay: 5, dayCount: 5 } },
    { until: iso(now + 720 * minute), since: null, by: null, detail: null },
  ],
  turn: [{}, { until: null, since: iso(now - minute), by: null, detail: null }],
};

const of = (...changes: Change[]) =>
  waitingFor(
    Object.assign({}, message, ...changes.map((change) => change.message)),
    changes.some((change) => change.lane === null)
      ? null
      : Object.assign({}, lane, ...changes.map((change) => change.lane)),
    now,
  );

test("each reason alone, with its times and who or what is behind it", () => {
  for (const reason of waitingReasons) {
    const [change, expected] = alone[reason];
    assert.deepEqual(of(change), { reason, ...expected }, reason);
  }
});

test("of any two reasons, one that does not end by itself comes first, then the one that ends last", () => {
  for (const one of waitingReasons)
    for (const other of waitingReasons) {
      const both = of(alone[one][0], alone[other][0]);
      assert.ok(both, `${one} and ${other}`);
      const needsPerson = waitingReasons.indexOf("gateway_paused");
      const [first, second] = [one, other]
        .map((reason) => waitingReasons.indexOf(reason))
        .sort((a, b) => a - b);
      const isOne = both.reason === one || both.reason === other;
      assert.ok(isOne, `${one} and ${other}: ${both.reason}`);
      if (first! < needsPerson && second! !== first) {
        // `not_linked` and `not_connected` are one fact, and the changes of a message overwrite each other.
        if (one.startsWith("not_") && other.startsWith("not_")) continue;
        assert.equal(both.reason, waitingReasons[first!], `${one} and ${other}`);
      } else if (first! >= needsPerson) {
        const untils = [one, other].map((reason) => alone[reason][1].until ?? "");
        if (one.match(/^(schedule|retry)$/) && other.match(/^(schedule|retry)$/)) continue;
        assert.ok((both.until ?? "") >= untils.sort().at(-1)!, `${one} and ${other}: ${both.until}`);
      }
    }
});

test("what lies in the future is judged at that time", () => {
  const reasonOf = (...changes: Change[]) => {
    const { reason, until } = of(...changes) ?? {};
    return [reason, until];
  };
  const scheduled = (at: number): Change => ({ message: { status: "scheduled", due_at: at } });
  const tonight = now + 10 * 60 * minute;
  const tomorrow = now + 24 * 60 * minute;
  const day: Change = { lane: { hours: "08:00-20:00" } };
  assert.deepEqual(reasonOf(scheduled(tonight), day), ["sending_hours", "2026-03-03T08:00:00.000Z"]);
  assert.deepEqual(reasonOf(scheduled(tomorrow), day), ["schedule", iso(tomorrow)]);
  const used: Change = { lane: { hours: "08:00-20:00", perDay: 5, dayCount: 5 } };
  assert.deepEqual(reasonOf(used), ["daily_limit", "2026-03-03T08:00:00.000Z"]);
  assert.deepEqual(reasonOf(scheduled(tomorrow), used), ["schedule", iso(tomorrow)], "another day's limit");
  const yesterday: Change = { lane: { perDay: 5, dayCount: 5, day: "2026-03-01" } };
  assert.deepEqual(reasonOf(yesterday), ["turn", null]);
  // The time of a pause has come, and no message has gone through since.
  const probed: Change = { lane: { pause: { ...pause, until: now - 1 } } };
  assert.deepEqual(reasonOf(probed), ["gateway_paused", iso(now - 1)]);
});

test("only queued and scheduled messages wait", () => {
  const waiting = statuses.filter((status) =>
    waitingReasons.some((reason) => {
      const [change] = alone[reason];
      return of(change, { message: { status } }) !== null;
    }),
  );
  assert.deepEqual(new Set(waiting), new Set(["queued", "scheduled"]));
});
