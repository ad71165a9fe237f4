// What the send endpoints of all channels share.

import assert from "node:assert/strict";
import test from "node:test";
import { fileIssues, inSlices } from "#http/routes/messages/send.ts";
import type { AcceptResult, SendRequest } from "#messaging/accept/accept.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { ask, edge, key } from "../../edge.ts";

const channels = [
  { channel: "sms", unit: "SMS", field: "number", contact: { number: "+4915123456789", message: "Hi" } },
  {
    channel: "whatsapp",
    unit: "WhatsApp",
    field: "number",
    contact: { number: "+4915123456789", message: "Hi" },
  },
  {
    channel: "email",
    unit: "email",
    field: "email",
    contact: { email: "ada@example.com", subject: "Hello", message: "Hi" },
  },
] as const;

type Row = (typeof channels)[number];

/** A send of the channel to an acceptance that gives `result`, and what that was asked. */
async function send({ channel, contact }: Row, result: AcceptResult, idempotencyKey?: string, body?: object) {
  const requests: SendRequest[] = [];
  const to = edge({
    acceptance: {
      send: async (request) => {
        requests.push(request);
        return result;
      },
      issuesOf: async ({ send: { issues } }) => [
        ...issues,
        { path: ["contact", 0, "gateway_identifier"], message: "none" },
      ],
    },
  });
  const reply = await ask(to, {
    url: `/api/${channel}/send`,
    headers: {
      "api-key": key,
      "content-type": "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    body: JSON.stringify(body ?? { contact: [contact] }),
  });
  return { ...reply, requests };
}

const done: AcceptResult = { kind: "accepted", requestId: "req_1", ids: ["msg_1"], statuses: ["queued"] };
const errorsOf = (json: unknown) => (json as { errors: Record<string, string[]> }).errors;

for (const row of channels) {
  const { channel, unit, field, contact } = row;
  const written = field === "number" ? row.contact.number : row.contact.email;

  test(`${channel}: an accepted send names each contact as it was given`, async () => {
    const { json, headers, requests } = await send(row, done);
    assert.deepEqual((json as { data: object }).data, {
      request_id: "req_1",
      contact: [{ [field]: written, status: "queued", id: "msg_1" }],
    });
    assert.equal(headers["idempotent-replayed"], undefined);
    assert.equal(requests[0]?.channel, channel);
    assert.equal(requests[0]?.idempotency, null);
  });

  test(`${channel}: a replayed one says what it said, and that it did`, async () => {
    const { json, headers, requests } = await send(row, { ...done, kind: "replayed", numbers: ["b"] }, "k");
    assert.equal(headers["idempotent-replayed"], "true");
    assert.deepEqual((json as { data: { contact: object[] } }).data.contact, [
      { [field]: "b", status: "queued", id: "msg_1" },
    ]);
    assert.deepEqual(requests[0]?.idempotency, { path: `/api/${channel}/send`, key: "k" });
  });

  test(`${channel}: issues of the body, of the key and of the account come together, each once, and nothing is accepted`, async () => {
    const { json, requests } = await send(row, done, "x".repeat(256), {
      contact: [{ ...contact, message: "" }],
    });
    const errors = errorsOf(json);
    assert.deepEqual(Object.keys(errors), [
      "contact.0.message",
      "Idempotency-Key",
      "contact.0.gateway_identifier",
    ]);
    for (const messages of Object.values(errors)) assert.equal(messages.length, 1);
    assert.equal(requests.length, 0);
  });

  test(`${channel}: without contacts the account is not asked`, async () => {
    const { json, requests } = await send(row, done, "x".repeat(256), {});
    assert.deepEqual(Object.keys(errorsOf(json)), ["contact", "Idempotency-Key"]);
    assert.equal(requests.length, 0);
  });

  test(`${channel}: issues of the account alone`, async () => {
    const issues = [{ path: ["contact", 0, "gateway_identifier"], message: "none" }];
    const { status, json } = await send(row, { kind: "invalid", issues }, "k");
    assert.equal(status, 422);
    assert.deepEqual(errorsOf(json), { "contact.0.gateway_identifier": ["none"] });
  });

  const refusals: [result: AcceptResult, status: number, text: RegExp][] = [
    [{ kind: "mismatch" }, 422, /idempotency_mismatch/],
    [{ kind: "in_progress" }, 409, /idempotency_in_progress/],
    [
      { kind: "insufficient_credit", needed: 2, remaining: 1 },
      402,
      new RegExp(`2 ${unit} credits, and 1 remain`),
    ],
    [{ kind: "unavailable", retryAfterMs: 1 }, 503, /unavailable/],
    [{ kind: "commit_unknown", retryAfterMs: 1 }, 503, /commit_unknown/],
  ];
  for (const [result, status, text] of refusals) {
    test(`${channel}: ${result.kind} is ${status}`, async () => {
      const reply = await send(row, result, "k");
      assert.equal(reply.status, status);
      assert.match(reply.text, text);
    });
  }
}

test("slices let others run between them", async () => {
  function* slices(): Generator<void, string, void> {
    yield;
    yield;
    return "whole";
  }
  const clock = movableClock();
  let turns = 0;
  const counting = {
    ...clock,
    sleep: async () => {
      turns += 1;
    },
  };
  assert.equal(await inSlices(slices(), counting), "whole");
  assert.equal(turns, 2);
});

test("files are named by their fields, ten of them", () => {
  assert.deepEqual(
    fileIssues(["a", "a[]", "contact[0][message]"]).map(({ path, message }) => [...path, message]),
    [
      ["a", "The a field must not be a file."],
      ["a", "The a field must not be a file."],
      ["contact.0.message", "The contact.0.message field must not be a file."],
    ],
  );
  assert.equal(fileIssues(Array.from({ length: 50 }, () => "a")).length, 10);
});
