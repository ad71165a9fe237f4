// What Prometheus reads of calls to pools.

import assert from "node:assert/strict";
import test from "node:test";
import { CallMetrics, type MeasuredCall } from "#runtime/call-metrics.ts";

const call: MeasuredCall = {
  account: "acc_1",
  pool: "default",
  member: "openai",
  model: "gpt",
  status: 200,
  firstOutputMs: 300,
  ms: 4_000,
  inputTokens: 10,
  outputTokens: 7,
  cost: 1_500_000,
  attempts: [{ member: "openai", model: "gpt", outcome: "ok" }],
};
const of = 'account="acc_1",pool="default",member="openai",model="gpt"';

test("times are histograms by outcome; tokens, cost and attempts are counted", () => {
  const metrics = new CallMetrics();
  metrics.record(call);
  metrics.record({ ...call, ms: 400_000 });
  const failed = { member: "openai", model: "gpt", outcome: "upstream_error" };
  metrics.record({
    ...call,
    status: 503,
    firstOutputMs: null,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    attempts: [failed],
  });
  const lines = metrics.text([]).split("\n");
  for (const line of [
    "# TYPE trunkline_ai_call_seconds histogram",
    `trunkline_ai_first_output_seconds_bucket{${of},le="0.25"} 0`,
    `trunkline_ai_first_output_seconds_bucket{${of},le="0.5"} 2`,
    `trunkline_ai_first_output_seconds_bucket{${of},le="+Inf"} 2`,
    `trunkline_ai_first_output_seconds_sum{${of}} 0.6`,
    `trunkline_ai_first_output_seconds_count{${of}} 2`,
    `trunkline_ai_call_seconds_bucket{${of},outcome="ok",le="5"} 1`,
    `trunkline_ai_call_seconds_bucket{${of},outcome="ok",le="320"} 1`,
    `trunkline_ai_call_seconds_bucket{${of},outcome="ok",le="+Inf"} 2`,
    `trunkline_ai_call_seconds_count{${of},outcome="failed"} 1`,
    `trunkline_ai_tokens_total{${of},type="input"} 20`,
    `trunkline_ai_tokens_total{${of},type="output"} 14`,
    `trunkline_ai_cost_total{${of}} 3`,
    `trunkline_ai_attempts_total{${of},outcome="ok"} 2`,
    `trunkline_ai_attempts_total{${of},outcome="upstream_error"} 1`,
  ])
    assert.ok(lines.includes(line), line);
});

test("outcomes are told apart by what the caller saw, and a call without a member has one of its own", () => {
  const metrics = new CallMetrics();
  for (const status of [200, 404, 499, 502]) metrics.record({ ...call, member: null, model: null, status });
  const text = metrics.text([]);
  for (const outcome of ["ok", "refused", "aborted", "failed"])
    assert.match(
      text,
      new RegExp(
        `call_seconds_count\\{account="acc_1",pool="default",member="",model="",outcome="${outcome}"\\} 1`,
      ),
    );
});

test("a member's state is what it is now; names cannot break out of their label", () => {
  const metrics = new CallMetrics();
  const text = metrics.text([{ account: "acc_1", pool: "default", member: 'a"b\\c', state: "open" }]);
  assert.match(
    text,
    /^trunkline_ai_member_state\{account="acc_1",pool="default",member="a\\"b\\\\c",state="open"\} 1$/m,
  );
  assert.doesNotMatch(metrics.text([]), /^trunkline_ai_member_state\{/m);
});

const countOf = (text: string, account: string) =>
  text.match(new RegExp(`^trunkline_ai_first_output_seconds_count\\{account="${account}"`, "gm"))?.length;

test("the series of an account are bounded, what is beyond is counted as other, and other accounts keep theirs", () => {
  const metrics = new CallMetrics();
  for (let at = 0; at < 10_050; at += 1) metrics.record({ ...call, model: `m${at}`, attempts: [] });
  metrics.record({ ...call, account: "acc_2", attempts: [] });
  const text = metrics.text([]);
  assert.equal(countOf(text, "acc_1"), 201);
  assert.equal(countOf(text, "acc_2"), 1);
  assert.match(text, /_count\{account="acc_1",pool="other",member="other",model="other"\} 9850$/m);
  assert.match(text, /^trunkline_metrics_series_dropped_total 9850$/m);
  assert.ok(text.length < 1_500_000, `${text.length}`);
});

test("series of pools that are gone are forgotten, and idle ones make room", () => {
  const metrics = new CallMetrics(3);
  metrics.record({ ...call, pool: "gone" });
  const inUse = { account: "acc_1", pool: "default", member: "a", state: "closed" };
  assert.doesNotMatch(metrics.text([inUse]), /pool="gone"/);
  for (let at = 0; at < 200; at += 1) metrics.record({ ...call, model: `m${at}`, attempts: [] });
  for (let reading = 0; reading < 5; reading += 1) metrics.text([]);
  metrics.record({ ...call, model: "new", attempts: [] });
  assert.match(
    metrics.text([inUse]),
    /_count\{account="acc_1",pool="default",member="[^"]*",model="new"\} 1$/m,
  );
});
