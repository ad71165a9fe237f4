// Beginners' wrong requests: the answer says what was probably meant.

import assert from "node:assert/strict";
import test from "node:test";
import { suggestPath } from "#http/neighbours.ts";
import { ask, edge, key } from "./edge.ts";

const answerTo = async (
  method: "GET" | "POST",
  url: string,
  body?: string,
  headers: Record<string, string> = {},
) => {
  const reply = await ask(edge(), {
    method,
    url,
    headers: { "api-key": key, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: reply.status, body: JSON.parse(reply.text) };
};

test("a wrong path names the one that was probably meant", async () => {
  for (const [method, path, sentence] of [
    ["GET", "/api/get/mail", "The channels are sms, whatsapp and email."],
    ["GET", "/api/get", "The channels are sms, whatsapp and email: /api/get/sms."],
    ["POST", "/api/send/email", "The channels are sms, whatsapp and email: POST /api/email/send."],
    ["POST", "/api/v1/sms/send", "Messages are sent by POST /api/sms/send and looked up at /api/get/sms."],
    ["GET", "/api/v1/get/sms/msg_1", "The channels are sms, whatsapp and email: /api/get/sms."],
    ["POST", "/v1/send/email", "The channels are sms, whatsapp and email: POST /api/email/send."],
    ["POST", "/api/sms", "Messages are sent by POST /api/sms/send and looked up at /api/get/sms."],
    [
      "POST",
      "/api/text/send?apiKey=tl_secret",
      "The channels are sms, whatsapp and email: POST /api/sms/send.",
    ],
  ] as const) {
    const { status, body } = await answerTo(method, path);
    assert.deepEqual(
      [status, body],
      [404, { success: false, message: `Not found. ${sentence}`, code: "not_found" }],
      path,
    );
  }
});

test("an AI client at the wrong address reads it in its own shape", async () => {
  const { status, body } = await answerTo("POST", "/v1/chat/completions", "{}", {
    "content-type": "application/json",
  });
  assert.deepEqual([status, body.error.message], [404, "Not found. The AI gateway is at /api/ai/v1."]);
});

test("the words of AI clients are known with and without a version", () => {
  for (const path of [
    "/v1/messages",
    "/v1beta/models/m:generateContent",
    "/api/v1/responses",
    "/chat/completions",
    "/api/openai/v1/models",
  ])
    assert.equal(suggestPath(path)?.ai, true, path);
});

test("a path that resembles nothing is not found, and nothing of it is repeated", () => {
  for (const path of [
    "/index.php",
    "/api",
    "/api/<script>",
    "/api/get/sms/msg_1",
    "/messages",
    "/models",
    "/",
  ])
    assert.equal(suggestPath(path), null);
  assert.ok(!JSON.stringify(suggestPath("/api/get/<script>")).includes("script"));
});

test("JSON without its content type has a hint, a form with the same fault is not", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const json = await answerTo("POST", "/api/sms/send", '{"contact":[{"number":"+1","message":"x"}]}', form);
  assert.equal(json.status, 422);
  assert.match(json.body.message, /looks like JSON, .* send Content-Type: application\/json\.$/);
  assert.deepEqual(json.body.errors.contact, ["The contact field is required."]);
  const mail = await answerTo("POST", "/api/email/send", '[{"email":"a@example.com"}]', form);
  assert.match(mail.body.message, /looks like JSON/);
  const plain = await answerTo("POST", "/api/sms/send", "number=1", form);
  assert.equal(plain.body.message, "Validation failed. number is no field of a send.");
});
