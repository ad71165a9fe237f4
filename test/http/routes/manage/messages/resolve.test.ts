// Answers to unknown outcomes over the management API: who gave them is in the message's timeline.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { recordReply } from "#contract/replies.ts";
import { noAnswer, provider, takes } from "../../../../scenarios/provider.ts";
import { type Managed, managed } from "../managed.ts";

let m: Managed;
let id: string;
before(async () => {
  m = await managed();
  ({ id } = await m.it.account({ name: "acme" }));
  await m.it.gateway({ identifier: "main", ...provider });
});
after(() => m.close());

async function unknown(): Promise<string> {
  m.it.respond(() => noAnswer);
  const [message = ""] = await m.it.accepted([{ number: "+4915123456789", message: "Hi" }]);
  await m.it.advance(1_800_000);
  assert.equal((await m.it.message(message)).status, "unknown");
  return message;
}

const answer = (message: string, body: object, account = id) =>
  m.operator("POST", `/accounts/${account}/messages/${message}/resolve`, body);

test("each answer makes of the message what it says, in the name of who gave it", async () => {
  const sent = await unknown();
  const reply = await answer(sent, { answer: "mark_sent" });
  assert.equal(reply.statusCode, 200, reply.body);
  assert.deepEqual(recordReply.parse(reply.json()), reply.json());
  assert.equal(reply.json().data.status, "sent");
  assert.match(reply.json().data.events.at(-1).detail, /^Marked as sent by token \d+\.$/);
  const failed = await answer(await unknown(), { answer: "mark_failed" });
  assert.equal(failed.json().data.status, "failed");
  const again = await unknown();
  m.it.respond(takes);
  const waiting = await answer(again, { answer: "send_again" });
  assert.equal(waiting.json().data.status, "queued");
  await m.it.advance(600_000);
  assert.equal((await m.it.message(again)).status, "sent");
});

test("a known outcome is 409, a bad answer 422", async () => {
  const message = await unknown();
  for (const body of [{}, { answer: "sent" }, { answer: "mark_sent", channel: "sms" }])
    assert.equal((await answer(message, body)).statusCode, 422, JSON.stringify(body));
  assert.equal((await answer(message, { answer: "mark_sent" })).statusCode, 200);
  const known = await answer(message, { answer: "mark_failed" });
  assert.deepEqual([known.statusCode, known.json().code], [409, "not_unknown"]);
});

test("a message that is not there, and another account's, are the same 404", async () => {
  const message = await unknown();
  const other = await m.it.account({ name: "other" });
  const member = await m.member(other.id);
  const body = { answer: "mark_sent" };
  const replies = [
    await answer("msg_0", body),
    await answer("nonsense'", body),
    await answer(message, body, other.id),
    await member("POST", `/accounts/${id}/messages/${message}/resolve`, body),
    await member("POST", `/accounts/${other.id}/messages/${message}/resolve`, body),
  ];
  for (const reply of replies) assert.deepEqual([reply.statusCode, reply.json().code], [404, "not_found"]);
});
