// The errors of the endpoints that have the shape of Resend's.

import type { Problem } from "#contract/problem.ts";
import {
  nameOfStatus,
  type ResendErrorName,
  resendErrorBody,
  resendErrors,
} from "#contract/resend/errors.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import type { Reply } from "#http/reply/response.ts";

/** Ends a request with an error of Resend's. `status`: where it is not the usual one of the name. */
export class ResendRefusal extends ProblemError {
  readonly #fields: ConstructorParameters<typeof ResendRefusal>;

  constructor(
    name: ResendErrorName,
    message: string,
    status: number = resendErrors[name],
    headers: Record<string, string> = {},
  ) {
    super({ problem: true, status, headers, body: resendErrorBody(status, name, message) });
    this.#fields = [name, message, status, headers];
  }

  /** The refusal of the email at this index of a batch. */
  ofBatch(index: number): ResendRefusal {
    const [name, message, ...rest] = this.#fields;
    return new ResendRefusal(name, `emails.${index}: ${message}`, ...rest);
  }
}

/** A problem of any endpoint in Resend's shape, with its headers. */
export function inResendShape(answer: Problem): Reply {
  const { status, headers = {}, body } = answer;
  if ("statusCode" in body) return answer;
  const { message, error } = body as { message?: string; error?: string };
  const text = message ?? error ?? "The request was refused.";
  return { status, headers, body: resendErrorBody(status, nameOfStatus(status), text) };
}
