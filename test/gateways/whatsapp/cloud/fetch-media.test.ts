// What a stranger's server may not do with the fetch of a file. Fetches over real HTTP are in media.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchMedia } from "#gateways/whatsapp/cloud/fetch-media.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { toolsWith } from "../../conformance-samples.ts";

const redirect = (location?: string): OutboundResult => ({
  kind: "answer",
  status: 302,
  headers: location === undefined ? {} : { location },
  body: Buffer.alloc(0),
});

/** Each request takes 12 s and has the next of the results. */
async function fetchWith(...results: OutboundResult[]) {
  const clock = movableClock();
  const requests: OutboundRequest[] = [];
  const { outbound } = toolsWith({});
  const request = async (sent: OutboundRequest) => {
    requests.push(sent);
    await clock.advance(12_000);
    return results.shift() ?? assert.fail("one request too many");
  };
  const signal = new AbortController().signal;
  const tools = { outbound: { ...outbound, request }, clock, signal };
  return { result: await fetchMedia("https://files.test/a", 10, tools), requests };
}

for (const location of ["http://files.test/a", "https://user:word@files.test/a", "ftp://files.test/a"]) {
  test(`a redirect to ${location} is refused without another request`, async () => {
    const { result, requests } = await fetchWith(redirect(location));
    assert.deepEqual([!Buffer.isBuffer(result) && result.kind, requests.length], ["rejected", 1]);
  });
}

for (const location of [undefined, "", "http://["]) {
  test(`a redirect to ${JSON.stringify(location)} leads nowhere, which is the reason`, async () => {
    const { result, requests } = await fetchWith(redirect(location));
    assert.deepEqual(result, {
      kind: "rejected",
      code: "media_unreachable",
      reason: "The server of the file redirects to no address.",
    });
    assert.equal(requests.length, 1);
  });
}

test("all redirects together have 30 s, and carry nothing but our name", async () => {
  const { result, requests } = await fetchWith(redirect("/b"), redirect("/c"), redirect("/d"));
  assert.equal(!Buffer.isBuffer(result) && result.kind, "deferred");
  assert.deepEqual(
    requests.map(({ url, timeoutMs }) => [url, timeoutMs]),
    [
      ["https://files.test/a", 30_000],
      ["https://files.test/b", 18_000],
      ["https://files.test/c", 6_000],
    ],
  );
  assert.deepEqual(Object.keys(requests[0]?.headers ?? {}), ["user-agent", "accept"]);
});

test("a stop is no fault of the file, and reasons of the way out are not repeated", async () => {
  const stopped = await fetchWith({ kind: "not_sent", code: "aborted", reason: "Stopped." });
  assert.equal("code" in stopped.result && stopped.result.code, "aborted");
  const inside = await fetchWith({
    kind: "not_sent",
    code: "url_not_allowed",
    reason: "10.0.0.1 is private",
  });
  assert.deepEqual(inside.result, {
    kind: "rejected",
    code: "url_not_allowed",
    reason: "The address of the file is not allowed.",
  });
});
