// Which problem a body leads to, through the send endpoint.

import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { ask, contact, edge, key, send } from "../edge.ts";

const body = JSON.stringify({ contact: [contact] });

async function codeOf(
  headers: Record<string, string>,
  payload: string | Buffer,
  options = {},
): Promise<unknown> {
  const to = edge(options);
  const { status, json } = await ask(to, { headers: { "api-key": key, ...headers }, body: payload });
  if (status !== 200) assert.equal(to.accepted.length, 0);
  return [status, (json as { code?: string }).code];
}

const json = { "content-type": "application/json" };

test("compressed bodies are refused, with any content", async () => {
  for (const encoding of ["gzip", "deflate", "br", "zstd", "x-gzip", "identity, gzip", "GZIP"]) {
    const headers = { ...json, "content-encoding": encoding };
    assert.deepEqual(await codeOf(headers, gzipSync(body)), [415, "unsupported_media_type"], encoding);
  }
  assert.deepEqual(await codeOf({ ...json, "content-encoding": "identity" }, body), [200, undefined]);
});

test("a body of another type, or of none", async () => {
  for (const type of ["text/plain", "application/xml", "application/octet-stream", "garbage;;", ""]) {
    assert.deepEqual(await codeOf({ "content-type": type }, body), [415, "unsupported_media_type"], type);
  }
  const to = edge();
  const { status } = await ask(to, {
    headers: { "api-key": key, "content-type": "" },
    body: Buffer.from(body),
  });
  assert.equal(status, 415);
});

test("a chunked body of another type, and an empty chunked one of any", async () => {
  const chunked = { "transfer-encoding": "chunked", "content-type": "text/plain" };
  assert.deepEqual(await codeOf(chunked, body), [415, "unsupported_media_type"]);
  assert.deepEqual(await codeOf(chunked, ""), [422, undefined]);
});

test("no body is a body without contact", async () => {
  for (const headers of [{}, json, { "content-type": "text/plain" }]) {
    const { status, json: reply } = await ask(edge(), { headers: { "api-key": key, ...headers } });
    assert.equal(status, 422);
    assert.deepEqual(reply, {
      success: false,
      message: "Validation failed.",
      errors: { contact: ["The contact field is required."] },
    });
  }
});

test("malformed bodies say what is wrong with them, and show nothing of themselves", async () => {
  const cases: [payload: string | Buffer, message: string][] = [
    ['{"secret', "The body is not valid JSON: line 1, column 9."],
    [Buffer.from([0x22, 0xff, 0x22]), "The body is not valid UTF-8."],
    ["[".repeat(33), "The body is nested deeper than 32 levels."],
  ];
  for (const [payload, message] of cases) {
    const { status, json: reply } = await send(edge(), payload);
    assert.equal(status, 400);
    assert.deepEqual(reply, { success: false, message, code: "malformed_body" });
  }
});

test("the limit holds for every kind of body", async () => {
  const options = { settings: { maxBodyBytes: 100 } };
  for (const type of [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=X",
  ]) {
    assert.deepEqual(await codeOf({ "content-type": type }, "x".repeat(101), options), [
      413,
      "body_too_large",
    ]);
  }
});

test("a form may have eight fields for each contact that may come, and a hundred more", async () => {
  const options = { settings: { maxContacts: 1 } };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.deepEqual(await codeOf(form, "a=1&".repeat(108), options), [422, undefined]);
  assert.deepEqual(await codeOf(form, "a=1&".repeat(109), options), [413, "body_too_large"]);
});
