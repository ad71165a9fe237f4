// Paths and queries before any route: what can name something, and how each family says that it cannot.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { z } from "zod";
import type { Head } from "#http/call.ts";
import { isCleanPath, queryRefusal, unknownPathReply } from "#http/url-text.ts";

const headOf = (family: Head["family"], more: Partial<Head> = {}) => ({ family, ...more }) as Head;
const statusOf = (answer: { status: number } | null) => answer?.status ?? null;

test("a path part names something unless it holds what no name holds", () => {
  for (const part of ["sms", "", "a b", "ünïcode", "👩‍💻", "__proto__", "a/b", "..", "a\u202eb"])
    assert.equal(isCleanPath({ id: "x", part }), true, part);
  for (const part of ["\0", "a\0", "a\nb", "\u007f", "\u0085", "\ud800", "a\ufffd"])
    assert.equal(isCleanPath({ id: "x", part }), false, JSON.stringify(part));
  assert.equal(isCleanPath({}), true);
});

test("each family has its own answer to a path that names nothing", () => {
  const body = (family: Head["family"]) => JSON.stringify(unknownPathReply(headOf(family)).body);
  assert.match(body("api_key"), /"code":"not_found"/);
  assert.match(body("manage"), /"code":"not_found"/);
  assert.match(body("pool"), /"code":"unknown_url"/);
  assert.match(body("open"), /"code":"not_found"/);
  const notFound = { status: 404, body: "Not found." };
  assert.equal(unknownPathReply(headOf("open", { notFound })), notFound);
});

test("only what the head names is looked at, and on channel endpoints without the blanks at its ends", () => {
  const query = z.object({ cursor: z.string().optional() });
  const refusal = (family: Head["family"], search: string, of: z.ZodObject | undefined = query) =>
    queryRefusal(headOf(family, of === undefined ? {} : { query: of }), {
      url: `/x${search}`,
    } as IncomingMessage);
  for (const family of ["api_key", "manage", "pool"] as const) {
    const status = family === "pool" ? 400 : 422;
    assert.equal(statusOf(refusal(family, "")), null);
    assert.equal(statusOf(refusal(family, "?cursor=abc&other=%00&api_key=%00")), null);
    assert.equal(statusOf(refusal(family, "?cursor=a%00b")), status);
    assert.equal(statusOf(refusal(family, "?cursor=a%C0%80b")), status);
    assert.equal(statusOf(refusal(family, "?cursor=a%ED%A0%80b")), status);
    assert.equal(statusOf(refusal(family, "?cursor=ok&cursor=a%0Ab")), status);
    assert.equal(statusOf(refusal(family, "?cursor=a%0A")), family === "api_key" ? null : status);
  }
  assert.equal(queryRefusal(headOf("open"), { url: "/x?a=%00" } as IncomingMessage), null);
});
