// An error with which code called by a handler ends the request.

import { type Problem, problem } from "#contract/problem.ts";

/** Thrown while a request is handled: the endpoint answers with the problem. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`The answer is a problem with the status ${problem.status}.`);
    this.problem = problem;
  }
}

/** The value, if there is one. Throws the problem `not_found` for null. */
export function orNotFound<T>(value: T | null | undefined): T {
  if (value == null) throw new ProblemError(problem("not_found"));
  return value;
}
