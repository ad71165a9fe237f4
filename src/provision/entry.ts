// What the steps that apply the entries of a provisioning file share.

import type { ConfigureDeps } from "#configure/resource.ts";
import type { Issue } from "#contract/issue.ts";
import { audit, provisioning } from "#identity/audit.ts";
import type { Log, Random } from "#runtime/runtime.ts";
import { type ProvisionMark, storeProvisionMark } from "#store/maintenance/provisioned.ts";
import type { ProvisionFile } from "./file.ts";

export interface Applied {
  errors: string[];
  /** What was made here because the file does not give it, to be shown once. */
  made: { what: string; secret: string }[];
}

export type ProvisionDeps = ConfigureDeps & { random: Random; showApiKeys: boolean; log: Log };
export type FileAccount = ProvisionFile["accounts"][number];

/** The mark of an entry that is not as it was when it was last applied; null: nothing changed. */
export type Changed = (kind: string, name: string, entry: unknown) => ProvisionMark | null;

/** Faults of an entry, one line each, behind what it is. */
export const issueLines = (what: string, issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${what}: ${path.join(".")}: ${message}`);

/** Remembers that an entry was applied, and that something was changed by it. */
export async function recordApplied(
  deps: ProvisionDeps,
  mark: ProvisionMark,
  action: string,
  accountId: string | null,
  target: string,
): Promise<void> {
  await deps.database.run(storeProvisionMark, mark);
  await audit(deps, { actor: provisioning, accountId, action, target });
}
