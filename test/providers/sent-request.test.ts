// Headers at the moment of sending: signed ones change with the time, others do not.

import assert from "node:assert/strict";
import test from "node:test";
import type { VendorRequest } from "#providers/provider.ts";
import { sentHeaders } from "#providers/sent-headers.ts";

const request: VendorRequest = {
  method: "GET",
  url: "https://x.test/a",
  headers: { accept: "b" },
  body: null,
};

test("a request without a key of AWS has the headers that it was made with", () => {
  assert.equal(sentHeaders(request, 1), request.headers);
});

test("a signed one has the time of sending in it", () => {
  const awsKey = { accessKeyId: "a", secretAccessKey: "b", region: "c", service: "d" };
  const [one, two] = [0, 1000].map((now) => sentHeaders({ ...request, awsKey }, now));
  assert.equal(one?.["x-amz-date"], "19700101T000000Z");
  assert.equal(one?.accept, "b");
  assert.notEqual(one?.authorization, two?.authorization);
});
