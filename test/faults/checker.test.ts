// The checker sees every kind of damage: each test plants one in an otherwise sound run.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { check } from "./checker.ts";
import type { Evidence, Row, Sent, Taken } from "./evidence.ts";
import { entry, postsOf, row } from "./sound-run.ts";

const acknowledged = (...markers: string[]): Sent => ({
  account: "acme",
  gateway: "hold",
  markers,
  result: { kind: "acknowledged", ids: markers.map((marker) => `msg-${marker}`) },
  repeat: null,
});

interface Case {
  sent: Sent[];
  rows: Row[];
  taken: Taken[];
}

/** Three requests, six contacts, one never acknowledged; every end state that is allowed. */
const sound = (): Case => ({
  sent: [
    acknowledged("r.1"),
    acknowledged("r.2", "r.3", "r.4"),
    { ...acknowledged("r.5", "r.6"), result: { kind: "none", reason: "killed" } },
    { ...acknowledged("r.7"), result: { kind: "none", reason: "killed" } },
    { ...acknowledged("r.8"), result: { kind: "refused", status: 503, code: "unavailable" } },
  ],
  rows: [
    row("r.1"),
    row("r.2", "delivered"),
    row("r.3", "failed"),
    row("r.4", "unknown"),
    row("r.5"),
    row("r.6", "unknown"),
  ],
  taken: [entry("r.1"), entry("r.2"), entry("r.5"), entry("r.6")],
});

function judge(change: (run: Case) => void, more: Partial<Evidence> = {}) {
  const run = sound();
  change(run);
  return check({
    ...run,
    drained: true,
    policy: (gateway) => (gateway === "resend" ? "resend" : "hold"),
    unknownAtMost: null,
    creditUsed: null,
    ledgers: [],
    posted: run.rows.flatMap(postsOf),
    handed: [],
    inbound: [],
    reported: new Set<string>(),
    settlesDoubt: (gateway) => gateway === "resend",
    ...more,
  });
}

test("a sound run has no violations and adds up", () => {
  const verdict = judge(() => {}, { unknownAtMost: 2, creditUsed: { acme: 5 } });
  assert.deepEqual(verdict, {
    acknowledged: 4,
    lost: [],
    unexpected: [],
    duplicates: [],
    resent: 0,
    recovered: 2,
    pending: 0,
    sent: 3,
    notSent: 1,
    unknown: 2,
    notified: 19,
    repeated: 0,
    inbound: 0,
    violations: [],
  });
});

const planted: [string, (run: Case) => void, RegExp, Partial<Evidence>?][] = [
  [
    "an acknowledged message is not stored",
    (run) => run.rows.splice(2, 1),
    /^lost: r\.3: acknowledged as msg-r\.3, and/,
  ],
  [
    "an acknowledged message was sent and forgotten",
    (run) => run.rows.splice(0, 1),
    /^lost: r\.1: .* it was sent, but/,
  ],
  [
    "a message counts as sent and never was",
    (run) => run.taken.splice(1, 1),
    /^lost: r\.2 .* never reached the provider/,
  ],
  [
    "a message stays pending",
    (run) => put(run.rows, 2, row("r.3", "sending")),
    /^lost: r\.3 .* still pending/,
  ],
  [
    "a stored message that no client sent",
    (run) => run.rows.push(row("x.9", "failed")),
    /^unexpected: x\.9: stored/,
  ],
  [
    "a sent message that no client sent",
    (run) => run.taken.push(entry("x.9")),
    /^unexpected: x\.9: sent, but no client/,
  ],
  [
    "an unacknowledged message sent and not stored",
    (run) => run.taken.push(entry("r.7")),
    /^unexpected: r\.7: sent, but not stored/,
  ],
  [
    "a message is sent twice",
    (run) => run.taken.push(entry("r.1")),
    /^duplicate: r\.1: taken 2 times by hold/,
  ],
  [
    "a resending gateway sends a third time",
    (run) => {
      run.rows[0] = row("r.1", "sent", "resend");
      run.taken = [
        ...run.taken.slice(1),
        entry("r.1", "resend"),
        entry("r.1", "resend"),
        entry("r.1", "resend"),
      ];
    },
    /^duplicate: r\.1: taken 3 times by resend/,
  ],
  [
    "one request is stored in part",
    (run) => run.rows.splice(5, 1) && run.taken.pop(),
    /1 of 2 contacts of one request/,
  ],
  [
    "a refused request is stored",
    (run) => run.rows.push(row("r.8", "failed")),
    /r\.8…: answered 503, yet stored/,
  ],
  [
    "one contact becomes two rows",
    (run) => run.rows.push({ ...row("r.1"), id: "msg-other" }),
    /^r\.1: stored 2 times/,
  ],
  [
    "ids come back in the wrong order",
    (run) => swapIds(run),
    /^r\.2: acknowledged as msg-r\.3, stored as msg-r\.2/,
  ],
  ["an id is missing in the answer", (run) => dropId(run), /3 contacts, 2 ids/],
  ["a failed message was sent", (run) => run.taken.push(entry("r.3")), /^r\.3 .* was sent all the same/],
  [
    "a message in doubt does not say why",
    (run) => put(run.rows, 3, { ...row("r.4", "unknown"), error: null }),
    /r\.4 .* does not say why/,
  ],
  ["an unknown status", (run) => put(run.rows, 0, row("r.1", "gone")), /r\.1 .* not a status/],
  [
    "a timeline that ends elsewhere",
    (run) => put(run.rows, 0, { ...row("r.1"), timeline: row("r.1", "sending").timeline }),
    /^r\.1 .* its timeline ends with sending/,
  ],
  [
    "another account sees it",
    (run) => put(run.rows, 0, { ...row("r.1"), account: "beta" }),
    /of acme, shown to beta/,
  ],
  ["another gateway sent it", (run) => put(run.taken, 0, entry("r.1", "other")), /of hold, sent by other/],
  ["more in doubt than was on the wire", () => {}, /^2 in doubt, at most 1/, { unknownAtMost: 1 }],
  ["credit that does not add up", () => {}, /^acme: 6 of credit used, 5 due/, { creditUsed: { acme: 6 } }],
];

