// Local times against an oracle that never uses Temporal: a time is an instant's local time when
// Intl.DateTimeFormat writes it so. Every clock change of every zone from 2024 to 2030, and sending hours minute
// by minute across them.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  isTimeZone,
  localTime,
  parseHours,
  readSchedule,
  scheduleReader,
  startOfDay,
  startOfNextDay,
  startOfNextMonth,
  withinHours,
} from "#runtime/time-zones.ts";

const hour = 3_600_000;
const day = 24 * hour;
const zones = Intl.supportedValuesOf("timeZone");
const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall clock at an instant, as `Y-m-d H:i:s`: Swedish writes dates just so. */
function wall(at: number, zone: string): string {
  let format = formats.get(zone);
  if (format === undefined) {
    const two = "2-digit" as const;
    const fields = { year: "numeric", month: two, day: two, hour: two, minute: two, second: two } as const;
    format = new Intl.DateTimeFormat("sv-SE", { ...fields, hourCycle: "h23", timeZone: zone });
    formats.set(zone, format);
  }
  return format.format(at);
}

/** A wall clock read as if it were UTC. */
const naive = (text: string) => Date.parse(`${text.replace(" ", "T")}Z`);
const text = (naiveAt: number) => new Date(naiveAt).toISOString().slice(0, 19).replace("T", " ");
const offset = (at: number, zone: string) => naive(wall(at, zone)) - Math.floor(at / 1000) * 1000;

/** The instants at which the wall clock shows the text (none in a gap), and the offset in force before. */
function instants(local: string, zone: string): { shown: number[]; before: number } {
  const near = naive(local);
  const offsets = new Set<number>();
  for (let shift = -27; shift <= 27; shift += 3) offsets.add(offset(near + shift * hour, zone));
  const shown = [...offsets].map((each) => near - each).filter((at) => wall(at, zone) === local);
  return { shown: shown.sort((a, b) => a - b), before: offset(near - 27 * hour, zone) };
}

/** The first instants after each change of offset, by bisection. */
function changes(zone: string, from: number, to: number): number[] {
  const found: number[] = [];
  let last = offset(from, zone);
  for (let at = from; at < to; at += 10 * day) {
    const next = offset(at + 10 * day, zone);
    if (next === last) continue;
    let [low, high] = [at, at + 10 * day];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offset(middle, zone) === last) low = middle;
      else high = middle;
    }
    found.push(high);
    last = next;
  }
  return found;
}

const from = Date.UTC(2024, 0, 1);
const to = Date.UTC(2031, 0, 1);
const allChanges = zones.flatMap((zone) => changes(zone, from, to).map((at) => ({ zone, at })));

test("every clock change of every zone, 2024 to 2030", () => {
  let [gaps, folds, plain] = [0, 0, 0];
  for (const { zone, at } of allChanges) {
    const edges = [at + offset(at - 1000, zone), at + offset(at, zone)].sort((a, b) => a - b);
    const [low, high] = [edges[0]!, edges[1]!];
    for (const near of [low - 1000, low, (low + high) / 2, high - 1000, high, high + 1000]) {
      const local = text(near);
      const { shown, before } = instants(local, zone);
      if (shown.length === 0) gaps++;
      else if (shown.length === 1) plain++;
      else folds++;
      const expected = shown[0] ?? naive(local) - before;
      assert.equal(readSchedule(local, zone), expected, `${local} ${zone}`);
      // What a gap moves to is the time plus the gap.
      if (shown.length === 0) assert.equal(wall(expected, zone), text(near + high - low));
    }
  }
  assert.ok(allChanges.length > 1500, `${allChanges.length} changes`);
  assert.ok(gaps > 2000 && folds > 2000 && plain > 4000, `${gaps} ${folds} ${plain}`);
});

