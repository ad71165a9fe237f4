// What a hook has to report of the overview's items: new ones that persist, once each, their ends, and no more than an hour has room for.

import assert from "node:assert/strict";
import test from "node:test";
import { planAlerts } from "#attention/due.ts";
import { hookAttention } from "#contract/hooks/hooks.ts";
import type { AttentionData } from "#contract/manage/overview.ts";
import type { AlertCausesTable } from "#store/schema/hooks.ts";

const minute = 60_000;
const start = 1_000_000_000;
const item = (id: string, more: Partial<AttentionData> = {}): AttentionData => ({
  kind: "gateway_paused",
  severity: "error",
  subject: { id, name: id },
  since: null,
  until: null,
  reason: "refused",
  count: null,
  href: "/",
  ...more,
});

/** A hook that looks every minute. `reported`: what it has reported, with the minute. */
function hook(input: object = {}) {
  const settings = hookAttention.parse(input);
  let rows: AlertCausesTable[] = [];
  const reported: string[] = [];
  let at = 0;
  const isRow = (one: AlertCausesTable) => (other: AlertCausesTable) =>
    one.cause === other.cause && one.since === other.since;
  const put = (row: AlertCausesTable) => {
    rows = [...rows.filter((other) => !isRow(row)(other)), row].sort((one, other) => one.since - other.since);
  };
  /** Looks once a minute at the same items. `accepts`: whether a send is accepted. */
  const look = (minutes: number, items: AttentionData[], accepts = true) => {
    for (let i = 0; i < minutes; i += 1, at += 1) {
      const now = start + at * minute;
      const plan = planAlerts("hook", rows, items, settings, now);
      for (const row of plan.put) put(row);
      for (const row of plan.remove) rows = rows.filter((other) => !isRow(row)(other));
      if (!accepts) continue;
      for (const { row, state } of plan.due) {
        reported.push(`${at} ${state} ${JSON.parse(row.item).subject.name}`);
        put({ ...row, ...(state === "begun" ? { begun_at: now } : { ended_at: now, ended_sent: 1 }) });
      }
    }
  };
  return { look, reported, rows: () => rows };
}

test("an item is reported once it has persisted, once, and so is its end", () => {
  const { look, reported, rows } = hook();
  look(60, [item("a")]);
  look(6, []);
  assert.deepEqual(reported, ["5 begun a", "65 ended a"]);
  look(61, []);
  assert.deepEqual(rows(), [], "nothing is kept for longer than the hour counts");
  look(6, [item("a")]);
  assert.deepEqual(reported.at(-1), "132 begun a", "its next time is another cause");
});

const cases: [
  what: string,
  settings: object,
  play: [minutes: number, items: AttentionData[]][],
  reported: string[],
][] = [
  [
    "one that ends before its time is not reported",
    {},
    [
      [4, [item("a")]],
      [10, []],
    ],
    [],
  ],
  [
    "one that flickers neither ends nor begins again",
    {},
    [
      [6, [item("a")]],
      [3, []],
      [9, [item("a")]],
      [2, []],
      [9, [item("a")]],
    ],
    ["5 begun a"],
  ],
  [
    "an end is not reported unless it is wanted",
    { ended: false },
    [
      [6, [item("a")]],
      [20, []],
    ],
    ["5 begun a"],
  ],
  ["other severities are left out", {}, [[9, [item("a", { severity: "warning" })]]], []],
  [
    "severities are chosen",
    { severities: ["warning"] },
    [[9, [item("a", { severity: "warning" }), item("b")]]],
    ["5 begun a"],
  ],
  [
    "kinds of one subject are reported apart",
    { after_minutes: 1 },
    [[2, [item("a"), item("a", { kind: "backlog" })]]],
    ["1 begun a", "1 begun a"],
  ],
  [
    "an hour has room for so many, and the others wait",
    { per_hour: 2, after_minutes: 1 },
    [[63, [item("a"), item("b"), item("c")]]],
    ["1 begun a", "1 begun b", "61 begun c"],
  ],
  [
    "ends count for the hour",
    { per_hour: 2, after_minutes: 1 },
    [
      [3, [item("a")]],
      [3, []],
      [9, [item("b")]],
    ],
    ["1 begun a", "4 ended a"],
  ],
];
for (const [what, settings, play, expected] of cases)
  test(what, () => {
    const { look, reported } = hook(settings);
    for (const [minutes, items] of play) look(minutes, items);
    assert.deepEqual(reported, expected);
  });

test("what is refused stays due until it is accepted, or is over", () => {
  const { look, reported, rows } = hook();
  look(20, [item("a"), item("b")], false);
  look(1, [item("a")]);
  assert.deepEqual(reported, ["20 begun a"]);
  assert.deepEqual(
    rows().map(({ cause }) => cause),
    ["gateway_paused a"],
    "an item that was never reported has no end",
  );
});
