// A process that is asked to stop while completions are under way: what ends within 30 s ends well, what does not ends
// with an error that says so and never as if it were whole, and all of it is written.

import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import { readPools } from "#store/pools/pools.ts";
import { callsOf } from "../ai/pooled.ts";
import { ground, harness } from "../harness.ts";
import { begins, delta, finishes, openaiPeer, type PeerRequest } from "../http/openai-peer.ts";
import { memberOf, pooled } from "../http/pooled.ts";

interface Caller {
  /** Something of the answer is here. */
  spoken: Promise<void>;
  /** All of the answer, however it ended. */
  answer: Promise<{ text: string; complete: boolean }>;
}

function call(port: number, key: string, body: object): Caller {
  const asked = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/api/ai/v1/chat/completions",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    agent: false,
  });
  asked.end(JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }));
  const spoken = Promise.withResolvers<void>();
  const answer = new Promise<{ text: string; complete: boolean }>((resolve) => {
    let text = "";
    asked.on("error", () => resolve({ text, complete: false }));
    asked.on("response", (response: IncomingMessage) => {
      response.on("data", (bytes) => {
        text += String(bytes);
        spoken.resolve();
      });
      response.on("error", () => {});
      response.on("close", () => resolve({ text, complete: response.complete }));
    });
  });
  return { spoken: spoken.promise, answer };
}

test("streams and calls under way when it stops: 30 s, then an error or a cut, and a record of each", async (t) => {
  const own = await ground("sqlite");
  const peer = await openaiPeer((asked) => {
    if (asked.body.stream === true) begins(asked)(delta(asked.body.model, { content: "Half" }));
  });
  const first = await pooled({ members: [memberOf(peer)] }, { ground: own });
  const { system, clock } = first.it;
  t.after(() => system.app.server.closeAllConnections());
  try {
    const begun = async (body: object): Promise<[Caller, PeerRequest]> => {
      const caller = call(first.port, first.key, body);
      const asked = await peer.next();
      if ("stream" in body) await caller.spoken;
      return [caller, asked];
    };
    const [ends, endsAsked] = await begun({ stream: true });
    const [goesOn, goesOnAsked] = await begun({ stream: true });
    const [whole, wholeAsked] = await begun({});

    let stopped = false;
    const stopping = system.stop().then(() => {
      stopped = true;
    });
    await clock.advance(10_000);
    finishes(endsAsked);
    const ended = await ends.answer;
    assert.ok(ended.complete && ended.text.endsWith("data: [DONE]\n\n"));
    await clock.advance(19_999);
    assert.equal(stopped, false);

    await clock.advance(1);
    const cut = await goesOn.answer;
    assert.ok(cut.complete, "the last words have to arrive");
    const frames = cut.text.split("\n\n").filter(Boolean);
    const last = JSON.parse(frames.at(-1)!.slice(6)) as { error: { code: string }; service_pool: object };
    assert.equal(last.error.code, "unavailable");
    assert.ok(last.service_pool);
    assert.doesNotMatch(cut.text, /\[DONE\]|"finish_reason":"/);
    await goesOnAsked.left;
    await clock.advance(1_000);
    assert.deepEqual(await whole.answer, { text: "", complete: false });
    await wholeAsked.left;
    await stopping;

    const second = await harness({ ground: own });
    const { id: accountId } = await second.account();
    const [found] = await second.system.database.run(readPools, { accountId, id: null });
    const calls = await callsOf(second, { accountId, poolId: found!.pool.id });
    assert.deepEqual(calls.map(({ status }) => status).toSorted(), [200, 499, 503]);
    assert.ok(calls.every(({ status, completion_tokens }) => status === 499 || completion_tokens > 0));
    await second.close();
  } finally {
    await peer.close();
    await own.remove();
  }
});
