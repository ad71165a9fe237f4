// The control of the bench: conduct that is wrong is seen as wrong.

import assert from "node:assert/strict";
import test from "node:test";
import type { Seen } from "./caller.ts";
import { scoreOutage } from "./outage.ts";
import { fast } from "./profile.ts";
import { canonical, type Hit } from "./provider.ts";
import { type Observed, scenarios, score } from "./scenarios.ts";

const hits = (...at: number[]): Hit[] => at.map((one) => ({ at: one, run: "r", model: "m", faulty: false }));
const answer = (more: Partial<Extract<Seen, { kind: "answer" }>> = {}): Seen => ({
  kind: "answer",
  text: canonical,
  model: "fb-ok",
  usage: true,
  servedBy: "fallback",
  ms: 100,
  ...more,
});
const error = (code: string, ms = 100): Seen => ({
  kind: "error",
  status: 502,
  code,
  message: "",
  text: "",
  ms,
});

function verdict(id: string, seen: Seen, more: Partial<Observed> = {}): string {
  const scenario = scenarios.find((one) => one.id === id);
  assert.ok(scenario);
  const observed = { seen, primary: hits(0), fallback: hits(5), alive: true, profile: fast, ...more };
  return score(scenario, observed).verdict;
}

test("part of an answer as if it were whole, and a hang, fail everywhere", () => {
  for (const { id } of scenarios) {
    assert.equal(verdict(id, answer({ text: canonical.slice(0, 100) })), "fail", id);
    assert.equal(verdict(id, { kind: "hang", ms: 1 }), "fail", id);
  }
});

test("each scenario's own conduct", () => {
  const cases: [string, string, Seen, Partial<Observed>?][] = [
    ["S01", "pass", answer()],
    ["S01", "partial", answer(), { primary: hits(0, 600), fallback: [] }],
    ["S01", "fail", answer(), { primary: hits(0, 100, 200, 2_000) }],
    ["S02", "fail", answer(), { primary: hits(0, 100, 200, 300, 400) }],
    ["S03", "partial", answer()],
    ["S04", "fail", answer(), { primary: hits(0, 1, 2, 3, 4, 5, 6) }],
    ["S06", "partial", answer(), { primary: hits(0, 2_000) }],
    ["S06", "fail", answer({ ms: 13_000 })],
    ["S07", "partial", answer({ ms: 8_500 })],
    ["S08", "safe", error("upstream_cut")],
    ["S09", "fail", error("upstream_timeout"), { alive: false }],
    ["S09", "fail", error("upstream_timeout", 9_000)],
    ["S11", "partial", answer({ usage: false })],
    ["S12", "fail", answer(), { primary: hits(0, 1) }],
    ["S13", "pass", error("content_policy_violation"), { fallback: [] }],
    ["S13", "fail", error("server_error")],
    ["S13", "partial", answer()],
    ["S14", "fail", error("prefill"), { fallback: hits(1).map((hit) => ({ ...hit, faulty: true })) }],
    ["S16", "fail", answer({ model: "primary" })],
  ];
  for (const [id, expected, seen, more] of cases) assert.equal(verdict(id, seen, more), expected, id);
});

test("S15: no call may go unserved, few may touch it, and it has to be back in time", () => {
  const well = { seen: [answer()], touches: 4, backAfterMs: 5_000 };
  const of = (more: object) => scoreOutage({ ...well, ...more }, "truthful").verdict;
  assert.equal(of({}), "pass");
  assert.equal(of({ touches: 5 }), "partial");
  assert.equal(of({ backAfterMs: 5_001 }), "fail");
  assert.equal(of({ backAfterMs: null }), "fail");
  assert.equal(of({ seen: [answer(), error("overloaded")] }), "fail");
});
