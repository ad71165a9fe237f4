// Creates an operator with a one-time code from the command line or the first start, and lets a user choose a password with a set-up link.

import {
  checkSetupLinkRequest,
  sessionReply,
  setUpRequest,
  setUpUserRequest,
  setupLinkReply,
} from "#contract/manage/identity.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { unauthenticated } from "#http/auth/management.ts";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import { setUp } from "#identity/setup.ts";
import { setUpUser, userOfSetupCode } from "#identity/user-setup.ts";
import { sessionAnswer, shownSession, tooBusy } from "./session.ts";

const wrongCode = () => unauthenticated("The code is wrong, was used or has expired.");

/** Counts an attempt at a code. Throws the problem `rate_limited` after too many. */
function countAttempt({ gate, caller }: Call): void {
  const retryAfterMs = gate.signInLimits.setUp(caller.ip);
  if (retryAfterMs > 0) throw new ProblemError(problem("rate_limited", { retryAfterMs }));
}

export const setUpRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/setup",
  name: "setUp",
  tag: "Signing in",
  summary: "Set up an operator with a one-time code",
  description:
    "The first start prints the code, and the command line makes new ones. A code works once, for 24 hours. The operation creates the operator and signs the operator in.",
  scope: "anonymous",
  body: setUpRequest,
  replies: { 200: sessionReply },
  problems: ["unauthenticated"],
})(async (call) => {
  countAttempt(call);
  const result = await setUp(call.core, { ...call.input, replaced: shownSession(call) });
  switch (result.kind) {
    case "busy":
      return tooBusy();
    case "wrong_code":
      return wrongCode();
    case "taken":
      return validationFailed([{ path: ["email"], message: "is taken" }]);
    case "invalid":
      return validationFailed([{ path: ["password"], message: result.message }]);
    case "set_up":
      return await sessionAnswer(call, result, "The operator has been created.");
  }
});

export const checkSetupLinkRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/setup/link",
  name: "checkSetupLink",
  tag: "Signing in",
  summary: "Check whose a set-up link is",
  description: "Whose password is chosen with the code of a user's set-up link. Nothing changes.",
  scope: "anonymous",
  body: checkSetupLinkRequest,
  replies: { 200: setupLinkReply },
  problems: ["unauthenticated"],
})(async (call) => {
  countAttempt(call);
  const user = await userOfSetupCode(call.core, call.input.code);
  if (user === null) return wrongCode();
  const { email, name } = user;
  return { message: "The link works.", data: { email, name } };
});

export const setUpUserRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/setup/user",
  name: "setUpUser",
  tag: "Signing in",
  summary: "Choose a password with a set-up link",
  description:
    "An operator makes the link. Its code works once, for 24 hours. The user's sessions end, and the reply begins a new one.",
  scope: "anonymous",
  body: setUpUserRequest,
  replies: { 200: sessionReply },
  problems: ["unauthenticated"],
})(async (call) => {
  countAttempt(call);
  const result = await setUpUser(call.core, { ...call.input, replaced: shownSession(call) });
  switch (result.kind) {
    case "busy":
      return tooBusy();
    case "wrong_code":
      return wrongCode();
    case "invalid":
      return validationFailed([{ path: ["password"], message: result.message }]);
    case "set_up":
      return await sessionAnswer(call, result, "The password has been chosen.");
  }
});
