// Headers that say where a request goes and who sends it, given twice: 400 in each family's shape.

import assert from "node:assert/strict";
import test from "node:test";
import { key } from "../edge.ts";
import { withWire } from "../wire.ts";

const twice: [name: string, method: string, path: string][] = [
  ["Host", "GET", "/health/live"],
  ["Authorization", "GET", "/api/manage/v1/session"],
  ["Host", "POST", "/api/sms/send"],
  ["authorization", "POST", "/api/sms/send"],
];
for (const [name, method, path] of twice) {
  test(`two headers ${name} to ${path} are 400`, async () => {
    await withWire({}, async ({ open, keys }) => {
      const line = await open();
      const host = name === "Host" ? "" : "Host: x\r\n";
      line.write(
        `${method} ${path} HTTP/1.1\r\n${host}${name}: a\r\n${name.toUpperCase()}: b\r\nApi-key: ${key}\r\n\r\n`,
      );
      const received = await line.until(/\}$/);
      assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.deepEqual(JSON.parse(received.split("\r\n\r\n")[1] ?? ""), {
        success: false,
        message: "The request could not be read.",
        code: "malformed_request",
      });
      assert.deepEqual(keys, []);
    });
  });
}

test("two headers Authorization to an AI endpoint are 400 in OpenAI's shape", async () => {
  await withWire({}, async ({ open }) => {
    const line = await open();
    line.write(
      "GET /api/ai/v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\n\r\n",
    );
    const received = await line.until(/\}\}$/);
    assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.deepEqual(JSON.parse(received.split("\r\n\r\n")[1] ?? ""), {
      error: {
        message: "The request could not be read.",
        type: "invalid_request_error",
        param: null,
        code: "malformed_request",
      },
    });
  });
});
