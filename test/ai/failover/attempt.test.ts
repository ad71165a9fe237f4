// One request to one member that is a real server on loopback: answers, failures, what is reported, broken streams.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type AttemptResult, askStream, askWhole } from "#ai/failover/attempt.ts";
import { textOf } from "#ai/stream/collect.ts";
import type { MemberTimeouts } from "#contract/manage/pools/members.ts";
import { openaiCompatible as provider } from "#providers/openai/openai-compatible.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { privateKey } from "../../providers/vertex/key-file.ts";
import { allow } from "../../runtime/asking.ts";
import { json, type Reply, script } from "../scripted-members.ts";
import { timeouts } from "../wire.ts";

const chunk = (delta: object, reason: string | null = null, index = 0) =>
  `data: ${JSON.stringify({ choices: [{ index, delta, finish_reason: reason }] })}\n\n`;
const [role, hi] = [chunk({ role: "assistant", content: "" }), chunk({ content: "hi" })];
const stop = chunk({}, "stop");
const done = "data: [DONE]\n\n";
const noChoice = 'data: {"choices":[]}\n\n';
const usageOnly =
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}\n\n';
const whole = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
});

interface Way {
  stream?: boolean;
  own?: Partial<MemberTimeouts>;
  signal?: AbortSignal;
}

async function ask(
  listener: RequestListener,
  way: Way,
  then: (attempted: AttemptResult) => Promise<void> | void,
) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstreams = createStreamingClient({ allow });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const request = requestOf({ messages: [] }, "m", way.stream ?? false);
  const prepared = provider.chat(request, provider.settings.parse({ base_url }));
  assert.ok(prepared.kind === "request");
  const target = {
    read: ({ bytes }: { bytes: Buffer }) => provider.answer(textOf(bytes), request),
    answer: (text: string) => provider.answer(text, request),
    stream: () => provider.stream(request),
    failure: provider.failure,
    prepared,
    timeouts: { ...timeouts, ...way.own },
    fresh: false,
  };
  const deps = { clock: movableClock(), upstreams };
  const signal = way.signal ?? new AbortController().signal;
  try {
    await then(
      way.stream
        ? await askStream(deps, target, 600_000, signal)
        : await askWhole(deps, target, 600_000, signal),
    );
  } finally {
    await upstreams.close();
    server.closeAllConnections();
    server.close();
  }
}

const respond =
  (body: string, type = "text/event-stream", status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": type }).end(body);

/** Kind, code and whether it was silence. */
function outcomesOf(attempted: AttemptResult): unknown[] {
  if (attempted.kind !== "failed") return [attempted.kind];
  return [attempted.failure.kind, attempted.failure.status, attempted.failure.error.code, attempted.timeout];
}

describe("whole", () => {
  const cases: [string, RequestListener, Partial<MemberTimeouts>, unknown[]][] = [
    ["an answer, with a byte order mark", respond(`\uFEFF${whole}`, "application/json"), {}, ["answer"]],
    ["a page", respond("<html>", "text/html"), {}, ["upstream_error", 200, "bad_upstream_answer", false]],
    ["nothing", respond("", "application/json"), {}, ["upstream_error", 200, "bad_upstream_answer", false]],
    [
      "no choices in it",
      respond('{"choices":[]}', "application/json"),
      {},
      ["upstream_error", 502, "empty_answer", false],
    ],
    [
      "no choices in it, though tokens were counted",
      respond(
        '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}',
        "application/json",
      ),
      {},
      ["upstream_error", 502, "empty_answer", false],
    ],
    [
      "an error in a 200",
      respond('{"error":{"message":"x","code":429}}'),
      {},
      ["rate_limited", 200, "429", false],
    ],
    [
      "a 503",
      respond('{"error":{"message":"x"}}', "application/json", 503),
      {},
      ["upstream_error", 503, null, false],
    ],
    ["a redirect", respond("", "text/html", 302), {}, ["upstream_error", 302, null, false]],
    [
      "an error page of a megabyte",
      respond("x".repeat(1024 * 1024), "text/html", 500),
      {},
      ["upstream_error", 500, null, false],
    ],
    ["no head", () => {}, { total_ms: 20 }, ["upstream_error", 504, "upstream_timeout", true]],
    [
      "compressed, though no request asked for it",
      (_q, response) =>
        void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(whole).subarray(0, 20)),
      {},
      ["upstream_error", 200, "bad_upstream_answer", false],
    ],
    [
      "silence inside",
      (_q, response) => void response.writeHead(200).write('{"a'),
      { idle_ms: 20 },
      ["upstream_error", 504, "upstream_timeout", true],
    ],
    [
      "cut inside",
      (_q, response) =>
        void response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy()),
      {},
      ["upstream_error", 502, "upstream_cut", false],
    ],
  ];
  for (const [name, listener, own, expected] of cases)
    test(name, () =>
      ask(listener, { own }, (attempted) => assert.deepEqual(outcomesOf(attempted), expected)),
    );

  test("the caller who goes away is no failure of the member", () => {
    const gone = new AbortController();
    return ask(
      () => gone.abort(),
      { signal: gone.signal },
      (attempted) => assert.deepEqual(attempted, { kind: "aborted" }),
    );
  });
});

