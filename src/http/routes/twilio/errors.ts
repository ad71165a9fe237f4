// The errors of the endpoints that have the shape of Twilio's.

import type { Problem } from "#contract/problem.ts";
import {
  codeOfStatus,
  type TwilioErrorName,
  twilioErrorBody,
  twilioErrors,
} from "#contract/twilio/errors.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import type { Reply } from "#http/reply/response.ts";

/** Ends a request with an error of Twilio's. */
export class TwilioRefusal extends ProblemError {
  constructor(name: TwilioErrorName, message: string) {
    const error: { code: number; status?: number } = twilioErrors[name];
    const status = error.status ?? 400;
    super({
      problem: true,
      status,
      headers: status === 401 ? { "WWW-Authenticate": 'Basic realm="Trunkline"' } : {},
      body: twilioErrorBody(error.code, status, message),
    });
  }
}

/** A problem of any endpoint in Twilio's shape, with its headers. */
export function inTwilioShape(answer: Problem): Reply {
  const { status, headers = {}, body } = answer;
  if ("more_info" in body) return answer;
  const { message, error } = body as { message?: string; error?: string };
  const shown = status === 422 ? 400 : status;
  return {
    status: shown,
    headers,
    body: twilioErrorBody(codeOfStatus(status), shown, message ?? error ?? "The request was refused."),
  };
}

/** The refusal of a parameter that Twilio would not know. */
export const misspelt = (meant: string, name: string) =>
  new TwilioRefusal("invalidParameter", `The parameter ${meant} is misspelt: ${name.slice(0, 80)}.`);
