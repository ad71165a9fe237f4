// POST /api/sms/send: what a client gets back, for every kind of body and every outcome of acceptance.

import assert from "node:assert/strict";
import test from "node:test";
import { problemReply, sendReply, validationReply } from "#contract/replies.ts";
import type { AcceptResult } from "#messaging/accept/accept.ts";
import { ask, contact, edge, send } from "../../edge.ts";

function errorsOf(json: unknown): Record<string, string[]> {
  const reply = validationReply.parse(json);
  assert.deepEqual(reply, json);
  assert.match(reply.message, /^Validation failed\./);
  return reply.errors;
}

test("an accepted send, to the letter", async () => {
  const to = edge();
  const { status, headers, json } = await send(to, {
    contact: [
      { number: " 0151 23456789 ", message: "Hello" },
      {
        number: 4915123456789,
        message: "Later",
        schedule_at: "2030-01-31 09:00:00",
        gateway_identifier: "main",
      },
    ],
  });
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(json, {
    success: true,
    message: "SMS messages have been queued.",
    data: {
      request_id: headers["x-request-id"],
      contact: [
        { number: "0151 23456789", status: "queued", id: "msg_0" },
        { number: "4915123456789", status: "scheduled", id: "msg_1" },
      ],
    },
  });
  assert.deepEqual(sendReply.parse(json), json);
  assert.equal(to.accepted.length, 1);
  assert.equal(to.accepted[0]?.account.id, "acc_1");
  assert.deepEqual(to.accepted[0]?.send, {
    contacts: [
      {
        number: "0151 23456789",
        message: "Hello",
        gateway_identifier: null,
        schedule_at: null,
        reference: null,
        metadata: null,
      },
      {
        number: "4915123456789",
        message: "Later",
        gateway_identifier: "main",
        schedule_at: "2030-01-31 09:00:00",
        reference: null,
        metadata: null,
      },
    ],
    issues: [],
  });
});

const form = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=XX";
const field = (name: string, value: string, more = "") =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

const sameSend: [name: string, type: string, body: string][] = [
  ["JSON", "application/json", '{"contact":[{"number":"1","message":"a b"},{"number":"2","message":"ü"}]}'],
  [
    "a form with brackets",
    form,
    "contact[0][number]=1&contact[0][message]=a+b&contact[1][number]=2&contact[1][message]=%C3%BC",
  ],
  [
    "a form with escaped brackets",
    form,
    "contact%5B0%5D%5Bnumber%5D=1&contact%5B0%5D%5Bmessage%5D=a%20b&contact%5B1%5D%5Bnumber%5D=2&contact%5B1%5D%5Bmessage%5D=ü",
  ],
  [
    "a form counted from one, with a gap",
    form,
    "contact[7][number]=2&contact[7][message]=ü&contact[1][number]=1&contact[1][message]=a+b",
  ],
  [
    "a form with JSON text",
    form,
    `contact=${encodeURIComponent('[{"number":"1","message":"a b"},{"number":2,"message":"ü"}]')}`,
  ],
  [
    "multipart with brackets",
    multipart,
    `${field("contact[0][number]", "1")}${field("contact[0][message]", "a b")}${field("contact[1][number]", "2")}${field("contact[1][message]", "ü")}--XX--`,
  ],
  [
    "multipart with JSON text",
    multipart,
    `${field("contact", '[{"number":"1","message":"a b"},{"number":2,"message":"ü"}]')}--XX--`,
  ],
];
for (const [name, type, body] of sameSend) {
  test(`the same send as ${name}`, async () => {
    const to = edge();
    const { status, json } = await send(to, body, { "content-type": type });
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual(
      to.accepted[0]?.send.contacts.map(({ number, message }) => [number, message]),
      [
        ["1", "a b"],
        ["2", "ü"],
      ],
    );
  });
}

const contactRequired = { contact: ["The contact field is required."] };
const contactArray = { contact: ["The contact field must be an array."] };

