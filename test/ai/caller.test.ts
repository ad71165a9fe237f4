// What a client's headers say about a call, and what of them goes on to members.

import assert from "node:assert/strict";
import test from "node:test";
import { readCaller } from "#ai/caller.ts";

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("the client's own id wins over a proxy's, and both kinds go on under one name", () => {
  const both = readCaller("req_1", { "x-client-request-id": "mine", "x-request-id": "proxy" });
  assert.deepEqual(both, {
    id: "req_1",
    clientRequestId: "mine",
    tags: [],
    extraHeaders: { "x-client-request-id": "mine" },
  });
  const proxied = readCaller("req_1", { "x-client-request-id": "not one", "x-request-id": "proxy" });
  assert.deepEqual(proxied?.extraHeaders, { "x-client-request-id": "proxy" });
  const none = { id: "req_1", clientRequestId: null, tags: [], extraHeaders: null };
  for (const input of ["", "two words", "é", "x".repeat(201), ["a", "b"], undefined])
    assert.deepEqual(readCaller("req_1", { "x-request-id": input }), none);
});

test("a trace goes on as it is, with its state, and a malformed one does not", () => {
  assert.deepEqual(readCaller("req_1", { traceparent: trace, tracestate: "a=1,b=2" })?.extraHeaders, {
    traceparent: trace,
    tracestate: "a=1,b=2",
  });
  assert.deepEqual(readCaller("req_1", { traceparent: trace, tracestate: "é" })?.extraHeaders, {
    traceparent: trace,
  });
  const later = trace.replace("00-", "cc-");
  for (const input of [later, `${later}-more`])
    assert.deepEqual(readCaller("req_1", { traceparent: input })?.extraHeaders, { traceparent: input });
  for (const input of [
    trace.toUpperCase(),
    trace.replace("00-", "ff-"),
    `${trace}-more`,
    trace.slice(0, -1),
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`,
    "",
  ])
    assert.equal(readCaller("req_1", { traceparent: input, tracestate: "a=1" })?.extraHeaders, null, input);
});

test("tags come from their header, and malformed ones are reported", () => {
  const tagsOf = (text: string) => readCaller("req_1", { "x-trunkline-tags": text })?.tags ?? null;
  assert.deepEqual(tagsOf("team=checkout, stage=live,"), ["team=checkout", "stage=live"]);
  assert.deepEqual(tagsOf(""), []);
  for (const text of ["team", "=x", "a b=c", `a=${"x".repeat(88)}`, "a=é", "a=1,".repeat(11)])
    assert.equal(tagsOf(text), null, text);
});
