// How a request broke is reported once, to who listens and to who asks later.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { breakRequest, brokenEvent, requestErrorOf } from "#http/server/broken-request.ts";

test("the first break counts", () => {
  const request = new EventEmitter() as IncomingMessage;
  const reported: unknown[] = [];
  request.on(brokenEvent, (how) => reported.push(how));
  assert.equal(requestErrorOf(request), undefined);
  breakRequest(request, "malformed");
  breakRequest(request, "too_slow");
  assert.deepEqual(reported, ["malformed"]);
  assert.equal(requestErrorOf(request), "malformed");
});
