// Reports handed in over HTTP: only with the token, and only about mails that name themselves ours.

import assert from "node:assert/strict";
import test from "node:test";
import type { CallbackRequest } from "#gateways/callback.ts";
import { receiveReport } from "#gateways/email/reports/callback.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import { toolsWith } from "../../conformance-samples.ts";
import { ourId, samples } from "../report-samples.ts";

const token = "a token of sixteen or more";
/** As it is read in the thread. */
const receive = (
  call: CallbackRequest,
  input: string | undefined,
  read: ReadReport = toolsWith().readReport,
) => receiveReport(call, input, read);

const callback = (
  body: Buffer,
  query = `token=${encodeURIComponent(token)}`,
  method = "POST",
): CallbackRequest => ({
  method,
  url: `https://trunkline.test/callbacks/mail?${query}`,
  query: new URLSearchParams(query),
  headers: { "content-type": "message/rfc822" },
  body,
});

test("a bounce becomes a receipt, a complaint an engagement", async () => {
  const bounced = await receive(callback(samples.gmail), token);
  assert.ok(bounced.kind === "received");
  assert.deepEqual(
    bounced.receipts.map(({ status, messageId, bounce }) => [status, messageId, bounce]),
    [["bounced", ourId, "hard"]],
  );
  const complained = await receive(callback(samples.abuse), token);
  assert.ok(complained.kind === "received");
  assert.equal(complained.engagements?.[0]?.kind, "complained");
});

test("what is no report, and what names no mail of ours, is taken and is nothing", async () => {
  for (const body of [samples.person, samples.outOfOffice, samples.qmail, Buffer.from("\0junk")])
    assert.deepEqual(await receive(callback(body), token), {
      kind: "received",
      receipts: [],
      engagements: [],
      inbound: [],
    });
});

test("without the token, exactly once, nothing is read; without a setting no call has it", async () => {
  for (const query of ["", "token=wrong", `token=${token}&token=${token}`, "token="])
    assert.equal((await receive(callback(samples.gmail, query), token)).kind, "forbidden", query);
  for (const none of [undefined, ""])
    assert.equal((await receive(callback(samples.gmail), none)).kind, "not_taken");
  assert.equal((await receive(callback(samples.gmail, undefined, "GET"), token)).kind, "malformed");
  assert.equal((await receive(callback(Buffer.alloc(0)), token)).kind, "malformed");
});

test("a mail that cannot be read is not understood, and one that cannot be read now may come again", async () => {
  const asked: number[] = [];
  const read = (kind: "unreadable" | "busy") => async (raw: Uint8Array) => {
    asked.push(raw.length);
    return { kind };
  };
  const call = callback(samples.gmail);
  assert.equal((await receive(call, token, read("unreadable"))).kind, "malformed");
  assert.equal((await receive(call, token, read("busy"))).kind, "unavailable");
  assert.equal((await receive(call, "another token of 16", read("busy"))).kind, "forbidden");
  assert.equal(asked.length, 2, "without the token nothing is read");
});
