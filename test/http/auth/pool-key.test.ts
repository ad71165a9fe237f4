// The gate of the AI endpoints: the key before the body, and OpenAI's error object for all that goes wrong below
// /api/ai, on every path and for every kind of fault.

import assert from "node:assert/strict";
import test from "node:test";
import type { Opened } from "#ai/pools/pools.ts";
import type { HttpCore } from "#http/call.ts";
import { StorageError } from "#store/database.ts";
import { poolOf } from "../../ai/completing.ts";
import { poolKey } from "../../ai/pools/pool-keys.ts";
import { ask, key as channelKey, type Edge, edge, noAi, type Sent, settings } from "../edge.ts";
import { lastAnswer, withWire } from "../wire.ts";

const token = "tlp_0123456789abcdef0123456789abcdef";
const opened: Opened = { key: poolKey({ id: "key_1" }), pool: poolOf([]) };

interface Seen {
  tokens: string[];
  served: string[];
}

function gated(more: Partial<HttpCore["ai"]> = {}): { to: Edge; ai: HttpCore["ai"]; seen: Seen } {
  const seen: Seen = { tokens: [], served: [] };
  const ai: HttpCore["ai"] = {
    ...noAi,
    authenticate: async (shown) => {
      seen.tokens.push(shown);
      return shown === token ? opened : null;
    },
    serve: async (access, request) => {
      assert.equal(access, opened, "the call is served with what its key opened");
      seen.served.push(request.text);
      const served = { provider: "primary", model: "m", latency_ms: 1, attempts: 1 };
      const levels = { requests: null, tokens: null };
      return { kind: "served", levels, completed: { kind: "answer", text: '{"id":"x"}', served } };
    },
    models: () => [{ id: "assistants", created: 1, owner: "trunkline", completes: true, embeds: false }],
    ...more,
  };
  return { to: edge({ ai }), ai, seen };
}

const url = "/api/ai/v1/chat/completions";
const good = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const body = '{"messages":[{"role":"user","content":"Hello"}]}';

function assertError(sent: Sent, status: number, code: string, type = "invalid_request_error"): string {
  assert.equal(sent.status, status, sent.text);
  assert.match(String(sent.headers["content-type"]), /^application\/json/);
  assert.match(String(sent.headers["x-request-id"]), /^req_/);
  const { error, ...beside } = sent.json as { error: Record<string, unknown> };
  assert.deepEqual(beside, {});
  assert.deepEqual(Object.keys(error), ["message", "type", "param", "code"]);
  assert.equal(error.code, code);
  assert.equal(error.type, type);
  assert.ok(String(error.message).length > 10);
  return String(error.message);
}

const wrongKeys: [what: string, headers: Record<string, string>, looked: boolean][] = [
  ["none", {}, false],
  ["empty", { authorization: "" }, false],
  ["no scheme", { authorization: token }, false],
  ["another scheme", { authorization: `Basic ${token}` }, false],
  ["no token", { authorization: "Bearer " }, false],
  ["two words", { authorization: `Bearer ${token} more` }, false],
  ["far too long", { authorization: `Bearer ${"x".repeat(513)}` }, false],
  ["unknown", { authorization: "Bearer tlp_nobody" }, true],
  ["a channel's key", { authorization: `Bearer ${channelKey}` }, true],
  ["a channel's key in its own header", { "api-key": channelKey }, true],
  ["in a header that is not read", { "x-key": token, key: token }, false],
  ["a good one behind a bad Bearer", { authorization: "Basic x", "x-api-key": token }, false],
  ["two in one header", { "x-api-key": `${token}, ${token}` }, false],
];
for (const [what, headers, looked] of wrongKeys) {
  test(`401 for a key that is: ${what}`, async () => {
    for (const [method, path] of [
      ["POST", url],
      ["POST", "/api/ai/v1/embeddings"],
      ["GET", "/api/ai/v1/models"],
      ["GET", "/api/ai/v1/models/x"],
    ] as const) {
      const { to, seen } = gated();
      const more = method === "POST" ? { "content-type": "application/json" } : {};
      const sent = await ask(to, {
        method,
        url: path,
        headers: { ...more, ...headers },
        ...(method === "POST" ? { body } : {}),
      });
      const message = assertError(sent, 401, "invalid_api_key");
      assert.equal(sent.headers["www-authenticate"], "Bearer");
      assert.doesNotMatch(message, /tlp_0|tl_0/);
      assert.equal(seen.tokens.length, looked ? 1 : 0);
      assert.equal(seen.served.length, 0);
    }
  });
}

for (const name of ["x-api-key", "api-key"])
  test(`the key may be in ${name}`, async () => {
    const { to, seen } = gated();
    const headers = { [name]: token, "content-type": "application/json" };
    assert.equal((await ask(to, { url, headers, body })).status, 200);
    assert.deepEqual(seen.tokens, [token]);
  });

