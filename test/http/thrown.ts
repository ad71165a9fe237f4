// The problem that code below an endpoint throws.

import assert from "node:assert/strict";
import type { Problem } from "#contract/problem.ts";
import { ProblemError } from "#http/reply/problem-error.ts";

/** The problem that `work` throws; fails if it throws none. */
export function thrownProblem(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  assert.fail("Nothing was thrown.");
}
