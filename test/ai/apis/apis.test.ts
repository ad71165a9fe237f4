// The list of the client APIs: what each row has to have, and which one a path belongs to.

import assert from "node:assert/strict";
import test from "node:test";
import { clientApis, errorShapeOf, inShape, keyInQuery, webSocketRefusal } from "#ai/apis/apis.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { deferrableFormats } from "#contract/ai/operations.ts";
import { isProblem } from "#contract/problem.ts";

test("the path says which shape", () => {
  for (const path of [
    "/api/ai/v1/messages",
    "/api/ai/v1/messages?beta=true",
    "/api/ai/v1/messages/count_tokens",
  ])
    assert.equal(errorShapeOf(path).name, "Anthropic", path);
  for (const path of [
    "/api/ai/v1beta/models/m:generateContent",
    "/api/ai/v1beta/models/m:unknown",
    "/api/ai/v1/models/llama3:8b:streamGenerateContent?alt=sse",
  ])
    assert.equal(errorShapeOf(path).name, "Gemini", path);
  for (const path of [
    "/api/ai/v1/models/llama3:8b",
    "/api/ai/v1beta2",
    "/api/ai/v1/chat/completions",
    "/api/ai/v1/messagesx",
    "/api/ai/v1/models/messages",
  ])
    assert.equal(errorShapeOf(path).name, "", path);
});

test("a problem that holds no error object keeps its shape", () => {
  const problem = { ...aiProblem("server_error"), body: { success: false } };
  for (const { path } of clientApis)
    assert.equal(inShape(errorShapeOf(path), problem, "req_1"), problem, path);
});

test("a WebSocket is refused by name where clients ask for one, and nowhere else", () => {
  for (const target of ["/api/ai/v1/responses", "/api/ai/v1/responses/", "/api/ai/v1/responses?a=/b"])
    assert.equal(webSocketRefusal(target)?.status, 426, target);
  for (const target of ["/api/ai/v1/responses/a", "/api/ai/v1/responsesx", "/api/ai/v1/messages", "/"])
    assert.equal(webSocketRefusal(target), null, target);
});

test("the formats that the contract calls deferrable are those with operations that can be deferred", () => {
  const deferrable = clientApis.filter(({ operations }) => operations.some((one) => one.deferrable));
  assert.deepEqual(
    deferrable.map(({ format }) => format),
    deferrableFormats,
  );
});

test("every API has a format and operations of its own, and reads their examples", () => {
  const operations = clientApis.flatMap((api) => api.operations);
  for (const key of ["path", "name"] as const)
    assert.equal(new Set(operations.map((one) => one[key])).size, operations.length, key);
  const formats = clientApis.map((api) => {
    assert.ok(api.operations.length > 0);
    const requests = api.operations.map(({ path, example, read }) => {
      assert.equal(errorShapeOf(path).name, api.errorShape?.name ?? "", path);
      const parsed = read(JSON.stringify(example), {});
      assert.ok(!isProblem(parsed), path);
      const received = { headers: {}, stem: "stem", created: 1, query: new URLSearchParams() };
      const request = api.request(parsed, received);
      const chat = request.chat();
      if (request.passedOn !== undefined) {
        assert.equal(chat.kind, "unsupported_parameter", path);
        return request.format;
      }
      const asked = /embed/i.test(path) ? "input" : "messages";
      assert.ok(chat.kind === "chat" && Array.isArray(chat.body[asked]), path);
      assert.deepEqual(JSON.parse(chat.text), JSON.parse(JSON.stringify(chat.body)), path);
      return request.format;
    });
    assert.deepEqual([...new Set(requests)], [api.format]);
    return api.format;
  });
  assert.equal(new Set(formats).size, clientApis.length);
});

test("a key is read from the query of the APIs whose clients send it there, as a query is read", () => {
  const google = "/api/ai/v1beta/models/m:generateContent";
  assert.equal(keyInQuery(`${google}?alt=sse&key=tlp_a-b`), "tlp_a-b");
  assert.equal(keyInQuery(`${google}?key=tlp%5Fa&key=tlp_b#x`), "tlp_a", "decoded, and the first");
  assert.equal(keyInQuery("/api/ai/v1/models/m:generateContent?key=tlp_a"), "tlp_a");
  for (const target of [google, `${google}?alt=sse`, `${google}#?key=tlp_a`, `${google}?api_key=tlp_a`])
    assert.equal(keyInQuery(target), null, target);
  for (const { path, keyParameter } of clientApis)
    assert.equal(keyInQuery(`${path}?key=tlp_a`), keyParameter === "key" ? "tlp_a" : null, path);
});
