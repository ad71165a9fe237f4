// Failures that the gateway itself knows.

import assert from "node:assert/strict";
import test from "node:test";
import { cutStreams, pretendedDown, unsupportedParameter } from "#ai/failover/own-failures.ts";

test("a parameter that the vendor lacks is named, and no fault of the member", () => {
  const failure = unsupportedParameter({
    kind: "unsupported_parameter",
    param: "logit_bias",
    message: "No.",
  });
  assert.deepEqual(
    [failure.kind, failure.status, failure.error.code, failure.error.param],
    ["invalid_request", 400, "unsupported_parameter", "logit_bias"],
  );
  assert.deepEqual([cutStreams.kind, pretendedDown.kind], ["upstream_error", "unsupported"]);
});
