// POST /api/manage/v1/setup

import { sessionReply, setUpRequest } from "#contract/manage/identity.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { unauthenticated } from "#http/auth/management.ts";
import { endpoint } from "#http/endpoint.ts";
import { validate } from "#http/validate.ts";
import { setUp } from "#identity/setup.ts";
import { sessionAnswer, shownSession, tooBusy } from "./session.ts";

export const setUpRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/setup",
  name: "setUp",
  tag: "Signing in",
  summary: "Make an operator with a one-time code",
  description:
    "The code is printed at the first start, or made on the command line; it works once and for 24 hours. Makes the operator and signs them in.",
  family: "manage",
  scope: "anonymous",
  body: setUpRequest,
  replies: { 200: sessionReply },
  problems: ["unauthenticated", "conflict"],
})(async (call) => {
  const body = validate(setUpRequest, call.body.value);
  if (isProblem(body)) return body;
  const retryAfterMs = call.gate.signInLimits.setUp(call.caller.ip);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  const result = await setUp(call.core, { ...body.value, replaced: shownSession(call) });
  switch (result.kind) {
    case "busy":
      return tooBusy();
    case "wrong_code":
      return unauthenticated("The code is wrong, was used, or is too old.");
    case "taken":
      return problem("conflict", { message: "Somebody with this e-mail address is there already." });
    case "invalid":
      return validationFailed([{ path: ["password"], message: result.message }]);
    case "set_up":
      return await sessionAnswer(call, result, "The operator has been made.");
  }
});
