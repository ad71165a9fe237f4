// AWS's signature on the published examples: the Signature Version 4 test suite, and the documentation's ListUsers call.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AwsKey, signedHeaders } from "#settings/aws-signature.ts";

const now = Date.UTC(2015, 7, 30, 12, 36, 0);
const key = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
  service: "service",
};
const host = "https://example.amazonaws.com";

const examples = [
  [
    "get-vanilla",
    "GET",
    `${host}/`,
    {},
    "",
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  ],
  [
    "post-vanilla",
    "POST",
    `${host}/`,
    {},
    "",
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  ],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    `${host}/?Param2=value2&Param1=value1`,
    {},
    "",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "get-vanilla-query-unreserved",
    "GET",
    `${host}/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`,
    {},
    "",
    "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
  ],
  [
    "post-x-www-form-urlencoded",
    "POST",
    `${host}/`,
    { "content-type": "application/x-www-form-urlencoded" },
    "Param1=value1",
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  ],
] as const;

for (const [name, method, url, headers, body, signature] of examples) {
  test(`published example: ${name}`, () => {
    const signed = signedHeaders({ method, url, headers, body }, key, now);
    const names = [...Object.keys(headers), "host", "x-amz-date"].join(";");
    assert.deepEqual(signed, {
      ...headers,
      "x-amz-date": "20150830T123600Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    });
  });
}

test("published example: ListUsers of IAM", () => {
  const signed = signedHeaders(
    {
      method: "GET",
      url: "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      body: "",
    },
    { ...key, service: "iam" },
    now,
  );
  assert.match(
    signed.authorization!,
    /Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7$/,
  );
});

test("each part of a request changes its signature", () => {
  const request = { method: "POST", url: `${host}/v2`, headers: { accept: "a" }, body: "{}" };
  const of = (change: object, at = now, own: AwsKey = key) =>
    signedHeaders({ ...request, ...change }, own, at).authorization;
  const all = [
    of({}),
    of({ method: "PUT" }),
    of({ url: `${host}/v3` }),
    of({ url: `${host}:8443/v2` }),
    of({ url: `${host}/v2?a=b` }),
    of({ headers: { accept: "b" } }),
    of({ body: "{ }" }),
    of({}, now + 1000),
    of({}, now, { ...key, secretAccessKey: "other" }),
    of({}, now, { ...key, region: "eu-west-1" }),
    of({}, now, { ...key, sessionToken: "session" }),
  ];
  assert.equal(new Set(all).size, all.length);
});
