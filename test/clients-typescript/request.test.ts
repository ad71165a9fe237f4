// When the TypeScript client repeats a call, how long it waits, and what ends it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrunkline } from "../../clients/typescript/src/client.ts";
import { TrunklineError } from "../../clients/typescript/src/error.ts";
import type { ClientOptions } from "../../clients/typescript/src/request.ts";

const apiKey = "tl_0123456789abcdef0123456789abcdef";
const contact = { number: "+15550000001", message: "Hello" };
const accepted = () => Response.json({ success: true, message: "Queued.", data: { contact: [] } });
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ success: false, message: "No.", code }, { status, headers });

interface Asked {
  url: string;
  init: RequestInit;
  headers: Record<string, string>;
}

/** A client whose tries meet `answers` in turn, the last one again and again; what it asked, and how long it paused. */
function scripted(
  answers: ((signal: AbortSignal) => Response | Promise<Response>)[],
  more: Partial<ClientOptions> = {},
) {
  const asked: Asked[] = [];
  const pauses: number[] = [];
  const trunkline = createTrunkline({
    url: "https://sms.example.com",
    apiKey,
    fetch: async (url, init = {}) => {
      asked.push({ url: String(url), init, headers: init.headers as Record<string, string> });
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer === undefined || !init.signal) throw new Error("There is no answer.");
      return await answer(init.signal);
    },
    wait: async (ms) => void pauses.push(ms),
    ...more,
  });
  return { trunkline, asked, pauses };
}

const dropped = () => Promise.reject(new TypeError("fetch failed"));
const silent = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

async function failureOf(call: Promise<unknown>): Promise<TrunklineError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TrunklineError, String(error));
  return error;
}