test("a key in the URL does not count", async () => {
  const { to } = gated();
  const asked = { url: `${url}?api_key=${token}`, headers: { "content-type": "application/json" }, body };
  assertError(await ask(to, asked), 401, "invalid_api_key");
});

test("a key in the URL of Google's API counts as it is read from a query", async () => {
  const { to, seen } = gated();
  const google = "/api/ai/v1beta/models/any:generateContent";
  const request = { headers: { "content-type": "application/json" }, body };
  await ask(to, { ...request, url: `${google}?alt=sse&key=${token.replace("_", "%5F")}` });
  assert.deepEqual(seen.tokens, [token]);
  assert.equal((await ask(to, { ...request, url: `${google}?other=${token}` })).status, 401);
});

test("a pool's key opens no channel endpoint", async () => {
  const { to } = gated();
  for (const headers of [{ "api-key": token }, { authorization: `Bearer ${token}` }])
    assert.equal(
      (await ask(to, { headers: { ...headers, "content-type": "application/json" }, body: "{}" })).status,
      403,
    );
});

test("the scheme's case does not matter, nor do blanks around the token", async () => {
  for (const authorization of [`bearer ${token}`, `BEARER   ${token}  `]) {
    const { to, seen } = gated();
    assert.equal((await ask(to, { url, headers: { ...good, authorization }, body })).status, 200);
    assert.deepEqual(seen.tokens, [token]);
  }
});

const faults: [
  what: string,
  headers: Record<string, string>,
  body: string | Buffer,
  status: number,
  code: string,
][] = [
  ["not JSON", {}, "{", 400, "malformed_body"],
  ["nothing", {}, "", 400, "malformed_body"],
  ["a list", {}, "[]", 400, "malformed_body"],
  ["null", {}, "null", 400, "malformed_body"],
  ["a text", {}, '"x"', 400, "malformed_body"],
  ["not UTF-8", {}, Buffer.from([0x7b, 0xff, 0x7d]), 400, "malformed_body"],
  ["257 levels", {}, `{"a":${"[".repeat(256)}${"]".repeat(256)}}`, 400, "malformed_body"],
  ["far too deep", {}, "[".repeat(900_000), 400, "malformed_body"],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }, "a=b", 415, "unsupported_media_type"],
  ["without a type", { "content-type": "" }, body, 415, "unsupported_media_type"],
  ["text", { "content-type": "text/plain" }, body, 415, "unsupported_media_type"],
  ["compressed", { "content-encoding": "gzip" }, body, 415, "unsupported_media_type"],
  ["too large", {}, `{"a":"${"x".repeat(settings.maxBodyBytes)}"}`, 413, "body_too_large"],
  ["two models", {}, '{"model":"a","mod\\u0065l":"b","messages":[{}]}', 400, "invalid_value"],
  ["no messages", {}, "{}", 400, "invalid_value"],
  ["empty messages", {}, '{"messages":[]}', 400, "invalid_value"],
];
for (const [what, headers, bytes, status, code] of faults) {
  test(`${status} for a body that is: ${what}; with a wrong key it is 401`, async () => {
    const { to, seen } = gated();
    assertError(await ask(to, { url, headers: { ...good, ...headers }, body: bytes }), status, code);
    assert.equal(seen.served.length, 0);
    const authorization = "Bearer tlp_nobody";
    const wrongToken = await ask(to, { url, headers: { ...good, ...headers, authorization }, body: bytes });
    assertError(wrongToken, 401, "invalid_api_key");
  });
}

test("256 levels, a byte order mark, a charset and brackets in texts are no fault", async () => {
  const { to, seen } = gated();
  const deep = `{"messages":[{}],"a":${"[".repeat(255)}${"]".repeat(255)}}`;
  const texts = [deep, `\ufeff${body}`, `{"messages":[{"content":"${"[{".repeat(1000)}"}]}`];
  for (const text of texts) {
    const headers = { ...good, "content-type": "Application/JSON; charset=utf-8" };
    assert.equal((await ask(to, { url, headers, body: text })).status, 200);
  }
  assert.deepEqual(seen.served, [deep, body, texts[2]]);
});

const elsewhere: [method: string, path: string, status: number, allow?: string][] = [
  ["GET", "/api/ai", 404],
  ["GET", "/api/ai?x=1", 404],
  ["GET", "/api/ai/", 404],
  ["POST", "/api/ai/v1/assistants", 404],
  ["POST", "/api/ai/v2/chat/completions", 404],
  ["POST", "/api/ai/v1/chat/completions/more", 404],
  ["GET", "/api/ai/v1/%zz", 404],
  ["GET", "/api/%61i/v1/nothing", 404],
  ["POST", "/api/ai//v1/models", 404],
  ["GET", url, 405, "POST"],
  ["DELETE", url, 405, "POST"],
  ["PUT", "/api/ai/v1/embeddings", 405, "POST"],
  ["POST", "/api/ai/v1/models", 405, "GET, HEAD"],
  ["DELETE", "/api/ai/v1/models/openai/gpt-4o", 405, "GET, HEAD"],
];
for (const [method, path, status, allow] of elsewhere) {
  test(`${method} ${path}: ${status} in OpenAI's shape, with a key or without`, async () => {
    for (const headers of [{}, good, { "content-type": "application/xml" }]) {
      const { to, seen } = gated();
      const sent = await ask(to, { method, url: path, headers });
      assertError(sent, status, status === 404 ? "unknown_url" : "method_not_allowed");
      assert.equal(sent.headers.allow, allow);
      assert.equal(seen.tokens.length, 0);
    }
  });
}