const faulty: [name: string, type: string, body: string, errors: Record<string, string[]>][] = [
  ["an empty object", "application/json", "{}", contactRequired],
  ["null", "application/json", "null", contactRequired],
  ["an empty list", "application/json", '{"contact":[]}', contactRequired],
  ["an object for a list", "application/json", '{"contact":{"number":"1"}}', contactArray],
  ["a text for a list", "application/json", '{"contact":"[]"}', contactArray],
  ["an empty form", form, "", contactRequired],
  ["a form without contact", form, "a=1", contactRequired],
  ["a form with an empty contact", form, "contact=", contactRequired],
  ["a form with text that is no JSON", form, "contact=hello", contactArray],
  ["a form with words for indices", form, "contact[a][number]=1", contactArray],
  [
    "a form with one index far out",
    form,
    "contact[999999999][number]=1",
    { "contact.0.message": ["The contact.0.message field is required."] },
  ],
  ["a form with an index that is too long", form, "contact[99999999999999999999][number]=1", contactArray],
  [
    "every rule at once",
    "application/json",
    JSON.stringify({
      contact: [
        { message: " ", schedule_at: "tomorrow", gateway_identifier: 5 },
        contact,
        { number: "abc", message: "x" },
      ],
    }),
    {
      "contact.0.number": ["The contact.0.number field is required."],
      "contact.0.message": ["The contact.0.message field is required."],
      "contact.0.gateway_identifier": ["The contact.0.gateway_identifier field must be a string."],
      "contact.0.schedule_at": ["The contact.0.schedule_at field must match the format Y-m-d H:i:s."],
      // Found by acceptance, and told together with the rest.
      "contact.2.number": ["The contact.2.number field must be a valid phone number."],
    },
  ],
];
for (const [name, type, body, errors] of faulty) {
  test(`422: ${name}`, async () => {
    const to = edge();
    const { status, json } = await send(to, body, { "content-type": type });
    assert.equal(status, 422);
    assert.deepEqual(errorsOf(json), errors);
  });
}

test("without a single contact, acceptance is not asked", async () => {
  const to = edge({ settings: { maxContacts: 2 } });
  assert.equal((await send(to, {})).status, 422);
  const { json } = await send(to, { contact: [contact, contact, contact] });
  assert.deepEqual(errorsOf(json), { contact: ["The contact field must not have more than 2 items."] });
  assert.equal(to.accepted.length, 0);
});

test("files are refused by name, beside the other faults", async () => {
  const to = edge();
  const body = `${field("contact[0][number]", "1")}${field("attachments[]", "%PDF", '; filename="a.pdf"')}${field("contact[0][message]", "x", '; filename="m.txt"')}--XX--`;
  const { status, json } = await send(to, body, { "content-type": multipart });
  assert.equal(status, 422);
  assert.deepEqual(errorsOf(json), {
    attachments: ["The attachments field must not be a file."],
    "contact.0.message": [
      "The contact.0.message field must not be a file.",
      "The contact.0.message field is required.",
    ],
  });
});

test("a send with faults of its own is never accepted", async () => {
  const to = edge();
  assert.equal((await send(to, { contact: [{}] })).status, 422);
  assert.equal(to.accepted.length, 0);
});

const outcomes: [result: AcceptResult, status: number, code: string, retryAfter: string | undefined][] = [
  [{ kind: "insufficient_credit", needed: 3, remaining: 2 }, 402, "insufficient_credit", undefined],
  [{ kind: "unavailable", retryAfterMs: 4_500 }, 503, "unavailable", "5"],
  [{ kind: "commit_unknown", retryAfterMs: 0 }, 503, "commit_unknown", "1"],
];
for (const [result, status, code, retryAfter] of outcomes) {
  test(`${code} is ${status}`, async () => {
    const to = edge({ acceptance: { send: async () => result } });
    const answer = await send(to, { contact: [contact] });
    assert.equal(answer.status, status);
    assert.equal(answer.headers["retry-after"], retryAfter);
    assert.equal(problemReply.parse(answer.json).code, code);
  });
}

test("ten thousand contacts come back in order, and others get their turn meanwhile", async () => {
  const to = edge({ settings: { maxBodyBytes: 16 * 1024 * 1024 } });
  const many = Array.from({ length: 10_000 }, (_, at) => ({ number: String(at), message: "x" }));
  const order: string[] = [];
  const large = send(to, { contact: many }).then((answer) => {
    order.push("large");
    return answer;
  });
  const small = ask(to, { method: "GET", url: "/health/live" }).then(() => order.push("small"));
  const { json } = await large;
  await small;
  assert.deepEqual(order, ["small", "large"]);
  const reply = sendReply.parse(json);
  assert.deepEqual(
    reply.data.contact.map(({ number, id }) => [number, id]),
    many.map(({ number }, at) => [number, `msg_${at}`]),
  );
});
