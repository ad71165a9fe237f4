// On SQLite no statement on a table that grows depends on statistics. SQLite plans by them alone, and not by how large a
// table is; so statistics that are taken while an installation is small (at its first stop, for instance) decide
// how a million messages are looked for later. Every operation is run, each of its statements is explained
// under none, small, fresh and mixed statistics, and the plan has to be the same one, by a key.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { operations } from "#store/operations.ts";
import { openStore, type Store } from "./conformance.ts";
import { growing } from "./grown.ts";
import {
  cases,
  growTo,
  mixed,
  plansOnSqlite,
  readStatistics,
  type Statistics,
  statementsOnSqlite,
  taken,
} from "./statement-plans.ts";

/** Enough for every operation to find what it looks for; more rows would change no plan. */
const messages = 30_000;

/** Statements that go along an index from its one end, and why that is no scan. */
const walks: [operation: string, line: RegExp, why: string][] = [
  ["countWebhooks", /^SCAN (outbox USING|webhook_deliveries USING) /, "counts at most 100,000, for metrics"],
  ["readOutbox", /^SCAN outbox USING INDEX (sqlite_autoindex_outbox_1|outbox_requests)$/, "the first page"],
  [
    "readDueLanes",
    /^SCAN (messages|webhook_deliveries|deferred_completions) USING COVERING INDEX \w+_due$/,
    "the first row",
  ],
  ["countWaiting", /^SCAN messages USING COVERING INDEX messages_due$/, "the first row"],
  [
    "findInactiveWithDeliveries",
    /^SCAN webhook_deliveries USING COVERING INDEX webhook_deliveries_due$/,
    "the first row",
  ],
  ["findWaitingOnInactive", /^SCAN messages USING COVERING INDEX messages_due$/, "the first row"],
  [
    "listAuditEntries",
    /^SCAN audit_entries USING INDEX sqlite_autoindex_audit_entries_1$/,
    "the newest page",
  ],
  [
    "holdPending",
    /^SCAN (messages|webhook_deliveries|deferred_completions) USING (COVERING )?INDEX \w+_due$/,
    "what waits, a page",
  ],
  ["holdPending", /^SCAN outbox USING INDEX/, "the first page"],
  [
    "readRestoreHold",
    /^SCAN (messages|webhook_deliveries|outbox_held) USING .*_held/,
    "what is held is counted",
  ],
  [
    "deleteEmptyRestoreHold",
    /^SCAN (messages|webhook_deliveries|outbox_held) USING .*_held/,
    "whether one is held",
  ],
  ["releaseHeld", /^SCAN (messages|webhook_deliveries|outbox_held) USING .*_held/, "what is held, a page"],
  ["refreshStatistics", /^SCAN \w+ USING COVERING INDEX/, "counts up to 100,000 rows"],
  ["cancelHeld", /^SCAN (messages|webhook_deliveries|outbox_held) USING .*_held/, "what is held, a page"],
];

let store: Store;
let statements: Map<string, Set<string>>;
let fresh: Statistics;
/** By what they are. */
let regimes: Map<string, Statistics>;

before(async () => {
  store = await openStore("sqlite");
  await growTo(store, 0, 10);
  await store.query("analyze");
  const ten = (await readStatistics(store)).filter(({ tbl }) => growing.some((table) => table === tbl));
  await growTo(store, 10, messages);
  statements = await statementsOnSqlite(store);
  await store.query("analyze");
  fresh = await readStatistics(store);
  const others = fresh.filter(({ tbl }) => growing.every((table) => table !== tbl));
  const sources = [fresh, taken(fresh, 1), taken(fresh, 10), taken(fresh, 1000), [...ten, ...others], []];
  regimes = new Map(
    Object.entries({ none: [], fresh, "of one row": sources[1]!, "of ten messages": sources[4]! }),
  );
  for (let seed = 1; seed <= 12; seed++) regimes.set(`mixed, ${seed}`, mixed(sources, seed));
});
after(() => store.close());

test("every operation has an input here", () => {
  assert.deepEqual(
    [...new Set(cases.map(({ operation }) => operation.name))].sort(),
    [...operations.keys()].sort(),
  );
});

/** The lines of a plan that are about tables that grow. */
const aboutGrowing = new RegExp(`^(SCAN|SEARCH|BLOOM FILTER ON) (${growing.join("|")})\\b`);

test("no statement reads a table that grows from end to end, under all statistics", () => {
  for (const [regime, statistics] of regimes) {
    for (const [text, lines] of plansOnSqlite(store, statements.keys(), statistics)) {
      const names = [...statements.get(text)!];
      for (const line of lines) {
        const allowed = walks.some(([operation, walk]) => names.includes(operation) && walk.test(line));
        const scans = /^(SCAN|BLOOM FILTER ON) /.test(line) && aboutGrowing.test(line);
        assert.ok(!scans || allowed, `statistics ${regime}: ${names}: ${line}\n${text}`);
        // SQLite makes one by reading the whole table.
        assert.doesNotMatch(line, /AUTOMATIC/, `statistics ${regime}: ${names}\n${text}`);
      }
    }
  }
});

test("every plan is the same under all statistics", () => {
  const reference = plansOnSqlite(store, statements.keys(), fresh);
  const of = (lines: readonly string[]) => lines.filter((line) => aboutGrowing.test(line)).join("\n");
  for (const [regime, statistics] of regimes) {
    for (const [text, lines] of plansOnSqlite(store, statements.keys(), statistics)) {
      const names = [...statements.get(text)!];
      if (names.includes("refreshStatistics")) continue;
      assert.equal(of(lines), of(reference.get(text)!), `statistics ${regime}: ${names}\n${text}`);
    }
  }
});

test("a message that is asked for by its id is found by its key", () => {
  let seen = 0;
  for (const [text, lines] of plansOnSqlite(store, statements.keys(), [])) {
    if (!/\b(from|update) "?messages"?\b/.test(text) || !/("?messages"?\.)?"?\bid"? (= \?|in \()/.test(text))
      continue;
    const first = lines.find((line) => /^SEARCH messages /.test(line));
    if (first === undefined || /gateways/.test(text.split("where")[1] ?? "")) continue;
    seen += 1;
    assert.match(first, /INDEX sqlite_autoindex_messages_1 \(id=\?\)/, text);
  }
  assert.ok(seen > 10);
});