describe("streamed", () => {
  const cases: [string, RequestListener, Partial<MemberTimeouts>, unknown[]][] = [
    ["it speaks", respond(role + hi), {}, ["streaming"]],
    ["an end that may be empty counts", respond(role + chunk({}, "length")), {}, ["streaming"]],
    [
      "JSON with an error",
      respond('{"error":{"message":"x","code":"insufficient_quota"}}', "application/json"),
      {},
      ["unauthorized", 200, "provider_denied", false],
    ],
    [
      "JSON with an answer",
      respond(whole, "application/json"),
      {},
      ["upstream_error", 200, "bad_upstream_answer", false],
    ],
    [
      "a page",
      respond("<html>", "text/html; charset=utf-8"),
      {},
      ["upstream_error", 200, "bad_upstream_answer", false],
    ],
    [
      "a page that says it is a stream",
      respond("<html>\n\n"),
      {},
      ["upstream_error", 502, "upstream_cut", false],
    ],
    ["nothing", respond(""), {}, ["upstream_error", 502, "upstream_cut", false]],
    ["[DONE] alone", respond(done), {}, ["upstream_error", 502, "empty_answer", false]],
    [
      "no choice in any chunk",
      respond(`${noChoice}${noChoice}${done}`),
      {},
      ["upstream_error", 502, "empty_answer", false],
    ],
    [
      "no choice, and a usage",
      respond(`${noChoice}${usageOnly}${done}`),
      {},
      ["upstream_error", 502, "empty_answer", false],
    ],
    ["an end and no word", respond(role + stop + done), {}, ["upstream_error", 502, "empty_answer", false]],
    [
      "an error first",
      respond('data: {"error":{"message":"x","code":"server_error"}}\n\n'),
      {},
      ["upstream_error", 200, "server_error", false],
    ],
    [
      "an error behind the role",
      respond(`${role}data: {"error":{"message":"x","code":429}}\n\n`),
      {},
      ["rate_limited", 200, "429", false],
    ],
    [
      "a frame that is not one",
      respond(`${role}data: {"cho\n\n`),
      {},
      ["upstream_error", 200, "malformed_frame", false],
    ],
    [
      "nothing said at length",
      respond(chunk({ role: "x".repeat(1000) }).repeat(300)),
      {},
      ["upstream_error", 200, "empty_answer", false],
    ],
    [
      "nothing said in very many chunks",
      respond("data: {}\n\n".repeat(3_000)),
      {},
      ["upstream_error", 200, "empty_answer", false],
    ],
    ["no head", () => {}, { headers_ms: 20 }, ["upstream_error", 504, "upstream_timeout", true]],
    [
      "no word",
      (_q, response) => void response.writeHead(200).write(role),
      { first_token_ms: 40 },
      ["upstream_error", 504, "upstream_timeout", true],
    ],
    [
      "a 401",
      respond('{"error":{"message":"x"}}', "application/json", 401),
      {},
      ["unauthorized", 401, "provider_denied", false],
    ],
  ];
  for (const [name, listener, own, expected] of cases)
    test(name, () =>
      ask(listener, { own, stream: true }, (attempted) => assert.deepEqual(outcomesOf(attempted), expected)),
    );

  test("what came before the first word is handed over with it, and [DONE] ends it", () =>
    ask(respond(role + hi + stop + done), { stream: true }, async (attempted) => {
      assert.ok(attempted.kind === "streaming");
      const event = await attempted.stream.next();
      assert.ok(event.kind === "chunks");
      assert.deepEqual(
        event.chunks.map(({ output, finish }) => [output, finish]),
        [
          [false, false],
          [true, false],
          [false, true],
        ],
      );
      assert.deepEqual(await attempted.stream.next(), { kind: "done" });
      assert.deepEqual(await attempted.stream.next(), { kind: "done" });
    }));

  test("a caller who goes away closes the connection, and is no failure", async () => {
    const gone = new AbortController();
    const closed = Promise.withResolvers<void>();
    await ask(
      (request, response) => {
        request.on("close", () => closed.resolve());
        response.writeHead(200).write(role, () => gone.abort());
      },
      { stream: true, signal: gone.signal },
      async (attempted) => {
        assert.deepEqual(attempted, { kind: "aborted" });
        await closed.promise;
      },
    );
  });

  test("a peer that keeps the wire open behind [DONE] is left", async () => {
    const closed = Promise.withResolvers<void>();
    await ask(
      (request, response) => {
        request.on("close", () => closed.resolve());
        response.writeHead(200).write(role + hi + stop + done);
      },
      { stream: true },
      async (attempted) => {
        assert.ok(attempted.kind === "streaming");
        while ((await attempted.stream.next()).kind === "chunks");
        await closed.promise;
      },
    );
  });
});

