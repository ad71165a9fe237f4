// The headers that every answer carries, on every path and for every kind of answer.

import assert from "node:assert/strict";
import test from "node:test";
import { inject } from "../../inject.ts";
import { ask, contact, edge, key, metricsOf, send, settings } from "../edge.ts";
import { withWire } from "../wire.ts";

const everywhere = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

const asked: [method: string, url: string, status: number][] = [
  ["POST", "/api/sms/send", 403],
  ["GET", "/api/sms/send", 405],
  ["GET", "/api/get/sms", 403],
  ["GET", "/nothing", 404],
  ["GET", "/api/get/%zz", 404],
  ["GET", "/callbacks/x", 404],
  ["GET", "/health/live", 200],
  ["HEAD", "/health/live", 200],
  ["GET", "/openapi.json", 200],
  ["GET", "/docs", 200],
];
for (const [method, url, status] of asked) {
  test(`${method} ${url}: ${status} with the usual headers`, async () => {
    const answer = await ask(edge(), { method, url });
    assert.equal(answer.status, status);
    for (const [name, value] of Object.entries(everywhere)) assert.equal(answer.headers[name], value, name);
    assert.match(String(answer.headers["x-request-id"]), /^req_[0-9a-z]{26}$/);
    assert.match(
      String(answer.headers["content-security-policy"]),
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    assert.equal(answer.headers["x-powered-by"], undefined);
    assert.equal(answer.headers.server, undefined);
  });
}

test("every answer has its own X-Request-Id, and a send's is the request's", async () => {
  const to = edge();
  const first = await send(to, { contact: [contact] });
  const second = await send(to, { contact: [contact] });
  assert.notEqual(first.headers["x-request-id"], second.headers["x-request-id"]);
  assert.equal(
    (first.json as { data: { request_id: string } }).data.request_id,
    first.headers["x-request-id"],
  );
  assert.deepEqual(
    to.accepted.map(({ requestId }) => requestId),
    [first.headers["x-request-id"], second.headers["x-request-id"]],
  );
});

test("a request id from outside is not taken over", async () => {
  const { headers } = await ask(edge(), {
    method: "GET",
    url: "/health/live",
    headers: { "x-request-id": "mine", "request-id": "mine" },
  });
  assert.notEqual(headers["x-request-id"], "mine");
});

test("HSTS only where the public address is https", async () => {
  const over = async (publicUrl: string | null) =>
    (await ask(edge({ settings: { publicUrl } }), { method: "GET", url: "/health/live" })).headers[
      "strict-transport-security"
    ];
  assert.equal(await over(settings.publicUrl), "max-age=31536000");
  assert.equal(await over("http://sms.example.test"), undefined);
  assert.equal(await over(null), undefined);
});

test("lengths are those of the bytes", async () => {
  const { headers, text } = await send(edge(), { contact: [{ number: "ü😀", message: "x" }] });
  assert.equal(headers["content-length"], String(Buffer.byteLength(text)));
});

test("bytes go out as they are, and HEAD has their length alone", async () => {
  const { app } = edge();
  const [got, looked] = [
    await inject(app, { method: "GET", url: "/t/o/x" }),
    await inject(app, { method: "HEAD", url: "/t/o/x" }),
  ];
  assert.equal(got.headers["content-type"], "image/gif");
  assert.ok(got.rawPayload.some((byte) => byte > 127));
  assert.equal(got.headers["content-length"], String(got.rawPayload.length));
  assert.deepEqual(
    [looked.headers["content-length"], looked.rawPayload.length],
    [got.headers["content-length"], 0],
  );
});

test("a client that takes none of its answer is let go", async () => {
  const size = 64 * 1024 * 1024;
  const core = metricsOf(async () => "x".repeat(size));
  await withWire({ core }, async ({ open, clock, app }) => {
    const line = await open();
    line.socket.pause();
    const finished = new Promise((resolve) => {
      app.server.once("request", (_request, response) =>
        response.once("close", () => resolve(response.writableFinished)),
      );
    });
    line.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while (clock.sleeping() === 0) await clock.settle();
    await clock.advance(60_000);
    assert.equal(await finished, false);
  });
});

test("while the server closes, what arrives on an open connection is still served", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const operations = {
    readCredits: async () => {
      await held;
      return [];
    },
  };
  await withWire({ operations }, async ({ open, app }) => {
    const line = await open();
    const started = new Promise((resolve) => app.server.once("request", resolve));
    line.write(`GET /api/account HTTP/1.1\r\nHost: x\r\nApi-key: ${key}\r\n\r\n`);
    await started;
    const closing = app.close();
    release();
    const received = await line.closed();
    assert.match(received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n/);
    await closing;
  });
});
