// Spans of time in a zone, what charts count in them, and which ranges the home asks for; without a browser.

import assert from "node:assert/strict";
import test from "node:test";
import { countsIn, hourlyOutcomes, outcomes, outcomesOf, sumOf } from "#ui/parts/charts/outcomes.ts";
import { queryOf, rangeOf, ranges, spansOf } from "#ui/parts/charts/ranges.ts";
import { listQuery } from "#ui/parts/list/query.ts";
import { relative } from "#ui/words/instants.ts";
import { bytes, duration } from "#ui/words/numbers.ts";
import {
  clockOf,
  dayOf,
  daysBetween,
  hoursBetween,
  nextHourIn,
  scheduleAtOf,
  spanOf,
} from "#ui/words/spans.ts";

const hourMs = 3_600_000;
const at = Date.parse;

test("a number stays on one line with its unit: durations, sizes and distances from now", () => {
  const now = at("2026-01-01T00:00:00Z");
  for (let value = 1; value < 10 ** 12; value *= 7)
    for (const words of [
      duration(value),
      bytes(value),
      relative(new Date(now - value).toISOString(), now),
      relative(new Date(now + value).toISOString(), now),
    ])
      assert.match(words, /^(?:now|[^ ]*\u00a0[^ ]*)$/, `${words} of ${value}`);
  assert.equal(duration(2 * hourMs + 600_000), "2\u00a0h\u00a010\u00a0min");
  assert.equal(duration(115 * hourMs), "4\u00a0d\u00a019\u00a0h");
  assert.equal(duration(96 * hourMs), "4\u00a0d");
});

test("days are those of the zone, also where clocks change", () => {
  const days = daysBetween(at("2026-03-27T23:00:00Z"), at("2026-03-30T10:00:00Z"), "Europe/Berlin");
  assert.deepEqual(
    days.map(({ from, to }) => [dayOf(from, "Europe/Berlin"), (to - from) / hourMs]),
    [
      ["2026-03-28", 24],
      ["2026-03-29", 23],
      ["2026-03-30", 24],
    ],
  );
  assert.equal(spanOf(days[1]!.from, days[1]!.to, "Europe/Berlin"), "Sun 29 Mar");
});

test("the next full hour is one of the zone's clocks, and is sent as the API reads it", () => {
  const at = Date.parse("2026-11-24T08:20:00Z");
  assert.equal(nextHourIn("Europe/Berlin", at), "2026-11-24T10:00");
  assert.equal(scheduleAtOf("2026-11-24T10:00"), "2026-11-24 10:00:00");
  assert.equal(scheduleAtOf("2026-11-24T10:00:30"), "2026-11-24 10:00:00");
});

test("hours cover the range, and are named in the zone", () => {
  const spans = hoursBetween(at("2026-01-01T00:00:00Z"), at("2026-01-01T06:30:00Z"), 3);
  assert.equal(spans.length, 3);
  assert.equal(spanOf(spans[0]!.from, spans[0]!.to, "Asia/Kolkata"), "Thu 1 Jan 05:30–08:30");
});

test("a chart and a list of one range begin together, with the column that contains its beginning", () => {
  for (const zone of ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Los_Angeles"])
    for (const hour of ["2026-01-09T13", "2026-01-09T23", "2026-03-30T02", "2026-10-26T06"])
      for (const place of [":00:00.000Z", ":00:00.001Z", ":20:00.000Z", ":59:59.999Z"])
        for (const range of ranges) {
          const now = at(hour + place);
          const of = `${range.name} in ${zone} at ${hour}${place}`;
          const { after } = queryOf(range, now, zone);
          assert.equal(listQuery({ last: range.name }, [], now, zone).created_from, after, of);
          const spans = spansOf(range, { after, before: new Date(now + 1).toISOString(), time_zone: zone });
          const [first, last] = [spans[0]!, spans.at(-1)!];
          if (range.name === "30d")
            assert.deepEqual([spans.length, clockOf(first.from, zone)], [30, "00:00"], of);
          else assert.ok(first.from <= now - range.ms && now - range.ms < first.to, of);
          assert.ok(last.from <= now && now < last.to, of);
        }
  assert.equal(rangeOf("a year").name, "24h");
});

const none = {
  accepted: 0,
  deferred: 0,
  sent: 0,
  delivered: 0,
  read: 0,
  undelivered: 0,
  failed: 0,
  bounced: 0,
  expired: 0,
  cancelled: 0,
  suppressed: 0,
  unknown: 0,
};
const unmeasured = { p50: null, p95: null, p99: null };

test("a message that was sent and then reported counts in one outcome, and every state in some outcome", () => {
  assert.deepEqual(outcomesOf({ ...none, sent: 9, delivered: 5, undelivered: 1, bounced: 1, unknown: 2 }), {
    delivered: 5,
    "sent, no report": 2,
    failed: 2,
    unknown: 2,
    "not sent": 0,
  });
  // Delivered in this hour, sent in the one before.
  assert.equal(outcomesOf({ ...none, delivered: 3 })["sent, no report"], 0);
  for (const name of ["read", "failed", "expired", "cancelled", "suppressed"] as const)
    assert.ok(Object.values(outcomesOf({ ...none, [name]: 1 })).includes(1), name);
});

test("points are summed where they begin", () => {
  const point = (hour: string, sent: number) => ({
    ...none,
    at: `2026-01-01T${hour}:00:00Z`,
    sent,
    wait_ms: unmeasured,
    delivery_ms: unmeasured,
  });
  const spans = hoursBetween(at("2026-01-01T00:00:00Z"), at("2026-01-01T06:00:00Z"), 3);
  const sums = countsIn(spans, [point("00", 1), point("02", 2), point("03", 4)]);
  assert.deepEqual(
    sums.map(({ sent }) => sent),
    [3, 4],
  );
});

test("an answer by hours has a column for each hour, also where nothing happened", () => {
  const point = { ...none, at: "2026-01-01T01:00:00.000Z", sent: 5, delivered: 2, failed: 3 };
  const measured = { wait_ms: unmeasured, delivery_ms: unmeasured };
  const range = { after: "2026-01-01T00:00:00.000Z", before: "2026-01-01T02:30:00.000Z" };
  const columns = hourlyOutcomes(range, { points: [{ ...point, ...measured }] });
  assert.deepEqual(
    columns.map(({ values }) => sumOf(values)),
    [0, 8, 0],
  );
  // Attempts are not messages, so only a gateway's chart draws them.
  const put = hourlyOutcomes(range, { points: [{ ...point, ...measured, deferred: 7 }] });
  assert.equal(put[1]?.values.deferred, 7);
  assert.deepEqual(
    outcomes.filter(({ name }) => name === "deferred"),
    [],
  );
  assert.deepEqual(hourlyOutcomes(range, undefined).length, 3);
});
