// The server around the endpoints: paths in every disguise, other methods, bytes that are no HTTP, limits of
// time before a handler, faults inside one.

import assert from "node:assert/strict";
import test from "node:test";
import { ask, contact, edge, key, send } from "./edge.ts";
import { lastAnswer, sendHead, withWire } from "./wire.ts";

const notFound = { success: false, message: "Not found.", code: "not_found" };

const disguised: [path: string, status: number][] = [
  ["/api/sms/send", 403],
  ["/api/sms/send/", 403],
  ["/api/sms/send?x=1", 403],
  ["/api/sms/send#x", 403],
  // Percent-encoded letters are the same letters (RFC 3986): the same route, and so the same authentication.
  ["/api/%73ms/send", 403],
  ["/%61pi/sms/send", 403],
  ["/api/sms%2fsend", 404],
  ["/api//sms/send", 404],
  ["//api/sms/send", 404],
  ["/api/sms/send//", 404],
  ["/API/sms/send", 404],
  ["/api/SMS/send", 404],
  ["/api/sms/send.", 404],
  ["/api/sms/send%00", 404],
  ["/api/sms/send%20", 404],
  ["/api/sms/send;x=1", 404],
  ["/api/sms;x=1/send", 404],
  ["/api/./sms/send", 404],
  ["/api/x/../sms/send", 404],
  ["/api/%2e/sms/send", 404],
  ["/api/%2e%2e/api/sms/send", 404],
  ["/api/sms/send/..", 404],
  ["/api/sms/..%2fsend", 404],
  ["/api\\sms\\send", 404],
  ["/api/sms/%zz", 404],
  ["/api/sms/%", 404],
  ["/api/sms/%ff", 404],
  ["/", 404],
  ["/api", 404],
  ["/api/whatsapp/send", 403],
  ["/api/whatsapp/sends", 404],
  ["/api/email/send", 403],
  ["/index.php/api/sms/send", 404],
];
for (const [path, status] of disguised) {
  test(`POST ${path} without a key: ${status}`, async () => {
    await withWire({}, async ({ open, accepted, keys }) => {
      const line = await open();
      const body = JSON.stringify({ contact: [contact] });
      line.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      const answer = lastAnswer(await line.closed());
      assert.equal(answer.status, status);
      // Some name the path that was probably meant (`neighbours.test.ts`).
      if (status === 404)
        assert.match(
          JSON.stringify(answer.json),
          /^\{"success":false,"message":"Not found\..*","code":"not_found"\}$/,
        );
      assert.equal(accepted.length, 0);
      assert.deepEqual(keys, []);
    });
  });
}

