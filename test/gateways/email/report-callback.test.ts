// Reports handed in over HTTP: only with the token, and only about mails that name themselves ours.

import assert from "node:assert/strict";
import test from "node:test";
import { receiveReport } from "#gateways/email/report-callback.ts";
import type { CallbackRequest } from "#gateways/gateway.ts";
import { ourId, samples } from "./report-samples.ts";

const token = "a token of sixteen or more";
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

test("a bounce becomes a receipt, a complaint an engagement", () => {
  const bounced = receiveReport(callback(samples.gmail), token);
  assert.ok(bounced.kind === "received");
  assert.deepEqual(
    bounced.receipts.map(({ status, messageId, bounce }) => [status, messageId, bounce]),
    [["bounced", ourId, "hard"]],
  );
  const complained = receiveReport(callback(samples.abuse), token);
  assert.ok(complained.kind === "received");
  assert.equal(complained.engagements?.[0]?.kind, "complained");
});

test("what is no report, and what names no mail of ours, is taken and is nothing", () => {
  for (const body of [samples.person, samples.outOfOffice, samples.qmail, Buffer.from("\0junk")])
    assert.deepEqual(receiveReport(callback(body), token), {
      kind: "received",
      receipts: [],
      engagements: [],
      inbound: [],
    });
});

test("without the token, exactly once, nothing is read; without a setting nobody has it", () => {
  for (const query of ["", "token=wrong", `token=${token}&token=${token}`, "token="])
    assert.equal(receiveReport(callback(samples.gmail, query), token).kind, "forbidden", query);
  for (const none of [undefined, ""])
    assert.equal(receiveReport(callback(samples.gmail), none).kind, "not_configured");
  assert.equal(receiveReport(callback(samples.gmail, undefined, "GET"), token).kind, "malformed");
  assert.equal(receiveReport(callback(Buffer.alloc(0)), token).kind, "malformed");
});
