// Runs a chain over scripted members, on a clock that moves only as far as the chain asks for.

import assert from "node:assert/strict";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import type { AnswerMode, FailoverCall, FailoverResult } from "#ai/failover/call.ts";
import { runFailover } from "#ai/failover/failover.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import { poolOf } from "../completing.ts";
import type { Script } from "../scripted-members.ts";

export const body = { messages: [{ role: "user", content: "hello" }] };

/** What is special about a call. `pool`: the rules that are not the usual ones. */
export type Asked = Partial<Omit<FailoverCall, "pool">> & { pool?: Partial<Pool> };

/** A call that all these members can serve, each with its first model. */
export function call(
  members: readonly Member[],
  mode: AnswerMode = "chat",
  { pool, ...more }: Asked = {},
): FailoverCall {
  const wire = { ...body, ...(mode === "stream" || mode === "buffered" ? { stream: true } : {}) };
  const call: Omit<FailoverCall, "api"> & Partial<FailoverCall> = {
    choices: members.map((member) => ({ member, model: member.models[0]! })),
    mode,
    text: JSON.stringify(wire),
    body: wire,
    form: null,
    promptTokens: 5,
    deadlineAt: 600_000,
    signal: new AbortController().signal,
    pool: poolOf([...members], { params: "strict", ...pool }),
    ...more,
  };
  return { api: new ChatCompletionsRequest({ ...call, includeUsage: false }), ...call };
}

/** Runs it, letting time pass as it asks for. */
export async function run(it: Script, failoverCall: FailoverCall): Promise<FailoverResult> {
  let over = false;
  const running = runFailover(it.deps, failoverCall).finally(() => {
    over = true;
  });
  await it.clock.settle();
  for (let turn = 0; turn < 50 && !over; turn++) {
    const due = it.clock.nextDue();
    if (due === null) break;
    await it.clock.advanceTo(due);
  }
  return await running;
}

/** Runs them all at once, letting time pass as they ask for. */
export async function runAll(it: Script, calls: readonly FailoverCall[]): Promise<FailoverResult[]> {
  let left = calls.length;
  const running = calls.map((failoverCall) =>
    runFailover(it.deps, failoverCall).finally(() => {
      left -= 1;
    }),
  );
  await it.clock.settle();
  for (let turn = 0; turn < 10_000 && left > 0; turn++) {
    const due = it.clock.nextDue();
    if (due === null) break;
    await it.clock.advanceTo(due);
  }
  return await Promise.all(running);
}

/** The failure that it must have ended with. */
export const failureOf = (result: FailoverResult) => {
  assert.equal(result.kind, "failed");
  return (result as Extract<FailoverResult, { kind: "failed" }>).failure;
};
