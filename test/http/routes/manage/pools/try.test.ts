// A person tries a pool: the events, the record under their name, what refuses it, and what it leaves as it was.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { eventsOf } from "../../../../providers/sse.ts";
import { bearer, signedIn, tokenFor, userFor } from "../../../managing.ts";
import { createdBy, dataOf, type Managed, managed } from "../managed.ts";

type Fields = Record<string, unknown>;

const errorsOf = (reply: { body: string }) => (JSON.parse(reply.body) as { errors: object }).errors;

let m: Managed;
let path: string;
let account: string;
let operator: Record<string, string>;
const ids: Record<string, string> = {};

before(async () => {
  m = await managed();
  ({ id: account } = await m.it.account());
  const pools = `/accounts/${account}/pools`;
  const pool = await createdBy<{ id: string }>(m.operator, pools, { name: "default" });
  path = `${pools}/${pool.id}`;
  ids.pool = pool.id;
  await m.it.system.app.listen({ host: "127.0.0.1", port: 0 });
  operator = bearer(await tokenFor(m.it));
  for (const [at, name] of ["first", "second"].entries()) {
    const price = { input: 1_000, output: 1_000 };
    const member = { name, kind: "sandbox", models: ["echo", "failing"], priority: at + 1, price };
    ids[name] = (await createdBy<{ id: string }>(m.operator, `${path}/members`, member)).id;
  }
});
after(() => m.close());

interface Reply {
  status: number;
  type: unknown;
  body: string;
}

/** Asks over a real connection, as a stream has to be. */
async function tried(headers: Record<string, string>, body: object, to = path): Promise<Reply> {
  const text = JSON.stringify(body);
  const asked = request({
    method: "POST",
    port: (m.it.system.app.server.address() as AddressInfo).port,
    path: `/api/manage/v1${to}/try`,
    // As the requests of other tests say it, whose session this may be.
    headers: { host: "localhost:80", "content-type": "application/json", ...headers },
  }).end(text);
  const [reply] = (await once(asked, "response")) as [IncomingMessage];
  let answered = "";
  for await (const piece of reply.setEncoding("utf8")) answered += piece;
  return { status: reply.statusCode ?? 0, type: reply.headers["content-type"], body: answered };
}

/** One word, which the sandbox repeats at once. */
const messages = [{ role: "user", content: "Hi" }];

const eventsIn = (body: string) =>
  eventsOf(body).map(({ event, data }): [string | null, Fields] => [event, JSON.parse(data) as Fields]);

test("a person sees who is asked and the answer; the call is recorded under their name, without a key", async () => {
  await userFor(m.it, "ada@acme.test", account);
  const { headers } = await signedIn(m.it, "ada@acme.test");
  const reply = await tried(headers, { messages, pretend_down: [ids.first] });
  assert.equal(reply.status, 200, reply.body);
  assert.equal(reply.type, "text/event-stream; charset=utf-8");
  const events = eventsIn(reply.body);
  assert.deepEqual(
    events.map(([event]) => event),
    ["attempt", "attempt", "attempt", "attempt", "chunk", "end"],
  );
  assert.deepEqual(
    events.slice(0, 4).map(([, { member, outcome }]) => [member, outcome]),
    [
      [ids.first, null],
      [ids.first, "pretended_down"],
      [ids.second, null],
      [ids.second, "ok"],
    ],
  );
  assert.equal(events[4]?.[1].text, "Hi");
  const end = events[5]![1] as { request_id: string; cost: number; tokens: Fields };
  assert.ok(end.cost > 0);
  await m.it.advance(1_000);
  const [call] = dataOf<Fields[]>(await m.operator("GET", `${path}/calls`));
  assert.deepEqual(
    [call?.id, call?.key, call?.person, call?.member, call?.failed_over, call?.cost],
    [end.request_id, null, "ada@acme.test", "second", true, end.cost],
  );
  assert.deepEqual(dataOf(await m.operator("GET", `${path}/calls/${end.request_id}`)), call);
  assert.deepEqual(dataOf<Fields[]>(await m.operator("GET", `${path}/calls?key=${ids.pool}`)), [call]);
  assert.deepEqual(dataOf<Fields[]>(await m.operator("GET", `${path}/calls?failed_by=first`)), []);
  const [sum] = dataOf<Fields[]>(await m.operator("GET", `${path}/usage?by=key`));
  assert.deepEqual([sum?.group, sum?.name, sum?.requests], [ids.pool, null, 1]);
  const states = dataOf<Fields[]>(await m.operator("GET", `${path}/health`)).map(({ state }) => state);
  assert.deepEqual(states, ["up", "up"]);
});

test("a pool whose members fail says so in the stream", async () => {
  const reply = await tried(operator, { messages, model: "failing" });
  const [event, { status, message }] = eventsIn(reply.body).at(-1)!;
  assert.deepEqual([event, status], ["error", 503]);
  assert.match(String(message), /never works/);
});

test("faults are named by field, and members of other pools are unknown", async () => {
  const errors = async (body: object) => Object.keys(errorsOf(await tried(operator, body)));
  assert.deepEqual(await errors({}), ["messages"]);
  assert.deepEqual(await errors({ messages: [] }), ["messages"]);
  assert.deepEqual(await errors({ messages: [{ role: "tool", content: "x" }] }), ["messages.0.role"]);
  assert.deepEqual(await errors({ messages, temperature: 3, stop: [""], key: "x" }), [
    "temperature",
    "stop.0",
    "key",
  ]);
  assert.deepEqual(await errors({ messages, pretend_down: [ids.second, "mem_none"] }), ["pretend_down.1"]);
});

test("thirty a minute for each person", async () => {
  const member = bearer(await tokenFor(m.it, account));
  const statuses: number[] = [];
  for (let at = 0; at < 31; at++) statuses.push((await tried(member, { messages, max_tokens: 1 })).status);
  assert.deepEqual(statuses, [...Array(30).fill(200), 429]);
  const other = bearer(await tokenFor(m.it, account));
  assert.equal((await tried(other, { messages })).status, 200);
});

test("a spent budget of the pool refuses it", async () => {
  await m.it.advance(60_000);
  await m.operator("PATCH", path, { budget: { tokens_per_day: 1 } });
  await m.it.advance(10_000);
  const reply = await tried(operator, { messages });
  const [[event, { code }]] = eventsIn(reply.body) as [[string, Fields]];
  assert.deepEqual([event, code], ["error", "insufficient_quota"]);
});

test("another account's pool is the same 404 as none, and no call without credentials comes in", async () => {
  const { id } = await m.it.account({ name: "theirs" });
  const theirs = bearer(await tokenFor(m.it, id));
  const ours = bearer(await tokenFor(m.it, account));
  const { id: pool } = await createdBy<{ id: string }>(m.operator, `/accounts/${id}/pools`, {
    name: "default",
  });
  const statusOf = async (headers: Record<string, string>, to: string) =>
    (await tried(headers, { messages }, to)).status;
  assert.equal(await statusOf(theirs, path), 404);
  assert.equal(await statusOf(ours, `/accounts/${account}/pools/${pool}`), 404);
  assert.equal(await statusOf(ours, `/accounts/${account}/pools/pool_none`), 404);
  assert.equal(await statusOf({}, path), 401);
});
