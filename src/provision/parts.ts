// What the parts of applying a provisioning file share.

import type { ConfigureParts } from "#configure/gateway.ts";
import type { Issue } from "#contract/issue.ts";
import { audit, provisioning } from "#identity/audit.ts";
import type { Log, Random } from "#runtime/runtime.ts";
import { type ProvisionMark, storeProvisionMark } from "#store/maintenance/provisioned.ts";
import type { ProvisionFile } from "./file.ts";

export interface Applied {
  faults: string[];
  /** What was made here because the file does not give it, to be shown once. */
  made: { what: string; secret: string }[];
}

export type ProvisionParts = ConfigureParts & { random: Random; showApiKeys: boolean; log: Log };
export type FileAccount = ProvisionFile["accounts"][number];

/** The mark of an entry that is not as it was when it was last applied; null: nothing changed. */
export type Changed = (kind: string, name: string, entry: unknown) => ProvisionMark | null;

/** Faults of an entry, one line each, behind what it is. */
export const told = (what: string, issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${what}: ${path.join(".")}: ${message}`);

/** Remembers that an entry was applied, and that something was changed by it. */
export async function done(
  parts: ProvisionParts,
  mark: ProvisionMark,
  action: string,
  accountId: string | null,
  target: string,
): Promise<void> {
  await parts.database.run(storeProvisionMark, mark);
  await audit(parts, { actor: provisioning, accountId, action, target });
}