test("a send is one request with a key of its own, in a header and not in the address", async () => {
  const { trunkline, asked } = scripted([accepted], { url: "https://example.com/trunkline/" });
  await trunkline.sms.send(contact);
  await trunkline.sms.send(contact, { idempotencyKey: "order-1" });
  const [first, second] = asked;
  assert.equal(first?.url, "https://example.com/trunkline/api/sms/send");
  assert.equal(first?.init.body, JSON.stringify({ contact: [contact] }));
  assert.equal(first?.headers["Api-key"], apiKey);
  assert.match(first?.headers["Idempotency-Key"] ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(second?.headers["Idempotency-Key"], "order-1");
});

test("all tries of a send have the same key and body, and the pauses double with chance", async () => {
  const { trunkline, asked, pauses } = scripted([dropped]);
  const error = await failureOf(trunkline.sms.send(contact));
  assert.deepEqual([error.status, error.code], [null, "network"]);
  assert.equal(asked.length, 4);
  assert.equal(new Set(asked.map(({ headers }) => headers["Idempotency-Key"])).size, 1);
  assert.equal(new Set(asked.map(({ init }) => init.body)).size, 1);
  for (const [at, ms] of pauses.entries()) {
    const whole = 500 * 2 ** at;
    assert.ok(ms >= whole / 2 && ms <= whole, `${at}: ${ms}`);
  }
  const none = scripted([dropped], { retries: 0 });
  await failureOf(none.trunkline.sms.send(contact));
  assert.equal(none.asked.length, 1);
});

const repeated: [name: string, answer: () => Response | Promise<Response>][] = [
  ["a connection that breaks", dropped],
  ["429", () => problem(429, "rate_limited")],
  ["500", () => problem(500, "server_error")],
  ["502 of a proxy", () => new Response("<h1>Bad gateway</h1>", { status: 502 })],
  ["503", () => problem(503, "commit_unknown")],
  ["409 while another request has the key", () => problem(409, "idempotency_in_progress")],
];
for (const [name, answer] of repeated) {
  test(`${name} is repeated`, async () => {
    const { trunkline, asked } = scripted([answer, accepted]);
    await trunkline.sms.send(contact);
    assert.equal(asked.length, 2);
  });
}

const open: [name: string, answer: () => Response | Promise<Response>][] = [
  ...repeated,
  ["504 of a proxy", () => new Response("<h1>Gateway timeout</h1>", { status: 504 })],
  ["an answer that was cut", () => new Response('{"success": tr')],
  ["a redirect", () => new Response(null, { status: 301 })],
  ["422", () => problem(422, "invalid")],
];
for (const [name, answer] of open) {
  test(`the error of a send has its key: ${name}`, async () => {
    const { trunkline, asked } = scripted([answer]);
    const { idempotencyKey } = await failureOf(trunkline.sms.send(contact));
    assert.match(idempotencyKey ?? "", /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      [...new Set(asked.map(({ headers }) => headers["Idempotency-Key"]))],
      [idempotencyKey],
      "a repeat with the key of the error is the same send",
    );
    const own = await failureOf(trunkline.sms.send(contact, { idempotencyKey: "order-1" }));
    assert.equal(own.idempotencyKey, "order-1");
    assert.equal((await failureOf(trunkline.messages.get("sms", "msg_1"))).idempotencyKey, null);
  });
}

for (const status of [400, 402, 403, 404, 408, 409, 410, 413, 415, 422, 431]) {
  test(`${status} is an error at once`, async () => {
    const { trunkline, asked } = scripted([() => problem(status, "conflict")]);
    const error = await failureOf(trunkline.sms.send(contact));
    assert.deepEqual([error.status, error.code, error.message, asked.length], [status, "conflict", "No.", 1]);
  });
}

test("Retry-After is waited for, in seconds or as a date", async () => {
  const inThirty = () => new Date(Date.now() + 30_000).toUTCString();
  const { trunkline, pauses } = scripted([
    () => problem(503, "unavailable", { "retry-after": "7" }),
    () => problem(503, "unavailable", { "retry-after": inThirty() }),
    () => problem(503, "unavailable", { "retry-after": "soon" }),
    accepted,
  ]);
  await trunkline.sms.send(contact);
  assert.equal(pauses[0], 7000);
  assert.ok(pauses[1]! > 10_000 && pauses[1]! <= 30_000, `${pauses[1]}`);
  assert.ok(pauses[2]! <= 2000, `${pauses[2]}`);
});

test("a pause beyond the deadline is not begun", async () => {
  const { trunkline, asked, pauses } = scripted([
    () => problem(429, "rate_limited", { "retry-after": "3600" }),
  ]);
  const error = await failureOf(trunkline.sms.send(contact));
  assert.deepEqual([error.code, asked.length, pauses.length], ["rate_limited", 1, 0]);
});

test("a try without an answer is repeated after half of the time", async (t) => {
  const timers: { ms: number; end: AbortController }[] = [];
  t.mock.method(AbortSignal, "timeout", (ms: number) => {
    const end = new AbortController();
    timers.push({ ms, end });
    return end.signal;
  });
  const hung = (signal: AbortSignal) => {
    setImmediate(() => timers[1]?.end.abort(new DOMException("late", "TimeoutError")));
    return silent(signal);
  };
  const { trunkline, asked } = scripted([hung, accepted]);
  await trunkline.sms.send(contact);
  assert.equal(asked.length, 2);
  assert.deepEqual(
    timers.map(({ ms }) => ms),
    [60_000, 30_000, 30_000],
  );
});

test("the time of a call may be odd, or a fraction", async () => {
  for (const timeoutMs of [2501, 2500.5, 1]) {
    const { trunkline, asked } = scripted([accepted], { timeoutMs });
    await trunkline.sms.send(contact);
    await trunkline.sms.send(contact, { timeoutMs: timeoutMs + 2 });
    assert.equal(asked.length, 2);
  }
});

test("a time that no timer has is refused", async () => {
  const { trunkline, asked } = scripted([accepted]);
  for (const timeoutMs of [Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 31]) {
    assert.throws(() => scripted([accepted], { timeoutMs }), TypeError);
    await assert.rejects(trunkline.sms.send(contact, { timeoutMs }), TypeError);
  }
  assert.equal(asked.length, 0);
});

test("the deadline ends a call", async () => {
  const { trunkline, asked } = scripted([silent]);
  const error = await failureOf(trunkline.messages.get("sms", "msg_1", { timeoutMs: 20 }));
  assert.deepEqual([error.status, error.code, asked.length], [null, "timeout", 1]);
});

test("a signal ends a try and a pause, with its own reason", async () => {
  const reason = new Error("the user left");
  const during = new AbortController();
  const { trunkline } = scripted([silent]);
  const call = trunkline.sms.send(contact, { signal: during.signal });
  during.abort(reason);
  await assert.rejects(call, reason);

  const pausing = new AbortController();
  const paused = scripted(
    [
      () => {
        setImmediate(() => pausing.abort(reason));
        return problem(503, "unavailable", { "retry-after": "30" });
      },
    ],
    { wait: undefined },
  );
  await assert.rejects(paused.trunkline.sms.send(contact, { signal: pausing.signal }), reason);
  assert.equal(paused.asked.length, 1);

  const before = scripted([accepted]);
  await assert.rejects(before.trunkline.sms.send(contact, { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(before.asked.length, 0);
});

test("a redirect is not followed, and an answer that is not Trunkline's is no success", async () => {
  const moved = scripted([
    () => new Response(null, { status: 301, headers: { location: "https://x.example" } }),
  ]);
  const redirect = await failureOf(moved.trunkline.sms.send(contact));
  assert.deepEqual([redirect.status, redirect.code, moved.asked.length], [301, "unreadable", 1]);
  assert.equal(moved.asked[0]?.init.redirect, "manual");
  const page = scripted([() => new Response("<h1>Welcome</h1>")]);
  const other = await failureOf(page.trunkline.sms.send(contact));
  assert.deepEqual([other.status, other.code, page.asked.length], [200, "unreadable", 1]);
});

test("options that cannot work are refused, without what they say", async () => {
  const secret = "open sesame\n";
  const attempts = [
    () => createTrunkline({ url: "sms.example.com", apiKey }),
    () => createTrunkline({ url: "ftp://sms.example.com", apiKey }),
    () => createTrunkline({ url: `https://user:${encodeURIComponent(secret)}@sms.example.com`, apiKey }),
    () => createTrunkline({ url: "https://sms.example.com", apiKey: secret }),
    () => createTrunkline({ url: "https://sms.example.com", apiKey: "" }),
  ];
  for (const attempt of attempts)
    assert.throws(attempt, (error) => error instanceof TypeError && !error.message.includes("sesame"));
  const { trunkline, asked } = scripted([accepted]);
  await assert.rejects(trunkline.sms.send(contact, { idempotencyKey: "ключ" }), TypeError);
  const number = 15550000001n as unknown as number;
  await assert.rejects(trunkline.sms.send({ ...contact, number }), /BigInt/);
  assert.equal(asked.length, 0);
});