test("a request in absolute form, as to a proxy, is the same request", async () => {
  await withWire({}, async ({ open }) => {
    const line = await open();
    line.write("POST http://elsewhere.test/api/sms/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert.equal(lastAnswer(await line.closed()).status, 403);
  });
});

const methods: [path: string, allow: string][] = [
  ["/api/sms/send", "POST"],
  ["/api/sms/send/", "POST"],
  ["/api/get/sms", "GET, HEAD"],
  ["/api/get/sms/msg_1", "GET, HEAD"],
  ["/api/cancel/sms/msg_1", "POST"],
  ["/api/account", "GET, HEAD"],
  ["/callbacks/x", "GET, HEAD, POST"],
  ["/health/live", "GET, HEAD"],
  ["/health/ready", "GET, HEAD"],
  ["/metrics", "GET, HEAD"],
  ["/api/manage/v1/session", "DELETE, GET, HEAD, POST"],
  ["/api/manage/v1/users", "GET, HEAD, POST"],
  ["/api/manage/v1/users/usr_1", "PATCH"],
  ["/api/manage/v1/tokens/tok_1", "DELETE"],
  ["/openapi.json", "GET, HEAD"],
  ["/docs", "GET, HEAD"],
];
for (const [path, allow] of methods) {
  test(`${path} takes ${allow} and answers 405 to the rest`, async () => {
    const to = edge();
    for (const method of [
      "GET",
      "HEAD",
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "OPTIONS",
      "TRACE",
      "PROPFIND",
      "QUERY",
    ]) {
      if (allow.split(", ").includes(method)) continue;
      const { status, headers, json } = await ask(to, { method, url: path, headers: { "api-key": key } });
      assert.equal(status, 405, method);
      assert.equal(headers.allow, allow);
      if (method === "HEAD") continue;
      assert.deepEqual(json, {
        success: false,
        message: "This path does not take that method.",
        code: "method_not_allowed",
      });
    }
  });
}

test("Allow is that of the path itself, and not of a parameter in its place", async () => {
  const url = "/api/manage/v1/accounts/acc_1/webhooks/stats";
  const { status, headers } = await ask(edge(), { method: "OPTIONS", url, headers: {} });
  assert.deepEqual([status, headers.allow], [405, "GET, HEAD"]);
});

test("a method cannot be overridden", async () => {
  for (const name of ["x-http-method-override", "x-method-override", "x-http-method"]) {
    const { status } = await ask(edge(), { method: "GET", headers: { [name]: "POST", "api-key": key } });
    assert.equal(status, 405);
  }
  const form = { "content-type": "application/x-www-form-urlencoded", "api-key": key };
  assert.equal((await ask(edge(), { url: "/api/account", headers: form, body: "_method=GET" })).status, 405);
});

test("HEAD is GET without the body, and asks for the same key", async () => {
  await withWire({}, async ({ open }) => {
    for (const [head, status] of [
      ["", 403],
      [`Api-key: ${key}\r\n`, 200],
    ] as const) {
      const line = await open();
      line.write(`HEAD /api/account HTTP/1.1\r\nHost: x\r\n${head}Connection: close\r\n\r\n`);
      const received = await line.closed();
      assert.match(received, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(received, /\r\nContent-Length: [1-9]\d+\r\n[\s\S]*\r\n\r\n$/);
    }
  });
});

test("unknown paths are 404 for any method and any content type", async () => {
  for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS"]) {
    for (const type of ["application/json", "garbage;;", "multipart/form-data"]) {
      const answer = await ask(edge(), {
        method,
        url: "/nothing",
        headers: { "content-type": type },
        body: "x",
      });
      assert.equal(answer.status, 404);
      assert.deepEqual(answer.json, notFound);
    }
  }
});

test("a path with an endless parameter is not found", async () => {
  const url = `/api/get/sms/${"x".repeat(10_000)}`;
  assert.equal((await ask(edge(), { method: "GET", url, headers: { "api-key": key } })).status, 404);
});

// RFC 9112 and the attacks on it: one answer at most, 400, and the connection closed.
const post = `POST /api/sms/send HTTP/1.1\r\nHost: x\r\nApi-key: ${key}\r\nContent-Type: application/json\r\n`;
const noHttp: [name: string, bytes: string][] = [
  ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"],
  ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n\r\n"],
  ["length and chunks", `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{}`],
  ["two lengths", `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ["a length that is no number", `${post}Content-Length: +2\r\n\r\n{}`],
  ["a length below zero", `${post}Content-Length: -1\r\n\r\n{}`],
  ["a space before the colon", `${post}Content-Length : 2\r\n\r\n{}`],
  ["a folded header", `${post}X-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n`],
  ["a NUL in a header", `${post}X-A: a\0b\r\n\r\n`],
  ["chunks of another coding", `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ["chunks not last", `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ["a space in the path", "POST /api/sms /send HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a version that does not exist", "GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n"],
];
for (const [name, bytes] of noHttp) {
  test(`bytes that are no request: ${name}`, async () => {
    await withWire({}, async ({ open, accepted }) => {
      const line = await open();
      line.write(bytes);
      const received = await line.closed();
      assert.equal(received.split("HTTP/1.1 ").length, 2, received);
      const { status, head, json } = lastAnswer(received);
      assert.equal(status, 400);
      assert.deepEqual(json, {
        success: false,
        message: "The request could not be read.",
        code: "malformed_request",
      });
      assert.match(head, /\r\nConnection: close/i);
      assert.match(head, /\r\nX-Request-Id: req_/);
      assert.match(head, /\r\nX-Content-Type-Options: nosniff/);
      assert.equal(accepted.length, 0);
    });
  });
}

test("a chunk that is malformed ends the request without a second answer", async () => {
  await withWire({}, async ({ open, accepted }) => {
    const line = await open();
    line.write(`${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`);
    const received = await line.closed();
    assert.ok(received.split("HTTP/1.1 ").length <= 2, received);
    assert.equal(accepted.length, 0);
  });
});

test("headers over 16 KiB are 431", async () => {
  await withWire({}, async ({ open }) => {
    const line = await open();
    line.write(`GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(17_000)}\r\n\r\n`);
    const { status, json } = lastAnswer(await line.closed());
    assert.equal(status, 431);
    assert.deepEqual(json, {
      success: false,
      message: "The headers are too large.",
      code: "headers_too_large",
    });
  });
});

test("headers that do not come to an end are 408", async () => {
  await withWire({ timeouts: { headers: 40, check: 10 } }, async ({ open }) => {
    const line = await open();
    line.write("POST /api/sms/send HTTP/1.1\r\nHost: x\r\n");
    const { status, json } = lastAnswer(await line.closed());
    assert.equal(status, 408);
    assert.equal((json as { code: string }).code, "request_timeout");
  });
});

test("the server's own limits of time", () => {
  const { server } = edge().app;
  assert.equal(server.headersTimeout, 10_000);
  assert.equal(server.requestTimeout, 150_000);
  assert.equal(server.keepAliveTimeout, 65_000);
});

test("a fault inside is a 500 that says nothing of it, and is logged with its request", async () => {
  const to = edge({
    acceptance: {
      send: async () => {
        throw new Error("SELECT secret FROM vault at /srv/app");
      },
    },
  });
  const { status, headers, json, text } = await send(to, { contact: [contact] });
  assert.equal(status, 500);
  assert.deepEqual(json, {
    success: false,
    message: "Something went wrong here. Nothing was accepted; please try again.",
    code: "server_error",
  });
  assert.doesNotMatch(text, /vault|srv|stack/);
  const [line] = to.log.lines();
  assert.equal(line?.level, "error");
  assert.equal(line?.requestId, headers["x-request-id"]);
  assert.equal(line?.route, "/api/sms/send");
});

test("a fault while judging the key is a 500 too", async () => {
  const to = edge({
    authenticate: () => {
      throw new Error("gone");
    },
  });
  assert.equal((await send(to, { contact: [contact] })).status, 500);
});

test("closing ends every sleeper", async () => {
  const to = edge();
  await send(to, { contact: [contact] });
  await to.app.close();
  assert.equal(to.clock.sleeping(), 0);
});

test("a send over a real connection", async () => {
  await withWire({}, async ({ open }) => {
    const line = await open();
    const body = JSON.stringify({ contact: [contact] });
    line.write(
      `${sendHead(key, ["Content-Type: application/json", `Content-Length: ${body.length}`])}${body}`,
    );
    const { status, head } = lastAnswer(await line.until(/\}\]\}\}$/));
    assert.equal(status, 200);
    assert.match(head, /\r\nKeep-Alive: timeout=65/);
  });
});
