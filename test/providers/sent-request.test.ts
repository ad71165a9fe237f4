// Requests at the moment of sending: signed headers change with the time, others do not, and the key stays here.

import assert from "node:assert/strict";
import test from "node:test";
import type { VendorRequest } from "#providers/provider.ts";
import { sentRequest } from "#providers/sent-request.ts";

const request: VendorRequest = {
  method: "GET",
  url: "https://x.test/a",
  headers: { accept: "b" },
  body: null,
};

test("a request without a key of AWS goes out as it was made", () => {
  assert.deepEqual(sentRequest(request, 1), request);
});

test("a signed one has the time of sending in it, and not the key", () => {
  const awsKey = { accessKeyId: "a", secretAccessKey: "b", region: "c", service: "d" };
  const [one, two] = [0, 1000].map((now) => sentRequest({ ...request, awsKey }, now));
  assert.equal(one?.headers["x-amz-date"], "19700101T000000Z");
  assert.equal(one?.headers.accept, "b");
  assert.notEqual(one?.headers.authorization, two?.headers.authorization);
  assert.deepEqual({ ...one, headers: request.headers }, request);
});

test("one that goes out with an access token has it in its header, and not what the token was got with", () => {
  const proof = { email: "a", privateKey: "b", keyId: null, audience: "c" };
  const tokenGrant = { url: "https://t.test", issuer: "T", scope: "s", proof };
  assert.deepEqual(sentRequest({ ...request, tokenGrant }, 1, "t1"), {
    ...request,
    headers: { accept: "b", authorization: "Bearer t1" },
  });
});
