// The reasons why a change of the configuration was not made.

import type { Issue } from "#contract/issue.ts";
import type { Overtaken } from "#store/revision.ts";

/** Why something was not created or changed. */
export type Refusal =
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "not_found" }
  /** Other changes were stored first, or the caller has seen an older revision. */
  | { kind: Overtaken }
  /** The current state of the resource does not allow the change. */
  | { kind: "conflict"; message: string }
  /** The provisioning file finds the resource by its name, so the name cannot change. */
  | { kind: "provisioned" };

/** The refusal of a value that must be unique but is not. */
export const taken = (field: string, message = "is taken"): Extract<Refusal, { kind: "invalid" }> => ({
  kind: "invalid",
  issues: [{ path: [field], message }],
});

/** The same for an entry of the provisioning file that repeatedly loses against concurrent changes. */
export const changedElsewhere = (field: string) => taken(field, "is being changed elsewhere");
