// Completions that are answered later, in the search for secrets: prompts, answers and headers are stored sealed, and shown to
// the key that asked alone. The pool keeps a content log of them, which is sealed too.

import assert from "node:assert/strict";
import { planted } from "./planted.ts";
import type { Story } from "./story.ts";

const deliver = { "x-trunkline-deliver": "webhook" };
const nextYear = { "x-trunkline-schedule-at": "2026-12-01 00:00:00" };

/** A sandbox that repeats what it was asked: some are answered, one is cancelled, and some wait until the end of the story. */
export async function deferModels({ it, ask, manage, known }: Story): Promise<void> {
  const acme = `/accounts/${known.get("acme")}`;
  const pool = (await manage("POST", `${acme}/pools`, { name: "later", content_log: {} })).json().data
    .id as string;
  const member = { name: "box", kind: "sandbox", models: ["echo"] };
  assert.equal((await manage("POST", `${acme}/pools/${pool}/members`, member)).statusCode, 201);
  const keyed = await manage("POST", `${acme}/pools/${pool}/keys`, {
    name: "app",
    key: planted.deferringKey,
  });
  assert.equal(keyed.statusCode, 201, keyed.body);
  const call = async (
    [method, path]: readonly ["GET" | "POST", string],
    { payload, headers = {}, shows = [] }: Call = {},
  ) => {
    const url = `/api/ai/v1/${path}`;
    const authorization = `Bearer ${planted.deferringKey}`;
    return await ask(
      { method, url, headers: { authorization, ...headers }, ...(payload && { payload }) },
      shows,
    );
  };
  const says = (content: string) => ({
    model: "echo",
    max_tokens: 64,
    messages: [{ role: "user", content }],
  });
  const beta = { "anthropic-beta": planted.deferredHeader };
  const kinds = [
    { at: "chat/completions", payload: says(planted.deferredPrompt), shows: "deferredPrompt", headers: {} },
    { at: "messages", payload: says(planted.deferredMessage), shows: "deferredMessage", headers: beta },
    {
      at: "responses",
      payload: { model: "echo", input: planted.backgroundInput },
      shows: "backgroundInput",
      headers: {},
    },
  ];
  for (const { at, payload, shows, headers } of kinds) {
    const accepted = await call(["POST", at], { payload, headers: { ...deliver, ...headers } });
    assert.equal(accepted.statusCode, 202, accepted.body);
    await it.advance(1_000);
    const done = await call(["GET", `deferred/${accepted.json().id}`], { shows: [shows] });
    assert.equal(done.json().status, "completed", done.body);
    const later = { payload, headers: { ...deliver, ...nextYear, ...headers } };
    for (const end of ["waits", "cancelled"]) {
      const { id } = (await call(["POST", at], later)).json();
      const path =
        end === "waits" ? (["GET", `deferred/${id}`] as const) : (["POST", `deferred/${id}/cancel`] as const);
      const { status } = (await call(path)).json();
      assert.equal(status, end === "waits" ? "queued" : "cancelled");
    }
  }
  const input = { model: "echo", input: planted.backgroundInput, background: true };
  const { id } = (await call(["POST", "responses"], { payload: input })).json();
  await it.advance(1_000);
  const done = await call(["GET", `responses/${id}`], { shows: ["backgroundInput"] });
  assert.equal(done.json().status, "completed", done.body);
}

interface Call {
  payload?: object;
  headers?: Record<string, string>;
  /** Names of secrets that the answer is meant to show. */
  shows?: readonly string[];
}