test("known times", () => {
  const known: [local: string, zone: string, iso: string][] = [
    ["2026-01-05 08:00:00", "UTC", "2026-01-05T08:00:00Z"],
    ["2026-01-05 08:00:00", "Europe/Berlin", "2026-01-05T07:00:00Z"],
    ["2026-03-29 02:30:00", "Europe/Berlin", "2026-03-29T01:30:00Z"],
    ["2026-10-25 02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z"],
    ["2026-03-08 02:00:00", "America/New_York", "2026-03-08T07:00:00Z"],
    ["2026-11-01 01:59:59", "America/New_York", "2026-11-01T05:59:59Z"],
    ["2026-10-04 02:15:00", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"],
    ["2026-06-01 12:00:00", "Asia/Kathmandu", "2026-06-01T06:15:00Z"],
    ["2011-12-30 12:00:00", "Pacific/Apia", "2011-12-30T22:00:00Z"],
    ["2024-02-29 00:00:00", "UTC", "2024-02-29T00:00:00Z"],
    ["1969-12-31 23:59:59", "UTC", "1969-12-31T23:59:59Z"],
    ["0000-01-01 00:00:00", "UTC", "0000-01-01T00:00:00Z"],
    ["9999-12-31 23:59:59", "Etc/GMT+12", "+010000-01-01T11:59:59Z"],
  ];
  for (const [local, zone, iso] of known) assert.equal(readSchedule(local, zone), Date.parse(iso), local);
});

test("only Y-m-d H:i:s that round-trips", () => {
  const wrong = [
    ["", " ", "now", "2026", "2026-01-05", "2026-01-05 08:00", "2026-01-05T08:00:00", "2026-01-05 08:00:00Z"],
    ["2026-01-05 08:00:00+02:00", "2026-01-05 08:00:00.000", "2026-1-5 08:00:00", "2026-01-05 8:00:00"],
    ["2026-02-29 08:00:00", "2026-02-30 08:00:00", "2100-02-29 08:00:00", "2026-04-31 08:00:00"],
    ["2026-00-05 08:00:00", "2026-13-05 08:00:00", "2026-01-00 08:00:00", "2026-01-32 08:00:00"],
    ["2026-01-05 24:00:00", "2026-01-05 08:60:00", "2016-12-31 23:59:60", "2026-01-05 08:00:-1"],
    ["02026-01-05 08:00:00", "26-01-05 08:00:00", "-2026-01-05 08:00:00", "+002026-01-05 08:00:00"],
    [" 2026-01-05 08:00:00", "2026-01-05 08:00:00 ", "2026-01-05 08:00:00\n", "2026-01-05  08:00:00"],
    ["2026-01-05\u00a008:00:00", "٢٠٢٦-01-05 08:00:00", "２026-01-05 08:00:00", "2026/01/05 08:00:00"],
    ["2026-01-05 08:00:00[Europe/Berlin]", "0000-00-00 00:00:00", "1e10-01-05 08:00:00"],
  ].flat();
  for (const local of wrong) assert.equal(readSchedule(local, "UTC"), null, JSON.stringify(local));
});

const digits = (width: number) =>
  fc.integer({ min: 0, max: 10 ** width - 1 }).map((value) => String(value).padStart(width, "0"));

test("any text: read exactly when formatting its time gives it back", () => {
  const fields = [digits(4), digits(2), digits(2), digits(2), digits(2), digits(2)] as const;
  const shaped = fc.tuple(...fields).map(([y, m, d, h, i, s]) => `${y}-${m}-${d} ${h}:${i}:${s}`);
  const likely = fc
    .tuple(
      fc.integer({ min: 1995, max: 2105 }),
      ...[14, 33, 26, 62, 62].map((max) => fc.integer({ min: 0, max })),
    )
    .map(([y, ...rest]) => {
      const [m, d, h, i, s] = rest.map((value) => String(value).padStart(2, "0"));
      return `${y}-${m}-${d} ${h}:${i}:${s}`;
    });
  const valid = fc
    .integer({ min: naive("0000-01-01 00:00:00") / 1000, max: naive("9999-12-31 23:59:59") / 1000 })
    .map((seconds) => text(seconds * 1000));
  const spoilt = fc
    .tuple(valid, fc.nat(19), fc.constantFrom("", " ", "0", "9", "-", ":", "T", "Z", "٣", "\n"), fc.nat(1))
    .map(([local, at, piece, cut]) => local.slice(0, at) + piece + local.slice(at + cut));
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(shaped, likely, valid, spoilt, fc.string({ unit: "binary" })), (local) => {
      const at = readSchedule(local, "UTC");
      // The date that JavaScript makes of the text rolls over, so what it writes differs for every bad one.
      const parsed = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(local) ? naive(local) : Number.NaN;
      const roundTrips = !Number.isNaN(parsed) && text(parsed) === local;
      assert.equal(at, roundTrips ? parsed : null);
      if (at !== null) read++;
    }),
    { seed: 2, numRuns: 2500 },
  );
  assert.ok(read > 500);
});

