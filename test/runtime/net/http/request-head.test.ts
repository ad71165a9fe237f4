// The head of a request: what it says, and that no part of it can end its line or frame the request in another way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpError } from "#runtime/net/http/http-error.ts";
import { requestHead } from "#runtime/net/http/request-head.ts";

test("a request's head cannot be divided by what is put into it", () => {
  const base = { method: "GET", path: "/", host: "a.test", headers: {} } as const;
  const bad = [
    { headers: { "x-a": "1\r\nx-b: 2" } },
    { headers: { "x-a": "1\n" } },
    { headers: { "x-a": "\0" } },
    { headers: { "x-a": "\u0100" } },
    { headers: { "x a": "1" } },
    { headers: { "x-a:": "1" } },
    { headers: { "": "1" } },
    { headers: { "Content-Length": "5" } },
    { headers: { "transfer-encoding": "chunked" } },
    { headers: { connection: "close" } },
    { headers: { host: "a\r\nx: 1" } },
    { path: "/ HTTP/1.1\r\nx: 1" },
    { path: "/\u00fc" },
    { path: "" },
  ];
  for (const more of bad)
    assert.throws(
      () => requestHead({ ...base, ...more }, 0, true),
      (error: unknown) => error instanceof HttpError && error.kind === "bad_request",
      JSON.stringify(more),
    );
  assert.equal(
    requestHead(
      { ...base, headers: { "X-A": "\u00e9\t1", "Accept-Encoding": "gzip", Host: "b.test" } },
      0,
      false,
    ),
    "GET / HTTP/1.1\r\nhost: b.test\r\nconnection: close\r\naccept-encoding: identity\r\nX-A: \u00e9\t1\r\n\r\n",
  );
});

test("the length of a body is stated wherever a server may expect one", () => {
  const base = { path: "/", host: "a.test", headers: {} } as const;
  const table = [
    ["GET", 0, null],
    ["HEAD", 0, null],
    ["DELETE", 0, null],
    ["DELETE", 3, 3],
    ["POST", 0, 0],
    ["PUT", 0, 0],
    ["PATCH", 0, 0],
    ["POST", 70_000, 70_000],
  ] as const;
  for (const [method, bytes, stated] of table) {
    const head = requestHead({ ...base, method }, bytes, true);
    const found = /^content-length: (\d+)$/m.exec(head.replaceAll("\r", ""))?.[1];
    assert.deepEqual(
      [method, bytes, found ?? null],
      [method, bytes, stated === null ? null : String(stated)],
    );
    assert.match(head, /^connection: keep-alive\r$/m);
  }
});
