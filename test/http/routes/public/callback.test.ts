// /callbacks/{identifier}: what reaches the gateway, and what the provider hears.

import assert from "node:assert/strict";
import test from "node:test";
import { type CallbackRequest, defaultCallbackBytes } from "#gateways/callback.ts";
import type { CallbackResult } from "#messaging/feedback/callbacks.ts";
import { ask, type EdgeOptions, edge } from "../../edge.ts";
import { withWire } from "../../wire.ts";

function taking(
  result: CallbackResult = { kind: "done" },
  maxBytes: () => Promise<number> = async () => defaultCallbackBytes,
): {
  options: EdgeOptions;
  calls: [string, CallbackRequest][];
} {
  const calls: [string, CallbackRequest][] = [];
  const callback = async (identifier: string, request: CallbackRequest) => {
    calls.push([identifier, request]);
    return result;
  };
  return { options: { core: { callbacks: { maxBytes, receive: callback } } }, calls };
}

test("everything arrives as it came: method, query, headers and bytes", async () => {
  const { options, calls } = taking();
  const body = Buffer.from([0, 255, 13, 10]);
  const answer = await ask(edge(options), {
    url: "/callbacks/sms-main?token=a%20b&x=1&x=2",
    headers: {
      "content-type": "garbage;;",
      "X-Twilio-Signature": "abc=",
      host: "evil.test",
      "x-forwarded-host": "evil.test",
    },
    body,
  });
  assert.equal(answer.status, 200);
  const [identifier, request] = calls[0]!;
  assert.equal(identifier, "sms-main");
  assert.equal(request.method, "POST");
  assert.equal(request.url, "https://sms.example.test/callbacks/sms-main?token=a%20b&x=1&x=2");
  assert.deepEqual(request.query.getAll("x"), ["1", "2"]);
  assert.equal(request.query.get("token"), "a b");
  assert.equal(request.headers["x-twilio-signature"], "abc=");
  assert.deepEqual(request.body, body);
});

test("by GET, without a body", async () => {
  const { options, calls } = taking();
  assert.equal(
    (await ask(edge(options), { method: "GET", url: "/callbacks/m%C3%BCller?status=DELIVRD" })).status,
    200,
  );
  assert.equal(calls[0]?.[0], "müller");
  assert.equal(calls[0]?.[1].method, "GET");
  assert.equal(calls[0]?.[1].body.length, 0);
});

test("the address is the configured one, with any request", async () => {
  const { options, calls } = taking();
  await withWire(options, async ({ open }) => {
    const line = await open();
    line.write(
      "GET http://evil.test/callbacks/a?b=c HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n",
    );
    await line.closed();
    assert.equal(calls[0]?.[1].url, "https://sms.example.test/callbacks/a?b=c");
  });
});

test("without a public address there is only the path", async () => {
  const { options, calls } = taking();
  await ask(edge({ ...options, settings: { publicUrl: null } }), { method: "GET", url: "/callbacks/a?b=c" });
  assert.equal(calls[0]?.[1].url, "/callbacks/a?b=c");
});

const results: [result: CallbackResult, status: number, type: string, text: string][] = [
  [{ kind: "done" }, 200, "text/plain; charset=utf-8", ""],
  [{ kind: "done", reply: { contentType: "text/xml", body: "<Response/>" } }, 200, "text/xml", "<Response/>"],
  [{ kind: "forbidden" }, 403, "text/plain; charset=utf-8", "Forbidden."],
  [
    { kind: "not_configured" },
    503,
    "text/plain; charset=utf-8",
    "This gateway takes no callbacks until its secret is configured.",
  ],
  [{ kind: "malformed" }, 400, "text/plain; charset=utf-8", "Not understood."],
  [{ kind: "unavailable" }, 503, "text/plain; charset=utf-8", "Not now."],
  [{ kind: "not_found" }, 404, "text/plain; charset=utf-8", "Not found."],
];
for (const [result, status, type, text] of results) {
  test(`${JSON.stringify(result)} is ${status}`, async () => {
    const answer = await ask(edge(taking(result).options), { url: "/callbacks/a" });
    assert.equal(answer.status, status);
    assert.equal(answer.headers["content-type"], type);
    assert.equal(answer.text, text);
  });
}

test("a body over 1 MiB is refused, with any send limit", async () => {
  const { options, calls } = taking();
  const to = edge({ ...options, settings: { maxBodyBytes: 32 * 1024 * 1024 } });
  assert.equal((await ask(to, { url: "/callbacks/a", body: Buffer.alloc(1024 * 1024) })).status, 200);
  assert.equal((await ask(to, { url: "/callbacks/a", body: Buffer.alloc(1024 * 1024 + 1) })).status, 413);
  assert.equal(calls.length, 1);
});

test("a gateway whose provider sends longer callbacks takes them, and is only asked about for those", async () => {
  let asked = 0;
  const { options, calls } = taking({ kind: "done" }, async () => {
    asked += 1;
    return 4 * 1024 * 1024;
  });
  for (const [length, status] of [
    [1024, 200],
    [4 * 1024 * 1024, 200],
    [4 * 1024 * 1024 + 1, 413],
  ] as const) {
    const answer = await ask(edge(options), { url: "/callbacks/a", body: Buffer.alloc(length, 1) });
    assert.equal(answer.status, status, String(length));
  }
  assert.equal(asked, 2);
  assert.deepEqual(
    calls.map(([, { body }]) => body.length),
    [1024, 4 * 1024 * 1024],
  );
});

test("of a raw mail, which may be up to 64 MiB, the first MiB arrives", async () => {
  const { options, calls } = taking();
  const body = Buffer.alloc(3 * 1024 * 1024, "a line\r\n");
  for (const type of ["message/rfc822", "Message/RFC822; charset=utf-8"]) {
    const headers = { "content-type": type };
    assert.equal((await ask(edge(options), { url: "/callbacks/a", headers, body })).status, 200);
    assert.ok(calls.at(-1)![1].body.equals(body.subarray(0, 1024 * 1024)));
  }
  for (const [type, length] of [
    ["message/rfc822", 64 * 1024 * 1024 + 1],
    ["message/rfc822-headers", 1024 * 1024 + 1],
    ["text/plain; x=message/rfc822", 1024 * 1024 + 1],
  ] as const) {
    const headers = { "content-type": type };
    const answer = await ask(edge(options), { url: "/callbacks/a", headers, body: Buffer.alloc(length) });
    assert.equal(answer.status, 413, type);
  }
  assert.equal(calls.length, 2);
});

test("what cannot be an identifier is not looked for", async () => {
  const { options, calls } = taking();
  for (const identifier of ["%00", "a%0Ab", "a%7F"]) {
    assert.equal((await ask(edge(options), { url: `/callbacks/${identifier}` })).status, 404);
  }
  assert.equal((await ask(edge(options), { url: "/callbacks/" })).status, 404);
  assert.equal(calls.length, 0);
});

test("a fault in the adapter shows nothing of it", async () => {
  const receive = async () => {
    throw new Error("secret");
  };
  const answer = await ask(
    edge({ core: { callbacks: { maxBytes: async () => defaultCallbackBytes, receive } } }),
    { url: "/callbacks/a" },
  );
  assert.equal(answer.status, 500);
  assert.doesNotMatch(answer.text, /secret/);
});
