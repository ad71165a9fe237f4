// POST /api/manage/v1/setup/code: the one-time code of an operator, for the command line.

import { createSetupCodeRequest, setupCodeReply } from "#contract/manage/identity.ts";
import { problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { createSetupCode, setupCodeTtlMs } from "#identity/setup.ts";

export const createSetupCodeRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/setup/code",
  name: "createSetupCode",
  tag: "Signing in",
  summary: "Create a one-time code that makes an operator",
  description:
    "For the command line of the installation's own machine, which prints the link with the code. With an email address the code works for that address alone, also when a user has it, who then chooses a new password. Users and management tokens get 403: a code would turn an open session into a password.",
  scope: "installation",
  refuse: ({ kind }) =>
    kind === "command_line"
      ? null
      : problem("forbidden", {
          message: "Only the command line on the machine of the installation may create this code.",
        }),
  body: createSetupCodeRequest,
  replies: { 201: setupCodeReply },
})(async ({ core, input }) => {
  const now = core.clock.now();
  const code = await createSetupCode(core, input.email);
  return {
    message: "The code has been created. No other reply shows it.",
    data: { code, expires_at: isoTime(now + setupCodeTtlMs) },
  };
});
