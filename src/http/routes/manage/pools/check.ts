// POST …/pools/{pool}/members/check: whether a provider accepts a member's settings, before or after they are stored.

import { checkSettings } from "#ai/health/check-settings.ts";
import { memberToCheck } from "#configure/check-member.ts";
import { checkMemberReply, checkMemberRequest } from "#contract/manage/pools/check.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { poolRefOf } from "./members.ts";
import { poolParams, poolPath } from "./pools.ts";

/** Each check calls an address that the caller chooses. */
const perMinute = 30;

export const checkPoolMemberRoute = endpoint({
  method: "POST",
  path: `${poolPath}/members/check`,
  name: "checkPoolMember",
  tag: "Pools",
  summary: "Check a member at its provider",
  description:
    "Asks the provider for its list of models, which costs no tokens, for 10 s at the most: with the settings of a stored member, with changes of them, or with those of a member that is not stored yet. Nothing is stored, and the health of the pool's members does not change. A sandbox is always well. 30 a minute for each person or token.",
  scope: "account",
  params: poolParams,
  body: checkMemberRequest,
  replies: { 200: checkMemberReply },
})(async (call) => {
  const { core, principal, gate, response, input } = call;
  const found = orNotFound(await memberToCheck(core, poolRefOf(call), input));
  if (found.kind === "invalid") return validationFailed(found.issues);
  const retryAfterMs = gate.rateLimit(`check ${principal.id}`, perMinute);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  const left = new LightAbortController();
  const leave = () => left.abort();
  response.once("close", leave);
  try {
    const data = await checkSettings(core, found.provider, found.settings, left);
    return { message: "The member has been checked.", data };
  } finally {
    response.off("close", leave);
  }
});