test("a reader remembers one text and confuses none", () => {
  const reader = scheduleReader("Europe/Berlin");
  for (const local of ["x", "x", "2026-01-05 08:00:00", "2026-01-05 08:00:00", "2026-07-05 08:00:00", "x"])
    assert.equal(reader(local), readSchedule(local, "Europe/Berlin"));
});

test("zone names", () => {
  for (const zone of zones) assert.ok(isTimeZone(zone), zone);
  for (const zone of [
    "UTC",
    "utc",
    "Etc/UTC",
    "GMT",
    "europe/berlin",
    "Europe/Kiev",
    "US/Eastern",
    "Etc/GMT+2",
  ])
    assert.ok(isTimeZone(zone), zone);
  const wrong = [
    "",
    "Z",
    "+02:00",
    "-05",
    "+0200",
    "UTC+2",
    "Europe",
    "Europe/Nowhere",
    " Europe/Berlin",
    "Mars",
  ];
  wrong.push(
    "Europe/Berlin ",
    "2026-01-01T00:00[Europe/Berlin]",
    "[UTC]",
    "T10:00Z",
    "T10[UTC]",
    "T10+02:00",
    "\0",
  );
  for (const zone of wrong) assert.equal(isTimeZone(zone), false, zone);
  assert.throws(() => readSchedule("2026-01-05 08:00:00", "Nowhere"), RangeError);
});

const iso = (at: number) => new Date(at).toISOString().replace(".000", "");
const start = (now: string, zone: string) =>
  [startOfDay, startOfNextDay, startOfNextMonth].map((each) => iso(each(Date.parse(now), zone)));