test("a member without an access token fails as one whose key is refused, or as one that is not reached", async () => {
  const proof = { email: "a@b.test", privateKey, keyId: null, audience: "https://t.test" };
  const tokenGrant = { url: "http://tokens.test/token", issuer: "Google", scope: "s", proof };
  const request = requestOf({ messages: [] }, "m");
  const prepared = provider.chat(request, provider.settings.parse({ base_url: "http://one.test" }));
  assert.ok(prepared.kind === "request");
  const answer: Reply = { status: 200, headers: { "content-type": "application/json" }, body: [whole] };
  const attempted = async (reply: Reply, its: Reply = answer) => {
    const it = script();
    it.member("tokens", [reply]);
    it.member("one", [its]);
    const target = {
      read: ({ bytes }: { bytes: Buffer }) => provider.answer(textOf(bytes), request),
      answer: (text: string) => provider.answer(text, request),
      stream: () => provider.stream(request),
      failure: provider.failure,
      prepared: { ...prepared, request: { ...prepared.request, tokenGrant } },
      timeouts,
      fresh: false,
    };
    return askWhole(it.deps, target, 600_000, new AbortController().signal);
  };
  const tried = async (reply: Reply) => outcomesOf(await attempted(reply));
  assert.deepEqual(await tried(json({ access_token: "t1" })), ["answer"]);
  const refused = ["unauthorized", 401, "provider_denied", false];
  assert.deepEqual(await tried(json({ error: "invalid_grant" }, 400)), refused);
  const unreached = ["upstream_error", 502, "upstream_unreachable", false];
  assert.deepEqual(await tried({ failed: "unreachable" }), unreached);
  assert.deepEqual(await tried(json({}, 503)), unreached);
  const silent = ["upstream_error", 504, "upstream_timeout", true];
  assert.deepEqual(await tried({ failed: "headers_timeout" }), silent);
  // Of no form by which a key is known.
  const echo = json({ error: { message: "Not for odd-token!", type: "x", param: null, code: null } }, 403);
  const failed = JSON.stringify(await attempted(json({ access_token: "odd-token" }), echo));
  assert.match(failed, /Not for \*\*\*!/);
});
