// Creates an operator with a one-time code of the command line or the first start.

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
  summary: "Set up an operator with a one-time code",
  description:
    "The first start prints the code, and the command line makes new ones. A code works once, for 24 hours. The operation creates the operator and signs the operator in.",
  family: "manage",
  scope: "anonymous",
  body: setUpRequest,
  replies: { 200: sessionReply },
  problems: ["unauthenticated"],
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
      return unauthenticated("The code is wrong, was used or has expired.");
    case "taken":
      return validationFailed([{ path: ["email"], message: "is taken" }]);
    case "invalid":
      return validationFailed([{ path: ["password"], message: result.message }]);
    case "set_up":
      return await sessionAnswer(call, result, "The operator has been created.");
  }
});