for (const [name, change, expected, more] of planted) {
  test(`seen: ${name}`, () => {
    const { violations } = judge(change, more);
    assert.ok(
      violations.some((line) => expected.test(line)),
      `${expected} not in ${JSON.stringify(violations)}`,
    );
  });
}

function put<T>(list: T[], at: number, item: T): void {
  list[at] = item;
}

function swapIds(run: Case): void {
  const result = run.sent[1]?.result;
  if (result?.kind === "acknowledged") result.ids = ["msg-r.3", "msg-r.2", "msg-r.4"];
}

function dropId(run: Case): void {
  const result = run.sent[1]?.result;
  if (result?.kind === "acknowledged") result.ids.pop();
}

test("the other checkers are asked too", () => {
  const repeat = {
    key: "k",
    answers: [{ status: 422, code: "idempotency_mismatch", replayed: false, body: null, request: null }],
  };
  const { violations } = judge((run) => put(run.sent, 0, { ...acknowledged("r.1"), repeat }), {
    ledgers: [{ account: "unknown", remaining: 1, entries: [] }],
    posted: [],
    handed: [{ marker: "i.1", account: "acme", gateway: "twilio", taken: 1 }],
  });
  for (const expected of [/^key k: /, /^unknown: /, /^msg-r\.1: message\.queued/, /^lost: inbound i\.1/]) {
    assert.ok(
      violations.some((line) => expected.test(line)),
      `${expected} not in ${JSON.stringify(violations)}`,
    );
  }
});

test("seen: a report that was taken and changed nothing", () => {
  const reported = new Set(["p-r.1", "p-r.6"]);
  assert.deepEqual(judge(() => {}, { reported }).violations, [
    "r.1 (msg-r.1, sent): its report was taken and changed nothing",
  ]);
  const byOurId = judge(() => {}, { reported: new Set(["p-r.6"]), settlesDoubt: () => true });
  assert.deepEqual(byOurId.violations, ["r.6 (msg-r.6, unknown): its report was taken and changed nothing"]);
});

test("not violations: pending before the drain, one resend, a repeat after a definite no, commit_unknown", () => {
  assert.deepEqual(judge((run) => put(run.rows, 2, row("r.3", "queued")), { drained: false }).violations, []);
  const resent = judge((run) => {
    run.rows[0] = row("r.1", "sent", "resend");
    run.taken = [...run.taken.slice(1), entry("r.1", "resend"), entry("r.1", "resend")];
  });
  assert.deepEqual([resent.violations, resent.resent], [[], 1]);
  assert.deepEqual(judge((run) => run.taken.unshift(entry("r.1", "hold", "429"))).violations, []);
  const unsure = judge((run) => {
    run.sent[4] = {
      ...acknowledged("r.8"),
      result: { kind: "refused", status: 503, code: "commit_unknown" },
    };
    run.rows.push(row("r.8", "failed"));
  });
  assert.deepEqual([unsure.violations, unsure.recovered], [[], 3]);
});

test("any loss or repeat anywhere in a large run is seen", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.nat(),
      fc.constantFrom("row", "entry", "again"),
      (count, at, damage) => {
        const markers = Array.from({ length: count }, (_, index) => `r.${index}`);
        const victim = at % count;
        const rows = markers.map((marker) => row(marker));
        const taken = markers.map((marker) => entry(marker));
        if (damage === "row") rows.splice(victim, 1);
        if (damage === "entry") taken.splice(victim, 1);
        if (damage === "again") taken.push(entry(`r.${victim}`));
        const verdict = judge((run) => Object.assign(run, { sent: [acknowledged(...markers)], rows, taken }));
        assert.equal(verdict.violations.length, 1);
        assert.match(verdict.violations[0] ?? "", new RegExp(`\\br\\.${victim}\\b`));
      },
    ),
    { seed: 20261121 },
  );
});