test("what only begins like /api/ai is answered as everything else is", async () => {
  for (const path of ["/api/aim", "/api", "/api/a", "/api/ai-v1/models"]) {
    const { json } = await ask(gated().to, { method: "GET", url: path });
    assert.equal((json as { code: string }).code, "not_found");
  }
});

test("storage that is away is a 503 that says when to try again; a fault of ours is a 500 that says nothing", async () => {
  const away = gated({
    authenticate: async () => {
      throw new StorageError("unavailable", "connect ECONNREFUSED 10.0.0.1:5432");
    },
  });
  const sent = await ask(away.to, { url, headers: good, body });
  assertError(sent, 503, "unavailable", "server_error");
  assert.equal(sent.headers["retry-after"], "5");
  assert.equal(sent.headers["retry-after-ms"], "5000");
  assert.doesNotMatch(sent.text, /10\.0\.0\.1/);
  const broken = gated({
    serve: async () => {
      throw new Error(`secret ${token}`);
    },
  });
  const fault = await ask(broken.to, { url, headers: good, body });
  assertError(fault, 500, "server_error", "server_error");
  assert.doesNotMatch(fault.text, /secret/);
  assert.equal(broken.to.log.lines().filter(({ level }) => level === "error").length, 1);
});

const head = (lines: string[]) => [`POST ${url} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");

test("a stranger is refused before the body has come", async () => {
  await withWire({ ai: gated().ai }, async ({ open }) => {
    const line = await open();
    line.write(
      head(["Authorization: Bearer tlp_nobody", "Content-Type: application/json", "Content-Length: 900000"]),
    );
    const { status } = lastAnswer(await line.until(/\}\}$/));
    assert.equal(status, 401);
  });
});

test("a body that says it is too large is refused unread; one that does not say, when it is", async () => {
  await withWire({ ai: gated().ai }, async ({ open }) => {
    const headerLines = [`Authorization: Bearer ${token}`, "Content-Type: application/json"];
    const line = await open();
    line.write(head([...headerLines, `Content-Length: ${settings.maxBodyBytes + 1}`]));
    assert.equal(lastAnswer(await line.until(/\}\}$/)).status, 413);
    const other = await open();
    other.write(head([...headerLines, "Transfer-Encoding: chunked"]));
    const piece = "x".repeat(settings.maxBodyBytes + 1);
    other.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    assert.equal(lastAnswer(await other.until(/\}\}$/)).status, 413);
  });
});

test("a body that does not come is a 408 in OpenAI's shape", async () => {
  await withWire({ ai: gated().ai }, async ({ open, clock }) => {
    const line = await open();
    line.write(
      head([`Authorization: Bearer ${token}`, "Content-Type: application/json", "Content-Length: 10"]),
    );
    while (clock.sleeping() === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(30_000);
    const { status, json, head: headers } = lastAnswer(await line.closed());
    assert.equal(status, 408);
    assert.match(headers, /Connection: close/i);
    assert.equal((json as { error: { code: string } }).error.code, "request_timeout");
  });
});

test("bytes that are no request are answered in the shape of the path that they name", async () => {
  await withWire({ ai: gated().ai }, async ({ open }) => {
    const line = await open();
    line.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n`);
    const { status, json } = lastAnswer(await line.closed());
    assert.equal(status, 400);
    assert.equal((json as { error: { code: string } }).error.code, "malformed_request");
    const large = await open();
    large.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`);
    const overflow = lastAnswer(await large.closed());
    assert.equal(overflow.status, 431);
    assert.equal((overflow.json as { error: { code: string } }).error.code, "headers_too_large");
    const other = await open();
    other.write("POST /api/sms/send HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n");
    assert.equal((lastAnswer(await other.closed()).json as { code: string }).code, "malformed_request");
  });
});

test("a client that goes away is a signal for the one who serves, wherever they are", async () => {
  let release: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    release = resolve;
  });
  let began: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { ai } = gated({
    serve: async (_key, _request, _id, signal) => {
      began();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      release();
      return { kind: "served", levels: { requests: null, tokens: null }, completed: { kind: "aborted" } };
    },
  });
  await withWire({ ai }, async ({ open }) => {
    const line = await open();
    line.write(
      head([
        `Authorization: Bearer ${token}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ]) + body,
    );
    await asked;
    line.socket.destroy();
    await stopped;
  });
});
