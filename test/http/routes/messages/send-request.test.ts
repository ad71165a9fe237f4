// What all send endpoints share, with a channel that does not exist: its contacts have one field, `to`.

import assert from "node:assert/strict";
import test from "node:test";
import type { Send } from "#contract/messages/contacts.ts";
import { isProblem } from "#contract/problem.ts";
import type { AccountCall } from "#http/call.ts";
import { fileIssues, inSlices, sendContacts } from "#http/routes/messages/send-request.ts";
import type { AcceptResult, IdempotencyRequest } from "#messaging/accept/accept.ts";
import { movableClock } from "../../../clock.ts";

interface Draft {
  to: string;
}

const issue = { path: ["contact", 0, "to"], message: "no" };

async function send(
  result: AcceptResult,
  given: Partial<Send<Draft>> = {},
  key?: string,
): Promise<{ reply: unknown; asked: { send: Send<Draft>; repeatable: IdempotencyRequest | null }[] }> {
  const asked: { send: Send<Draft>; repeatable: IdempotencyRequest | null }[] = [];
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const reply = await sendContacts<Draft>({ request: { headers } } as unknown as AccountCall, {
    path: "/api/post/send",
    credit: "post",
    send: { contacts: [{ to: "a" }], issues: [], ...given },
    recipientOf: ({ to }) => to,
    accept: async (whole, repeatable) => {
      asked.push({ send: whole, repeatable });
      return result;
    },
  });
  return { reply: isProblem(reply) ? { status: reply.status, ...reply.body } : reply, asked };
}

const done: AcceptResult = { kind: "accepted", requestId: "req_1", ids: ["msg_1"], statuses: ["queued"] };

test("an accepted send names each contact as it was given", async () => {
  const { reply, asked } = await send(done);
  assert.deepEqual(reply, {
    headers: undefined,
    requestId: "req_1",
    contacts: [{ given: "a", status: "queued", id: "msg_1" }],
  });
  assert.equal(asked[0]?.repeatable, null);
});

test("a replayed one says what it said, and that it did", async () => {
  const { reply, asked } = await send({ ...done, kind: "replayed", numbers: ["b"] }, {}, "k");
  assert.deepEqual(reply, {
    headers: { "Idempotent-Replayed": "true" },
    requestId: "req_1",
    contacts: [{ given: "b", status: "queued", id: "msg_1" }],
  });
  assert.deepEqual(asked[0]?.repeatable, { path: "/api/post/send", key: "k" });
});

test("faults of the body and of the account are told together, and no key is claimed", async () => {
  const other = { path: ["contact", 0, "gateway_identifier"], message: "none" };
  const { reply, asked } = await send({ kind: "invalid", issues: [other] }, { issues: [issue] }, "k");
  assert.deepEqual(
    { ...(reply as { errors: object }).errors },
    { "contact.0.to": ["no"], "contact.0.gateway_identifier": ["none"] },
  );
  assert.equal(asked[0]?.repeatable, null);
});

test("a key that is none is a fault; without contacts acceptance is not asked", async () => {
  const { reply, asked } = await send(done, { contacts: [], issues: [issue] }, "x".repeat(256));
  assert.deepEqual(Object.keys((reply as { errors: object }).errors), ["contact.0.to", "Idempotency-Key"]);
  assert.equal(asked.length, 0);
});

test("a send with faults that was accepted all the same is a bug", async () => {
  await assert.rejects(send(done, { issues: [issue] }));
});

const refusals: [result: AcceptResult, status: number, text: RegExp][] = [
  [{ kind: "mismatch" }, 422, /idempotency_mismatch/],
  [{ kind: "in_progress" }, 409, /idempotency_in_progress/],
  [{ kind: "insufficient_credit", needed: 2, remaining: 1 }, 402, /2 post credits, and 1 remain/],
  [{ kind: "unavailable", retryAfterMs: 1 }, 503, /unavailable/],
  [{ kind: "commit_unknown", retryAfterMs: 1 }, 503, /commit_unknown/],
];
for (const [result, status, text] of refusals) {
  test(`${result.kind} is ${status}`, async () => {
    const { reply } = await send(result, {}, "k");
    assert.equal((reply as { status: number }).status, status);
    assert.match(JSON.stringify(reply), text);
  });
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
