// Waits from headers: the three forms, their order, and everything that only looks like one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clampRetryAfter, retryAfter, retryAfterMs } from "#settings/retry-after.ts";

const now = Date.UTC(2026, 10, 20, 12);

test("seconds, with a fraction too, dates and milliseconds", () => {
  const waits: [Record<string, string>, number | null][] = [
    [{ "retry-after": "17" }, 17_000],
    [{ "retry-after": " 0.25 " }, 250],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "86400" }, 3_600_000],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Friday, 20-Nov-26 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sunday, 06-Nov-94 08:49:37 GMT" }, 0],
    [{ "retry-after": "Fri Nov 20 12:00:30 2026" }, 30_000],
    [{ "retry-after": "Sun Nov  6 08:49:37 1994" }, 0],
    [{ "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "Sat, 20 Nov 2027 11:00:00 GMT" }, 3_600_000],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "x-ms-retry-after-ms": "20" }, 20],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9000],
  ];
  for (const [headers, wait] of waits)
    assert.equal(retryAfterMs(headers, now), wait, JSON.stringify(headers));
});

test("any other text says nothing", () => {
  for (const text of [
    "",
    "soon",
    "-5",
    "1e3",
    "May",
    "2026-11-20",
    "Fri, 32 Nov 2026 11:00:00 GMT",
    "Friday, 32-Nov-26 12:00:30 GMT",
    "Friday, 20-Nov-2026 12:00:30 GMT",
    "Fri Foo 20 12:00:30 2026",
    "1,5",
    "0x10",
  ]) {
    assert.equal(retryAfterMs({ "retry-after": text }, now), null, text);
  }
  assert.equal(retryAfterMs({}, now), null);
});

test("a rest is a whole number of milliseconds up to an hour", () => {
  assert.deepEqual([-1, 0.2, 1e12].map(clampRetryAfter), [0, 1, 3_600_000]);
});

test("Retry-After is granted an hour, unless the caller grants more", () => {
  assert.deepEqual(retryAfter("86400", 0), { retryAfterMs: 3_600_000 });
  assert.deepEqual(retryAfter("86400", 0, 36_000_000), { retryAfterMs: 36_000_000 });
  assert.deepEqual(retryAfter("soon", 0, 36_000_000), {});
});

test("as a field it is at least a second, and absent without a readable header", () => {
  assert.deepEqual(retryAfter("0", now), { retryAfterMs: 1000 });
  assert.deepEqual(retryAfter("2.5", now), { retryAfterMs: 2500 });
  assert.deepEqual(retryAfter("Fri, 20 Nov 2026 12:00:30 GMT", now), { retryAfterMs: 30_000 });
  for (const header of [undefined, "", "May"]) assert.deepEqual(retryAfter(header, now), {});
});
