// Head and handler: which stages a request passes before the handler, by the head alone.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import test from "node:test";
import { z } from "zod";
import { problem } from "#contract/problem.ts";
import { createCredentialThrottle } from "#http/auth/credential-throttle.ts";
import { createRateLimit } from "#http/auth/rate-limit.ts";
import { createSignInLimits } from "#http/auth/sign-in-limits.ts";
import { BodyBudget, BodyShare } from "#http/body/budget.ts";
import type { Call, Head } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { createDeadlines } from "#http/server/deadlines.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import { account, edge, key, settings } from "./edge.ts";

const clock = movableClock();

/** A call with nothing behind it but the key. */
function callWith(headers: Record<string, string>): Call {
  const { core } = edge({ authenticate: async (shown) => (shown === key ? account : null) });
  const bodyLimits = {
    maxBytes: 100,
    maxFields: 100,
    maxValues: 1_000,
    deadlines: createDeadlines(clock, 1_000),
  };
  const bodies = new BodyBudget(1_000);
  return {
    core,
    settings,
    request: { headers, method: "POST", url: "/" } as unknown as Call["request"],
    requestId: "req_1",
    response: {} as Call["response"],
    caller: { ip: "192.0.2.1", host: "sms.example.test" },
    params: {},
    gate: {
      core,
      rateLimit: createRateLimit(clock),
      credentialThrottle: createCredentialThrottle(clock),
      signInLimits: createSignInLimits(clock),
      storageLog: { record: () => {}, stop: () => {} },
      bodyLimits,
      keylessLimits: bodyLimits,
      bodies,
      lists: { semaphore: new Semaphore(1), isFull: () => false },
      uploads: { ...bodyLimits, maxFieldBytes: 100, maxKeylessBytes: 100 },
    },
    share: new BodyShare(bodies),
    logged: { account: null, keyId: null },
  };
}

const head = {
  method: "POST",
  path: "/x",
  name: "x",
  tag: "X",
  summary: "X",
  replies: { 200: z.object({ ok: z.literal(true) }) },
  problems: [],
} as const satisfies Omit<Head, "family">;

test("an open endpoint is asked without a key", async () => {
  const open = endpoint({ ...head, family: "open" })(async () => ({ status: 200, body: { ok: true } }));
  assert.deepEqual(await open.answer(callWith({})), { status: 200, body: { ok: true } });
});

test("a channel endpoint is asked only with an account", async () => {
  const asked: string[] = [];
  const closed = endpoint({ ...head, family: "api_key", right: "read" })(async (call) => {
    asked.push(call.account.name);
    return { status: 200, body: { ok: true } };
  });
  assert.equal((await closed.answer(callWith({})))?.status, 403);
  assert.equal((await closed.answer(callWith({ "api-key": "wrong" })))?.status, 403);
  assert.deepEqual(asked, []);
  assert.equal((await closed.answer(callWith({ "api-key": key })))?.status, 200);
  assert.deepEqual(asked, ["acme"]);
});

test("a body that cannot be read is a problem only where the head has one", async () => {
  const headers = { "api-key": key, "content-type": "text/plain", "content-length": "1" };
  const without = endpoint({ ...head, family: "api_key", right: "read" })(async () => ({
    status: 200,
    body: { ok: true },
  }));
  assert.equal((await without.answer(callWith(headers)))?.status, 200);
  const withBody = endpoint({ ...head, family: "api_key", right: "read", body: z.object({}) })(() =>
    assert.fail("asked"),
  );
  assert.equal((await withBody.answer(callWith(headers)))?.status, 415);
});

const managed = {
  method: "POST",
  path: "/api/manage/v1/x/{kind}",
  name: "x",
  tag: "X",
  summary: "X",
  scope: "anonymous",
  params: { kind: z.enum(["one", "two"]) },
  query: z.strictObject({ limit: z.coerce.number().default(5) }),
  body: z.strictObject({ name: z.string() }),
  replies: {
    201: z.object({ success: z.literal(true), message: z.string(), data: z.object({ seen: z.string() }) }),
  },
  problems: ["not_found"],
} as const satisfies Omit<Head, "family">;

/** A call of an endpoint of the management API with a JSON body. */
const managing = (url: string, kind: string, sent: unknown): Call => {
  const bytes = Buffer.from(JSON.stringify(sent));
  const request = Object.assign(Readable.from([bytes]), {
    method: "POST",
    url,
    headers: { "content-type": "application/json", "content-length": String(bytes.length) },
  });
  return { ...callWith({}), request: request as unknown as Call["request"], params: { kind } };
};

test("a handler of the management API gets what its head's schemas read, and gives the message and the data", async () => {
  const made = endpoint(managed)(async ({ params, query, input }) => ({
    message: "Made.",
    data: { seen: `${params.kind} ${query.limit} ${input.name}` },
  }));
  assert.deepEqual(await made.answer(managing("/x", "two", { name: "n" })), {
    status: 201,
    body: { success: true, message: "Made.", data: { seen: "two 5 n" } },
  });
});

test("a handler is not asked when the query, the body or the path is refused, in this order", async () => {
  const closed = endpoint(managed)(() => assert.fail("asked"));
  const errorsOf = async (url: string, kind: string, sent: unknown) => {
    const answer = await closed.answer(managing(url, kind, sent));
    assert.ok(answer !== null);
    const { errors = {} } = answer.body as { errors?: object };
    return [answer.status, ...Object.keys(errors)];
  };
  assert.deepEqual(await errorsOf("/x?limit=a", "three", {}), [422, "limit"]);
  assert.deepEqual(await errorsOf("/x", "three", {}), [422, "name"]);
  assert.deepEqual(await errorsOf("/x", "three", { name: "n" }), [404]);
});

test("a caller whom the operation refuses hears that before anything is said about the request", async () => {
  const closed = endpoint({ ...managed, refuse: () => problem("forbidden") })(() => assert.fail("asked"));
  assert.equal((await closed.answer(managing("/x?limit=a", "three", {})))?.status, 403);
});

test("a problem that is thrown is the answer; any other error stays one", async () => {
  const lost = endpoint({ ...head, family: "open" })(async () => orNotFound<null>(null));
  assert.equal((await lost.answer(callWith({})))?.status, 404);
  const broken = endpoint({ ...head, family: "open" })(async () => {
    throw new RangeError("broken");
  });
  await assert.rejects(broken.answer(callWith({})), RangeError);
});

test("a head without its scope, or with one or a parameter that its path denies, is a bug that shows at the start", () => {
  const bare = {
    method: "GET",
    name: "x",
    tag: "X",
    summary: "X",
    replies: { 200: z.object({}) },
  } as const;
  assert.throws(() => endpoint({ ...bare, path: "/api/manage/v1/x" }), /scope/);
  assert.throws(() => endpoint({ ...bare, path: "/api/manage/v1/x", family: "open" }), /family/);
  assert.throws(() => endpoint({ ...bare, path: "/api/x", scope: "self" }), /family/);
  assert.throws(
    () => endpoint({ ...bare, path: "/api/manage/v1/{account}", scope: "account" }),
    /names it first/,
  );
  const params = { pool: z.string() };
  assert.throws(
    () => endpoint({ ...bare, path: "/api/manage/v1/x", scope: "self", params }),
    /no \{pool\} in the path/,
  );
});
