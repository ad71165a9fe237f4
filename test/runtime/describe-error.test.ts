// Errors in plain words: the text of an error does not get into a reason.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeError } from "#runtime/describe-error.ts";
import { HttpError } from "#runtime/net/http/http-error.ts";

const canary = "cnry7Qx0Zr3Kd9TfWb2M";
const withCode = (code: unknown) =>
  Object.assign(new Error(canary, { cause: canary }), { code, address: canary });

test("known codes have words, unknown ones are named, and nothing else of the error shows", () => {
  const table: [error: unknown, expected: string][] = [
    [withCode("ECONNREFUSED"), "the connection was refused"],
    [withCode("ENOTFOUND"), "the name does not resolve"],
    [withCode("CERT_HAS_EXPIRED"), "its certificate has expired"],
    [new HttpError("connect_timeout", canary), "connecting timed out"],
    [new HttpError("closed", canary), "the connection was closed"],
    [new HttpError("cut", canary), "the answer was cut off"],
    [new HttpError("invalid", canary), "the answer is not valid HTTP"],
    [withCode("ENEWCODE"), "the connection failed (ENEWCODE)"],
    [withCode(canary), "the connection failed"],
    [withCode(`E ${canary}`), "the connection failed"],
    [withCode("E".repeat(100)), "the connection failed"],
    [withCode(7), "the connection failed"],
    [withCode("constructor"), "the connection failed"],
    [new Error(canary), "the connection failed"],
    [canary, "the connection failed"],
    [undefined, "the connection failed"],
    [new AggregateError([withCode("ECONNREFUSED")], canary), "the connection failed"],
  ];
  for (const [error, expected] of table) assert.equal(describeError(error), expected);
});
