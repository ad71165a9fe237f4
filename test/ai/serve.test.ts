// A call that is not let in reaches no member and takes nothing; what is set aside for one that is let in.

import assert from "node:assert/strict";
import test from "node:test";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { promptTokens, reservedTokens } from "#ai/limits/estimate.ts";
import { type ServeDeps, serve } from "#ai/serve.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { poolKey } from "./pools/pool-keys.ts";

const body = { messages: [{ role: "user", content: "hello" }], max_tokens: 7 };
const text = JSON.stringify(body);
const read = { text, body, model: null, stream: false, includeUsage: false };
const request = { kind: "chat", ...read, api: new ChatCompletionsRequest(read) } as const;
const caller = (id: string) => ({ id, clientRequestId: null, tags: [], extraHeaders: null });
const levels = { requests: null, tokens: null };

test("a spent budget and a refusal of the limits are reported, no member is asked and no usage is recorded", async () => {
  const asked: unknown[] = [];
  const refusals: unknown[] = [];
  let exhaustedForMs: number | null = 5_000;
  const deps = {
    chain: () => ({ clock: movableClock() }),
    budgets: { exhaustedForMs: async () => exhaustedForMs },
    throttle: {
      admit: async (...args: unknown[]) => {
        asked.push(args.slice(1));
        return { admission: { kind: "gone" as const, levels }, end: () => asked.push("end") };
      },
    },
    record: () => asked.push("record"),
    refused: ({ id }: { id: string }, by: string, at: number) => refusals.push([id, by, at]),
  } as unknown as ServeDeps;
  const call = () =>
    serve(deps, {
      key: poolKey(),
      pool: {} as never,
      request,
      caller: caller("req_1"),
      signal: new AbortController().signal,
    });
  const refused = { kind: "refused", by: "budget", retryAfterMs: 5_000, levels };
  assert.deepEqual([await call(), asked], [refused, []]);
  assert.deepEqual(refusals, [["key_1", "budget", movableClock().now()]]);
  exhaustedForMs = null;
  assert.equal((await call()).kind, "gone");
  assert.deepEqual(asked, [["req_1", reservedTokens("chat", body, promptTokens("chat", body))]]);
});

test("a refusal that no client sees is not counted: of a queued completion, and of a person who tries the pool", async () => {
  const refusals: string[] = [];
  const refusedBy = (by: "budget" | "requests") =>
    ({
      chain: () => ({ clock: movableClock() }),
      budgets: { exhaustedForMs: () => (by === "budget" ? 1 : null) },
      throttle: {
        admit: () => ({ admission: { kind: "refused", by, retryAfterMs: 1, levels }, end: () => {} }),
      },
      refused: (_key: unknown, why: string) => refusals.push(why),
    }) as unknown as ServeDeps;
  const person = { name: "ada@acme.test", ended: () => {} };
  for (const by of ["budget", "requests"] as const)
    for (const more of [{ isQueued: true as const }, { person }, {}]) {
      const from = { ...caller("req_1"), ...more };
      const { signal } = new AbortController();
      const result = await serve(refusedBy(by), {
        key: poolKey(),
        pool: {} as never,
        request,
        caller: from,
        signal,
      });
      assert.equal(result.kind, "refused");
    }
  assert.deepEqual(refusals, ["budget", "requests"]);
});

test("the place is free before anything of the call is recorded; a call that ends otherwise gives it back too", async () => {
  const order: string[] = [];
  const deps = (chain: object) =>
    ({
      chain: () => chain,
      budgets: { exhaustedForMs: async () => null },
      throttle: {
        admit: async () => ({
          admission: { kind: "admitted" as const, levels },
          end: (used: number) => order.push(`end ${used}`),
        }),
      },
      record: (_pool: unknown, { api }: { api: string | null }, { status }: { status: number }) =>
        order.push(`record ${status} ${api}`),
    }) as unknown as ServeDeps;
  const signal = new AbortController().signal;
  const strict = { members: [], strict_models: true, name: "pool", deadline_ms: 1 } as never;
  const asked = { ...request, model: "unknown" };
  const call = { key: poolKey(), pool: strict, request: asked, caller: caller("req_1"), signal };
  const served = await serve(deps({ clock: movableClock() }), call);
  assert.ok(served.kind === "served" && served.completed.kind === "error");
  assert.deepEqual(order.splice(0), ["end 0", "record 404 chat_completions"]);
  const broken = {
    clock: {
      now: () => 0,
      monotonic: () => {
        throw new Error("a bug");
      },
    },
  };
  await assert.rejects(serve(deps(broken), call), /a bug/);
  assert.deepEqual(order, ["end 0"]);
});
