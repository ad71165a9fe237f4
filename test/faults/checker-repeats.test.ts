// The checker of repeated requests sees every kind of damage: each test plants one in a run with sound repeats.

import assert from "node:assert/strict";
import test from "node:test";
import { checkRepeats } from "./checker-repeats.ts";
import type { Answer, Row, Sent } from "./evidence.ts";
import { row } from "./sound-run.ts";

const yes = (replayed: boolean, request = "req-1"): Answer => ({
  status: 200,
  code: null,
  replayed,
  body: `{"request_id":"${request}"}`,
  request,
});
const no = (status: number, code: string): Answer => ({
  status,
  code,
  replayed: false,
  body: null,
  request: null,
});

interface Case {
  sent: Sent;
  answers: Answer[];
  rows: Row[];
}

/** Two contacts, asked four times: still running elsewhere, accepted, replayed. */
function sound(): Case {
  const answers = [no(503, "unavailable"), no(409, "idempotency_in_progress"), yes(false), yes(true)];
  return {
    answers,
    sent: {
      account: "acme",
      gateway: "hold",
      markers: ["r.1", "r.2"],
      result: { kind: "acknowledged", ids: ["msg-r.1", "msg-r.2"] },
      repeat: { key: "k1", answers },
    },
    rows: [
      { ...row("r.1"), request: "req-1" },
      { ...row("r.2"), request: "req-1" },
    ],
  };
}

function judge(change: (run: Case) => void): string[] {
  const run = sound();
  change(run);
  return checkRepeats({ sent: [run.sent], rows: run.rows });
}

test("not violations: refusals before the answer, only replays, a set no client got, no set at all, no key", () => {
  const harmless: ((run: Case) => void)[] = [
    () => {},
    (run) => run.answers.splice(2, 1),
    (run) => run.answers.splice(2, 2),
    (run) => {
      run.answers.splice(2, 2);
      run.rows.length = 0;
    },
    (run) => run.answers.push(no(503, "unavailable")),
    (run) => {
      run.rows.length = 0;
      run.sent.repeat = null;
    },
  ];
  for (const change of harmless) assert.deepEqual(judge(change), []);
});

const planted: [string, (run: Case) => void, RegExp][] = [
  [
    "one key, two sets",
    (run) => run.rows.push({ ...row("r.1"), request: "req-2" }, { ...row("r.2"), request: "req-2" }),
    /^key k1: 2 sets: req-1, req-2$/,
  ],
  [
    "one key, two sets that share the contacts",
    (run) => run.rows.splice(1, 1, { ...row("r.2"), request: "req-2" }),
    /^key k1: 2 sets: req-1, req-2$/,
  ],
  [
    "two sets although no request was answered",
    (run) => {
      run.answers.length = 0;
      run.rows.push({ ...row("r.1"), request: "req-2" });
    },
    /^key k1: 2 sets/,
  ],
  [
    "an answer that differs from the first",
    (run) => run.answers.push({ ...yes(true), body: "{}" }),
    /^key k1: 2 different answers/,
  ],
  ["two first answers", (run) => run.answers.push(yes(false)), /^key k1: 2 answers that were not replayed$/],
  [
    "an answer for a set that is not stored",
    (run) => run.rows.splice(0, 2),
    /^key k1: answered as req-1, of which 0 of 2 are stored$/,
  ],
  [
    "an answer for a set of which a part is stored",
    (run) => run.rows.pop(),
    /^key k1: answered as req-1, of which 1 of 2 are stored$/,
  ],
  [
    "a replay that names another set",
    (run) => run.answers.push(yes(true, "req-2")),
    /^key k1: answered as req-2, of which 0 of 2 are stored$/,
  ],
  [
    "a repeat that is refused once the first was accepted",
    (run) => run.answers.push(no(402, "insufficient_credit")),
    /^key k1: answered 2xx and 402$/,
  ],
  [
    "a repeat that is taken for another request",
    (run) => run.answers.splice(2, 2, no(422, "idempotency_mismatch")),
    /^key k1: its own request again was called another one$/,
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
