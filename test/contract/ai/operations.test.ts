// Every forwarded operation has its list of models in a member, for the management API and in the input alike.

import assert from "node:assert/strict";
import test from "node:test";
import { callKinds, forwardedOperations, isForwarded, modelsField } from "#contract/ai/operations.ts";
import { memberFields, poolMemberReply } from "#contract/manage/pools/members.ts";

test("each forwarded operation has its field in a member and in the reply", () => {
  const input = memberFields.shape as Record<string, unknown>;
  const reply = JSON.stringify(poolMemberReply.toJSONSchema({ unrepresentable: "any" }));
  for (const operation of forwardedOperations) {
    assert.ok(modelsField(operation) in input, operation);
    assert.ok(reply.includes(`"${modelsField(operation)}"`), operation);
  }
  assert.deepEqual(
    callKinds.filter((kind) => isForwarded(kind)),
    [...forwardedOperations],
  );
});