test("starts of days and months", () => {
  const berlin = "Europe/Berlin";
  const table: [now: string, zone: string, today: string, tomorrow: string, month: string][] = [
    ["2026-01-31T23:30:00Z", "UTC", "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"],
    ["2026-01-31T23:30:00Z", berlin, "2026-01-31T23:00:00Z", "2026-02-01T23:00:00Z", "2026-02-28T23:00:00Z"],
    ["2026-03-29T12:00:00Z", berlin, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-31T22:00:00Z"],
    ["2026-10-25T12:00:00Z", berlin, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-31T23:00:00Z"],
    ["2026-12-31T23:00:00Z", berlin, "2026-12-31T23:00:00Z", "2027-01-01T23:00:00Z", "2027-01-31T23:00:00Z"],
    // Midnight is skipped: the day begins at 01:00.
    [
      "2026-04-24T12:00:00Z",
      "Africa/Cairo",
      "2026-04-23T22:00:00Z",
      "2026-04-24T21:00:00Z",
      "2026-04-30T21:00:00Z",
    ],
    // 30 December 2011 did not take place.
    [
      "2011-12-30T00:00:00Z",
      "Pacific/Apia",
      "2011-12-29T10:00:00Z",
      "2011-12-30T10:00:00Z",
      "2011-12-31T10:00:00Z",
    ],
    // 00:01 went back to 23:01: Saturday again, after a minute of Sunday.
    [
      "2006-10-29T03:00:00Z",
      "America/St_Johns",
      "2006-10-28T02:30:00Z",
      "2006-10-29T03:30:00Z",
      "2006-11-01T03:30:00Z",
    ],
  ];
  for (const [now, zone, ...expected] of table)
    assert.deepEqual(start(now, zone), expected, `${now} ${zone}`);
});

test("around every clock change the next day is after now and the first instant of its date", () => {
  for (const { zone, at } of allChanges) {
    for (const now of [at - day, at - 1, at, at + hour]) {
      const next = startOfNextDay(now, zone);
      assert.ok(next > now && next - now <= 26 * hour);
      assert.notEqual(wall(next, zone).slice(0, 10), wall(next - 1, zone).slice(0, 10));
      const today = startOfDay(now, zone);
      assert.ok(today <= now && startOfDay(today, zone) === today);
      assert.equal(wall(today, zone).slice(0, 10), wall(now, zone).slice(0, 10));
      assert.equal(startOfNextDay(today, zone), next);
    }
  }
});

test("hours of the day are two times, the end up to 24:00", () => {
  assert.deepEqual(parseHours("08:00-20:00"), { from: 480, to: 1200 });
  assert.deepEqual(parseHours("22:30-06:15"), { from: 1350, to: 375 });
  assert.deepEqual(parseHours("00:00-24:00"), { from: 0, to: 1440 });
  assert.deepEqual(parseHours("00:00-00:00"), { from: 0, to: 0 });
  const wrong = [
    "",
    "8:00-20:00",
    "08:00 - 20:00",
    "08:00–20:00",
    "08:00",
    "08:00-24:01",
    "24:00-08:00",
    "08:60-09:00",
  ];
  wrong.push(
    "08:00-20:00\n",
    " 08:00-20:00",
    "0800-2000",
    "08:00:00-20:00:00",
    "-08:00-20:00",
    "٠٨:00-20:00",
  );
  for (const hours of wrong) {
    assert.equal(parseHours(hours), null, JSON.stringify(hours));
    assert.throws(() => withinHours(hours, 0, "UTC"), RangeError);
  }
});

test("sending hours on ordinary days and on days of clock changes", () => {
  const berlin = "Europe/Berlin";
  const table: [hours: string, now: string, zone: string, opens: "open" | string][] = [
    ["08:00-20:00", "2026-01-05T07:59:59Z", "UTC", "2026-01-05T08:00:00Z"],
    ["08:00-20:00", "2026-01-05T08:00:00Z", "UTC", "open"],
    ["08:00-20:00", "2026-01-05T19:59:59Z", "UTC", "open"],
    ["08:00-20:00", "2026-01-05T20:00:00Z", "UTC", "2026-01-06T08:00:00Z"],
    // The clocks change in the night between.
    ["08:00-20:00", "2026-03-28T20:00:00Z", berlin, "2026-03-29T06:00:00Z"],
    ["08:00-20:00", "2026-10-24T20:00:00Z", berlin, "2026-10-25T07:00:00Z"],
    // A change later in the year lies inside the window; the next opening is tomorrow all the same.
    ["01:00-20:00", "2026-03-01T21:00:00Z", berlin, "2026-03-02T00:00:00Z"],
    ["22:00-06:00", "2026-01-05T23:00:00Z", berlin, "open"],
    ["22:00-06:00", "2026-01-05T04:59:59Z", berlin, "open"],
    ["22:00-06:00", "2026-01-05T05:00:00Z", berlin, "2026-01-05T21:00:00Z"],
    // Opens with the jump from 02:00 to 03:00, or not at all that day.
    ["02:30-08:00", "2026-03-29T00:30:00Z", berlin, "2026-03-29T01:00:00Z"],
    ["02:10-02:50", "2026-03-29T00:30:00Z", berlin, "2026-03-30T00:10:00Z"],
    // 02:00 to 03:00 happens twice.
    ["02:30-02:45", "2026-10-25T00:20:00Z", berlin, "2026-10-25T00:30:00Z"],
    ["02:30-02:45", "2026-10-25T00:45:00Z", berlin, "2026-10-25T01:30:00Z"],
    ["02:30-02:45", "2026-10-25T01:45:00Z", berlin, "2026-10-26T01:30:00Z"],
    ["02:30-02:00", "2026-10-25T00:15:00Z", berlin, "2026-10-25T00:30:00Z"],
    // Back from 03:00 into a window that had closed at 02:50.
    ["01:00-02:50", "2026-10-25T00:55:00Z", berlin, "2026-10-25T01:00:00Z"],
    // The skipped hour is the last of the day, and the window begins inside it.
    ["23:30-02:00", "2026-03-29T00:30:00Z", "America/Nuuk", "2026-03-29T01:00:00Z"],
    // The whole of the 30th is skipped.
    ["08:00-09:00", "2011-12-29T20:00:00Z", "Pacific/Apia", "2011-12-30T18:00:00Z"],
    ["09:00-09:00", "2026-01-05T03:00:00Z", "UTC", "open"],
    ["00:00-24:00", "2026-01-05T23:59:59Z", "UTC", "open"],
    ["00:00-00:00", "2026-01-05T23:59:59Z", "UTC", "open"],
    ["20:00-24:00", "2026-01-05T00:00:00Z", "UTC", "2026-01-05T20:00:00Z"],
    ["23:59-00:00", "2026-01-05T00:00:00Z", "UTC", "2026-01-05T23:59:00Z"],
  ];
  for (const [hours, now, zone, expected] of table) {
    const found = withinHours(hours, Date.parse(now), zone);
    assert.equal(found.open ? "open" : iso(found.opensAt), expected, `${hours} ${now} ${zone}`);
  }
});

test("sending hours near clock changes, as walking on minute by minute finds them", () => {
  const clock = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  const isOpen = (at: number, zone: string, opens: string, closes: string) => {
    const local = wall(at, zone).slice(11, 16);
    if (opens === closes) return true;
    return opens < closes ? local >= opens && local < closes : local >= opens || local < closes;
  };
  const near = fc.record({
    change: fc.constantFrom(...allChanges),
    before: fc.integer({ min: -180, max: 900 }),
    // Relative to the wall clock of the change, to hit gaps and folds often.
    opens: fc.integer({ min: -120, max: 120 }),
    length: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 1439 })),
  });
  fc.assert(
    fc.property(near, ({ change: { zone, at }, before, opens, length }) => {
      const [changeHour, changeMinute] = wall(at, zone).slice(11, 16).split(":").map(Number);
      const first = (changeHour! * 60 + changeMinute! + opens + 1440) % 1440;
      const hours = [clock(first), clock((first + length) % 1440)] as const;
      const now = at - before * 60_000;
      let expected = now;
      while (!isOpen(expected, zone, ...hours)) expected += 60_000;
      const found = withinHours(`${hours[0]}-${hours[1]}`, now, zone);
      assert.deepEqual(found, expected === now ? { open: true } : { open: false, opensAt: expected });
    }),
    { seed: 2, numRuns: 800 },
  );
});

test("an instant is the local time that is read as it, but for the second of two", () => {
  const zone = "Europe/Berlin";
  for (const text of [
    "2026-11-21 09:00:00",
    "2027-03-28 03:30:00",
    "0000-01-02 00:00:01",
    "9999-12-31 23:59:59",
  ])
    assert.equal(localTime(readSchedule(text, zone) ?? 0, zone), text);
  // Skipped by the clock change, so read as an hour later.
  assert.equal(localTime(readSchedule("2027-03-28 02:30:00", zone) ?? 0, zone), "2027-03-28 03:30:00");
  assert.equal(localTime(Date.parse("2027-10-31T01:30:00.999Z"), zone), "2027-10-31 02:30:00");
});
