// The ledger checker sees every kind of damage: each test plants one in books that add up.

import assert from "node:assert/strict";
import test from "node:test";
import { checkLedgers } from "./checker-ledger.ts";
import type { LedgerEntry, Row } from "./evidence.ts";
import { entriesOf, row } from "./sound-run.ts";

interface Case {
  rows: Row[];
  remaining: number;
  entries: LedgerEntry[];
}

/** Two requests, one of two messages with three segments in all, of which one failed and one turned out to be sent. */
function sound(): Case {
  const proven = row("r.3", "failed");
  return {
    rows: [
      { ...row("r.1"), segments: 2 },
      { ...row("r.2", "failed"), request: "req-r.1" },
      { ...proven, status: "delivered", timeline: [...proven.timeline, { at: "later", type: "delivered" }] },
    ],
    remaining: 98,
    entries: entriesOf([
      ["opening", "e1", 100],
      ["reserve", "req-r.1", -3],
      ["reserve", "req-r.3", -1],
      ["return", "msg-r.2", 1],
      ["return", "msg-r.3", 1],
    ]),
  };
}

function judge(change: (run: Case) => void): string[] {
  const { rows, ...ledger } = sound();
  const run = { rows, ...ledger };
  change(run);
  return checkLedgers({
    rows: run.rows,
    ledgers: [{ account: "acme", remaining: run.remaining, entries: run.entries }],
  });
}

test("books that add up have no violations, in any order of their entries; without a ledger nothing is judged", () => {
  assert.deepEqual(
    judge(() => {}),
    [],
  );
  assert.deepEqual(
    judge((run) => run.entries.reverse()),
    [],
  );
  assert.deepEqual(checkLedgers({ rows: sound().rows, ledgers: [] }), []);
});

/** Replaces the entries; the balance follows them. */
const rewrite = (run: Case, amounts: Parameters<typeof entriesOf>[0]) => {
  run.entries = entriesOf(amounts);
  run.remaining = run.entries.at(-1)?.remaining ?? 0;
};
const asked = (run: Case): [string, string, number][] =>
  run.entries.map(({ kind, reference, amount }) => [kind, reference, amount]);

const planted: [string, (run: Case) => void, RegExp][] = [
  [
    "a balance that is not the sum",
    (run) => {
      run.remaining -= 1;
    },
    /^acme: the ledger's entries make 98, the balance is 97$/,
  ],
  ["an entry that is missing", (run) => run.entries.splice(1, 1), /entries make 101, the balance is 98$/],
  [
    "two wrongs that cancel each other out in the sum",
    (run) => {
      const first = run.entries[1];
      if (first) first.remaining += 1;
    },
    /balances do not follow/,
  ],
  [
    "a request that was charged twice",
    (run) => rewrite(run, [...asked(run), ["reserve", "req-r.3", -1]]),
    /^acme: 2 entries reserve for req-r\.3$/,
  ],
  [
    "a message whose credit came back twice",
    (run) => rewrite(run, [...asked(run), ["return", "msg-r.2", 1]]),
    /^acme: 2 entries return for msg-r\.2$/,
  ],
  [
    "a request that was not charged",
    (run) =>
      rewrite(
        run,
        asked(run).filter(([, reference]) => reference !== "req-r.3"),
      ),
    /^acme: nothing was reserved for req-r\.3$/,
  ],
  [
    "a request that was charged too little",
    (run) =>
      rewrite(
        run,
        asked(run).map(([kind, reference, amount]) => [
          kind,
          reference,
          reference === "req-r.1" ? -2 : amount,
        ]),
      ),
    /^acme: 2 reserved for req-r\.1, which has 3 segments$/,
  ],
  [
    "a charge for nothing",
    (run) => rewrite(run, [...asked(run), ["reserve", "req-x", -1]]),
    /^acme: credit reserved for req-x, which is not stored$/,
  ],
  [
    "a return for nothing",
    (run) => rewrite(run, [...asked(run), ["return", "msg-x", 1]]),
    /^acme: credit came back for msg-x, which is not stored$/,
  ],
  [
    "a return for a message that was sent",
    (run) => rewrite(run, [...asked(run), ["return", "msg-r.1", 2]]),
    /^acme: msg-r\.1 \(sent\): credit came back, yet it never ended unsent$/,
  ],
  [
    "no return for a message that was not sent",
    (run) =>
      rewrite(
        run,
        asked(run).filter(([, reference]) => reference !== "msg-r.2"),
      ),
    /^acme: msg-r\.2 \(failed\): no credit came back$/,
  ],
  [
    "too large a return",
    (run) =>
      rewrite(
        run,
        asked(run).map(([kind, reference, amount]) => [
          kind,
          reference,
          reference === "msg-r.2" ? 5 : amount,
        ]),
      ),
    /^acme: msg-r\.2: 5 came back of 1$/,
  ],
  [
    "a balance that was opened twice",
    (run) => rewrite(run, [...asked(run), ["opening", "e2", 100]]),
    /^acme: 2 opening entries$/,
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

test("each account is judged by its own messages", () => {
  const { rows, remaining, entries } = sound();
  const beta = rows.map((own) => ({ ...own, account: "beta" }));
  const lines = checkLedgers({ rows: beta, ledgers: [{ account: "acme", remaining, entries }] });
  assert.ok(lines.includes("acme: credit reserved for req-r.1, which is not stored"), JSON.stringify(lines));
});
