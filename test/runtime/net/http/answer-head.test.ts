// The rules of RFC 9112, section 6, for where an answer ends, and of section 9 for whether its connection may carry another one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyToTheClose, chunkedBody, readAnswerHead } from "#runtime/net/http/answer-head.ts";
import { HttpError } from "#runtime/net/http/http-error.ts";

const read = (lines: readonly string[], toHead = false) => readAnswerHead(lines.join("\r\n"), toHead);
const ok = "HTTP/1.1 200 OK";

test("where the body ends, and whether the connection stays open", () => {
  const table: [lines: string[], length: number, keepsOpen: boolean][] = [
    [[ok, "content-length: 7"], 7, true],
    [[ok, "Content-Length:7"], 7, true],
    [[ok, "content-length: 007"], 7, true],
    [[ok, "content-length: 0"], 0, true],
    [[ok, "transfer-encoding: chunked"], chunkedBody, true],
    [[ok, "Transfer-Encoding: Chunked"], chunkedBody, true],
    [[ok], bodyToTheClose, false],
    [[ok, "connection: keep-alive"], bodyToTheClose, false],
    [[ok, "content-length: 7", "connection: Close"], 7, false],
    [[ok, "content-length: 7", "connection: x-a, close"], 7, false],
    [[ok, "content-length: 7", "connection: x-a", "connection: close"], 7, false],
    [[ok, "content-length: 7", "connection: closed"], 7, true],
    [[ok, "transfer-encoding: chunked", "connection: close"], chunkedBody, false],
    [["HTTP/1.0 200 OK", "content-length: 7"], 7, false],
    [["HTTP/1.0 200 OK", "content-length: 7", "connection: Keep-Alive"], 7, true],
    [["HTTP/1.0 200 OK", "content-length: 7", "connection: keep-alive, close"], 7, false],
    [["HTTP/1.0 200 OK"], bodyToTheClose, false],
    [["HTTP/1.1 204 No Content"], 0, true],
    [["HTTP/1.1 204 No Content", "content-length: 0"], 0, true],
    // A body may follow all the same.
    [["HTTP/1.1 204 No Content", "content-length: 7"], 0, false],
    [["HTTP/1.1 304 Not Modified", "content-length: 7"], 0, false],
    [["HTTP/1.1 304 Not Modified", "transfer-encoding: chunked"], 0, false],
    [["HTTP/1.1 100 Continue"], 0, true],
    [["HTTP/1.1 103 Early Hints", "content-length: 7"], 0, true],
  ];
  for (const [lines, length, keepsOpen] of table) {
    const head = read(lines);
    assert.deepEqual([lines, head.length, head.keepsOpen], [lines, length, keepsOpen]);
  }
});

test("the answer to HEAD has no body, with every framing", () => {
  for (const line of ["content-length: 7", "transfer-encoding: chunked", "connection: keep-alive"]) {
    const { length, keepsOpen } = read([ok, line], true);
    assert.deepEqual([line, length, keepsOpen], [line, 0, true]);
  }
});

test("heads with two framings, or with one that is not exact, are refused", () => {
  const table: [rule: RegExp, ...lines: string[]][] = [
    [/twice/, "content-length: 3", "content-length: 3"],
    [/twice/, "content-length: 3", "Content-Length: 4"],
    [/not a number/, "content-length: 3, 3"],
    [/not a number/, "content-length: 3 3"],
    [/not a number/, "content-length:"],
    [/not a number/, "content-length: 1e1"],
    [/not a number/, "content-length: 1234567890123456"],
    [/and a transfer encoding/, "content-length: 3", "transfer-encoding: chunked"],
    [/and a transfer encoding/, "transfer-encoding: chunked", "content-length: 3"],
    [/not chunked/, "transfer-encoding: chunked", "transfer-encoding: chunked"],
    [/not chunked/, "transfer-encoding: gzip", "transfer-encoding: chunked"],
    [/not chunked/, "transfer-encoding: xchunked"],
    [/not chunked/, "transfer-encoding: chunked;q=1"],
    [/not chunked/, 'transfer-encoding: "chunked"'],
    [/not chunked/, "transfer-encoding:"],
    [/not a token/, "transfer-encoding : chunked"],
    [/not a token/, " transfer-encoding: chunked"],
    [/has a tab/, "transfer-encoding:\tchunked"],
    [/has a tab/, "content-length:\t3"],
  ];
  for (const [rule, ...lines] of table)
    assert.throws(
      () => read([ok, ...lines]),
      (error: unknown) => error instanceof HttpError && error.kind === "invalid" && rule.test(error.message),
      JSON.stringify(lines),
    );
  assert.throws(() => read(["HTTP/1.0 200 OK", "transfer-encoding: chunked"]), /HTTP\/1\.0/);
});

test("names are lower-case, repeated headers are joined, and names of Object's own are headers like others", () => {
  const lines = ["X-A: 1", "x-a:2", "Set-Cookie: a=1", "set-cookie: b=2", "constructor: x", "__proto__: y"];
  const { headers } = read([ok, ...lines]);
  assert.deepEqual(Object.entries(headers), [
    ["x-a", "1, 2"],
    ["set-cookie", "a=1, b=2"],
    ["constructor", "x"],
  ]);
  assert.equal(Object.getPrototypeOf(headers), Object.prototype);
});

test("how long a peer keeps a connection is read from Keep-Alive", () => {
  for (const [hint, ms] of [
    ["timeout=5, max=9", 5000],
    ["max=9, Timeout=0", 0],
    ["max=9", null],
    ["timeout=soon", null],
  ] as const)
    assert.equal(read([ok, "content-length: 0", `keep-alive: ${hint}`]).keepsOpenMs, ms, hint);
});
