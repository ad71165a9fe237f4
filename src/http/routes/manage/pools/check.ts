// POST …/pools/{pool}/members/check: whether a provider takes a member's settings, before or after they are stored.

import { checkSettings } from "#ai/health/check-settings.ts";
import { memberToCheck } from "#configure/check-member.ts";
import { checkMemberReply, checkMemberRequest } from "#contract/manage/pools/check.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { validate } from "#http/validate.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { poolRefOf } from "./members.ts";
import { poolParams, poolPath } from "./pools.ts";

/** Each one goes to an address that its caller names. */
const perMinute = 30;

export const checkPoolMemberRoute = endpoint({
  method: "POST",
  path: `${poolPath}/members/check`,
  name: "checkPoolMember",
  tag: "Pools",
  summary: "Check a member at its provider",
  description:
    "Asks the provider for its list of models, which costs no tokens, for 10 s at the most: with the settings of a stored member, with changes of them, or with those of a member that is not stored yet. Nothing is stored, and the health of the pool's members does not change. A sandbox is always well. 30 a minute for each person or token.",
  family: "manage",
  scope: "account",
  params: poolParams,
  body: checkMemberRequest,
  replies: { 200: checkMemberReply },
  problems: ["not_found"],
})(async (call) => {
  const input = validate(checkMemberRequest, call.body.value);
  if (isProblem(input)) return input;
  const { core, principal, gate, response } = call;
  const found = await memberToCheck(core, poolRefOf(call), input.value);
  if (found === null) return problem("not_found");
  if (found.kind === "invalid") return validationFailed(found.issues);
  const retryAfterMs = gate.rateLimit(`check ${principal.id}`, perMinute);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  const left = new LightAbortController();
  const leave = () => left.abort();
  response.once("close", leave);
  try {
    const data = await checkSettings(core, found.provider, found.settings, left);
    return { status: 200, body: { success: true, message: "The member has been checked.", data } };
  } finally {
    response.off("close", leave);
  }
});
