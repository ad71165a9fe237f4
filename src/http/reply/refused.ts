// The replies to a creation or a change that was not made.

import type { Refusal } from "#configure/changes.ts";
import { type Problem, problem, validationFailed } from "#contract/problem.ts";

/**
 * A value that is already in use is a 422 with its field, like other invalid values; a 409 means that the current state does not allow the
 * change.
 */
export function refused(result: Refusal): Problem {
  switch (result.kind) {
    case "invalid":
      return validationFailed(result.issues);
    case "not_found":
      return problem("not_found");
    case "conflict":
      return problem("conflict", { message: result.message });
    case "overtaken":
      return problem("conflict", {
        message:
          "Another change was made first, so this one was not. Read the resource again, and repeat the change.",
      });
    case "provisioned":
      return problem("conflict", {
        message: "The provisioning file finds the resource by its name, so the name cannot be changed here.",
      });
  }
}
