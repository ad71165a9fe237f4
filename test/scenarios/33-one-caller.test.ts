// One caller among many: what one of them sends, or does, changes nothing for the others. Pictures cost what pictures
// cost, embeddings what their words do, two providers that are down leave the third to everybody, and each error
// that trying again may help says when.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, test } from "node:test";
import { readPools } from "#store/pools/pools.ts";
import { listCalls } from "#store/pools/usage.ts";
import {
  begins,
  delta,
  fails,
  openaiPeer,
  type Peer,
  type PeerAnswer,
  replies,
  says,
} from "../http/openai-peer.ts";
import { memberOf, type Pooled, pooled } from "../http/pooled.ts";
import { anyCall } from "../store/pool-rows.ts";

const closing: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of closing.toReversed()) await one.close();
});

async function peerOf(...args: Parameters<typeof openaiPeer>): Promise<Peer> {
  const peer = await openaiPeer(...args);
  closing.push(peer);
  return peer;
}

async function poolOf(...args: Parameters<typeof pooled>): Promise<Pooled> {
  const made = await pooled(...args);
  closing.push(made);
  return made;
}

/** The pool's calls, newest first, once they are written. */
async function callsOf({ it }: Pooled) {
  await it.clock.advance(2_000);
  const accountId = (await it.account()).id;
  const { database } = it.system;
  const [found] = await database.run(readPools, { accountId, id: null });
  const asked = {
    accountId,
    poolId: found!.pool.id,
    ...anyCall,
    before: null,
    limit: 9,
    maxScanned: 9,
  };
  return (await database.run(listCalls, asked)).rows;
}

const picture = {
  type: "image_url",
  image_url: { url: `data:image/png;base64,${"iVBORw0KGgoA".repeat(90_000)}` },
};
const messages = [{ role: "user", content: [{ type: "text", text: "What is this?" }, picture] }];

test("two pictures of 1 MB at once with 200,000 tokens a minute: both are served", async () => {
  const peer = await peerOf(says("A cat."));
  const it = await poolOf({
    members: [memberOf(peer)],
    keys: [{ name: "app", limits: { tokens_per_minute: 200_000 } }],
  });
  const both = await Promise.all([1, 2].map(() => it.ask("/chat/completions", { body: { messages } })));
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
});

test("a picture of 1 MB whose caller leaves after the first word: a record with the tokens of a picture", async () => {
  const peer = await peerOf((asked) => begins(asked)(delta(asked.body.model, { content: "A cat" })));
  const it = await poolOf({ members: [memberOf(peer)] });
  const body = JSON.stringify({ messages, stream: true });
  const asked = request(`${it.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${it.key}`, "content-type": "application/json" },
  });
  asked.on("error", () => {});
  asked.end(body);
  const { left } = await peer.next();
  await new Promise<void>((resolve) =>
    asked.once("response", (reply) => reply.once("data", () => resolve())),
  );
  asked.destroy();
  await left;
  await it.it.settle();
  const [call] = await callsOf(it);
  assert.deepEqual([call?.status, call?.estimated, call?.completion_tokens], [499, 1, 2]);
  assert.ok(call!.prompt_tokens > 85 && call!.prompt_tokens < 2_000, `${call!.prompt_tokens}`);
});

test("embeddings whose vendor tells no usage: the tokens of the input, and none for the numbers", async () => {
  const data = [
    { object: "embedding", index: 0, embedding: Array.from({ length: 3_072 }, (_, at) => at / 7) },
  ];
  const peer = await peerOf(replies(200, { object: "list", data, model: "embed" }));
  const it = await poolOf({ members: [memberOf(peer, { embedding_models: ["embed"] })] });
  for (const input of ["hello world", [15339, 1917]]) {
    assert.equal((await it.ask("/embeddings", { body: { model: "embed", input } })).status, 200);
    const [call] = await callsOf(it);
    assert.deepEqual([call?.estimated, call?.completion_tokens], [1, 0]);
    assert.ok(call!.prompt_tokens >= 2 && call!.prompt_tokens <= 3, `${call!.prompt_tokens}`);
  }
});

/** Answers no call until so many have asked, and then all of them at once. */
function together(count: number, answer: PeerAnswer): PeerAnswer {
  const arrived = Promise.withResolvers<void>();
  let asked = 0;
  return async (one) => {
    asked += 1;
    if (asked === count) arrived.resolve();
    await arrived.promise;
    await answer(one);
  };
}

test("two providers down, one well, 150 calls at once: 150 answers, whole and streamed", async () => {
  const callers = 150;
  const reset: PeerAnswer = ({ response }) => response.destroy();
  for (const down of [fails(503), fails(500), reset]) {
    const sick = [peerOf(together(callers, down)), peerOf(together(callers, down))];
    const peers = await Promise.all([...sick, peerOf(says("Well."))]);
    const members = peers.map((peer, at) => memberOf(peer, { name: `member-${at}`, priority: at + 1 }));
    const it = await poolOf({ members });
    const replies = await Promise.all(
      Array.from({ length: callers }, (_, at) =>
        it.ask("/chat/completions", {
          body: { messages: [{ role: "user", content: "Hi" }], stream: at % 2 === 1 },
        }),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.ok(replies.every(({ headers }) => headers.get("x-service-pool-provider") === "member-2"));
  }
});

test("every error of ours that trying again may help says when, also where no provider did", async () => {
  const peer = await peerOf();
  const it = await poolOf({ members: [memberOf(peer)] });
  for (const [answer, status] of [
    [fails(500), 502],
    [fails(503), 503],
    [fails(401), 502],
    [fails(429), 429],
  ] as const) {
    peer.answer(answer);
    await it.it.clock.advance(700_000);
    const asking = it.ask("/chat/completions", { body: { messages: [{ role: "user", content: "Hi" }] } });
    let answered = false;
    void asking.then(() => {
      answered = true;
    });
    // Repeats and waits take their time on the clock.
    for (let turn = 0; turn < 10_000 && !answered; turn++) {
      await it.it.clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const reply = await asking;
    assert.equal(reply.status, status);
    assert.ok(Number(reply.headers.get("retry-after")) >= 1, `${status}`);
  }
});
