// The content log of a pool: what clients ask in each API and what they get, stored sealed and redacted, for as long as the pool
// says.

import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { deleteOldContents } from "#store/pools/call-contents.ts";
import { ask, callsOf, keyText, makePool, type PoolOf } from "../ai/pooled.ts";
import { type EngineName, type Ground, ground, type Harness, harness, someEngines } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { answeredInTime } from "../http/routes/manage/managed.ts";
import { says } from "./receiver.ts";

const words = "velvet harbour lantern";
const secret = "sk-proj-0123456789abcdefghij";
const day = 86_400_000;

async function on(
  engine: EngineName,
  tell: (it: Harness, of: PoolOf, own: Ground) => Promise<void>,
  log: object = {},
) {
  const own = await ground(engine);
  const it = await harness({ ground: own, respond: () => says(200) });
  try {
    await tell(it, await makePool(it, { content_log: log }), own);
  } finally {
    await it.close();
    await own.remove();
  }
}

/** Asks over a connection, as streams need. */
async function post(
  it: Harness,
  url: string,
  payload: object,
  headers: Record<string, string> = {},
): Promise<number> {
  const { app } = it.system;
  if (!app.server.listening) await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/api/ai/${url}`, {
    method: "POST",
    headers: { authorization: `Bearer ${keyText}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(payload),
  });
  const reply = await answeredInTime(it, asked);
  await answeredInTime(it, reply.text());
  return reply.status;
}

async function contentsOf(
  it: Harness,
  of: PoolOf,
): Promise<{ status: string; text: string; response: unknown }[]> {
  const headers = bearer(await tokenFor(it));
  const path = `/accounts/${of.accountId}/pools/${of.poolId}/calls`;
  const contents = [];
  for (const { id } of await callsOf(it, of)) {
    const reply = await manage(it, "GET", `${path}/${id}/content`, { headers });
    assert.equal(reply.statusCode, 200, reply.body);
    const { status, request, response } = reply.json().data;
    contents.push({ status, text: JSON.stringify({ request, response }), response });
  }
  return contents;
}

/** Whether any content is stored, of whichever call. */
const isAnyStored = async (it: Harness) =>
  (await it.system.database.run(deleteOldContents, { after: "", now: 0, limit: 1 })).next !== null;

const content = `${words} with ${secret}`;
const messages = [{ role: "user", content }];
const calls = [
  ["chat/completions", { model: "echo", messages }],
  ["messages", { model: "echo", max_tokens: 99, messages }],
  ["responses", { model: "echo", input: content }],
] as const;
const contents = [{ role: "user", parts: [{ text: content }] }];

for (const engine of someEngines(import.meta.filename))
  describe(`on ${engine}`, () => {
    test("whole and streamed in each API: the request, the answer put together, and no secret", () =>
      on(engine, async (it, of) => {
        for (const [url, body] of calls)
          for (const stream of [false, true])
            assert.equal(await post(it, `v1/${url}`, { ...body, stream }), 200, url);
        for (const operation of ["generateContent", "streamGenerateContent?alt=sse", "streamGenerateContent"])
          assert.equal(await post(it, `v1beta/models/echo:${operation}`, { contents }), 200, operation);
        await it.advance(2_000);
        const all = await contentsOf(it, of);
        assert.equal(all.length, 9);
        for (const { status, text } of all) {
          assert.equal(status, "stored");
          assert.equal(text.split(`${words} with [secret]`).length, 3, `asked and answered: ${text}`);
          assert.ok(!text.includes(secret.slice(3)), text);
        }
      }));

    test("failures, answers that serve again and deferred completions", () =>
      on(engine, async (it, of) => {
        await makePool(it, { content_log: {}, cache: { ttl_s: 60 } }, of.accountId);
        await it.advance(4_000);
        assert.equal((await ask(it, { model: "failing" })).statusCode, 503);
        for (let at = 0; at < 2; at++) assert.equal((await ask(it)).statusCode, 200);
        const payload = { model: "echo", messages: [{ role: "user", content: "later" }] };
        const deliver = { "x-trunkline-deliver": "webhook" };
        assert.equal(await post(it, "v1/chat/completions", payload, deliver), 202);
        await it.settle();
        await it.advance(2_000);
        const texts = (await contentsOf(it, of)).map(({ text }) => text);
        assert.equal(texts.length, 4);
        assert.equal(texts.filter((text) => text.includes('"error"')).length, 1);
        assert.equal(texts.filter((text) => text.split("hello there").length === 3).length, 2);
        assert.equal(texts.filter((text) => text.split("later").length === 3).length, 1);
      }));

    test("the time of the pool is over, and a pool is deleted: the maintenance takes the contents", () =>
      on(
        engine,
        async (it, of) => {
          const rows = async () => {
            const all = await contentsOf(it, of);
            return all.filter(({ status }) => status === "stored").length;
          };
          await ask(it);
          await it.advance(2_000);
          await it.advance(2 * day);
          await ask(it);
          await it.advance(2_000);
          assert.equal(await rows(), 2);
          await it.advance(1.5 * day);
          assert.equal(await rows(), 1);
          assert.ok(await isAnyStored(it));
          const headers = bearer(await tokenFor(it));
          const pool = `/accounts/${of.accountId}/pools/${of.poolId}`;
          const removed = await manage(it, "DELETE", pool, { headers });
          assert.equal(removed.statusCode, 204, removed.body);
          const states = (await contentsOf(it, of)).map(({ status }) => status);
          assert.deepEqual(states, ["off", "off"]);
          await it.advance(3_600_000);
          assert.ok(!(await isAnyStored(it)));
        },
        { retention_days: 3 },
      ));

    test("a storage that is away fails no call, and what waits is written afterwards", () =>
      on(engine, async (it, of) => {
        await ask(it);
        await it.advance(2_000);
        it.storageFault("unavailable");
        assert.equal((await ask(it)).statusCode, 200);
        await it.advance(3_000);
        it.storageFault(null);
        await it.advance(2_000);
        assert.deepEqual(
          (await contentsOf(it, of)).map(({ status }) => status),
          ["stored", "stored"],
        );
      }));
  });
