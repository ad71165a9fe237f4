// A completion over scripted members: its pool, its request, and what came of it.

import assert from "node:assert/strict";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { type CallOutcome, type CompletionRequest, type CompletionResult, complete } from "#ai/complete.ts";
import { createRetryBudget } from "#ai/failover/retry-budget.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import { poolRules } from "#contract/manage/pools/pools.ts";
import type { Script } from "./scripted-members.ts";

export const poolOf = (members: Member[], more: Partial<Pool> = {}): Pool => ({
  id: "p",
  accountId: "a",
  name: "the-pool",
  revision: 1,
  createdAt: 0,
  ...poolRules.parse({ repeat: 0 }),
  members,
  retryBudget: createRetryBudget(),
  hedgeBudget: null,
  ...more,
});

export function requested(stream: boolean, more: Partial<CompletionRequest> = {}): CompletionRequest {
  const body = { model: "the-pool", messages: [{ role: "user", content: "hello" }], stream };
  const request = {
    kind: "chat" as const,
    text: JSON.stringify(body),
    body,
    model: "the-pool",
    stream,
    includeUsage: false,
    allowedModels: null,
    promptTokens: 5,
    ...more,
  };
  return { api: new ChatCompletionsRequest(request), ...request };
}

/** Starts one; `spent` holds every telling of the usage. */
export function start(it: Script, pool: Pool, request: CompletionRequest) {
  const spent: CallOutcome[] = [];
  const gone = new AbortController();
  const completed = complete(it.deps, pool, request, gone.signal, (one) => spent.push(one));
  return { completed, spent, gone };
}

export const streamOf = (completed: CompletionResult) => {
  assert.equal(completed.kind, "stream");
  return (completed as Extract<CompletionResult, { kind: "stream" }>).stream;
};

export async function drain(completed: CompletionResult): Promise<string> {
  const stream = streamOf(completed);
  let text = "";
  for (let next = await stream.next(); next !== null; next = await stream.next()) text += next;
  assert.equal(await stream.next(), null);
  stream.cancel();
  return text;
}

export const events = (text: string) =>
  text
    .split("\n\n")
    .filter((line) => line !== "")
    .map((line) => {
      assert.ok(line.startsWith("data: "), line);
      return line.slice(6);
    });
