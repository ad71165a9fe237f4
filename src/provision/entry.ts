// What the steps that apply the entries of a provisioning file share.

import type { ConfigureDeps } from "#configure/resource.ts";
import type { Issue } from "#contract/issue.ts";
import { audit, provisioning } from "#identity/audit.ts";
import type { Log, Random } from "#runtime/runtime.ts";
import { type ProvisionMark, storeProvisionMark } from "#store/maintenance/provisioned.ts";
import type { ProvisionFile } from "./file.ts";

export interface Applied {
  errors: string[];
  /** What was generated here because the file does not contain it, to be shown once. */
  made: { what: string; secret: string }[];
}

export type ProvisionDeps = ConfigureDeps & { random: Random; showApiKeys: boolean; log: Log };
export type FileAccount = ProvisionFile["accounts"][number];

/** The digest of an entry that changed since it was last applied; null if nothing changed. */
export type Changed = (kind: string, name: string, entry: unknown) => ProvisionMark | null;

/** Errors of an entry, one line each, prefixed with its name. */
export const issueLines = (what: string, issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${what}: ${path.join(".")}: ${message}`);

/** Records that an entry was applied, and that this changed something. */
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
