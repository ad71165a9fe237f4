// Writing down who changed what. The gate of the management API does it for every route; what changes things
// past it (the provisioning file, the command line) calls `audit` itself. Values never go in, they may be secrets.

import type { Core } from "#core/core.ts";
import { finishAudit, insertAudit } from "#store/identity/audit.ts";
import type { AuditEntriesTable } from "#store/schema/identity.ts";
import type { Principal } from "./principal.ts";

export interface Actor {
  kind: AuditEntriesTable["actor_kind"];
  id: string | null;
  name: string;
}

export const provisioning: Actor = { kind: "provisioning", id: null, name: "provisioning file" };
export const commandLine: Actor = { kind: "command_line", id: null, name: "command line" };

export interface AuditEntry {
  actor: Actor;
  accountId?: string | null;
  /** The operation's name, such as `updateGateway`. */
  action: string;
  /** Ids of what it was done to. */
  target?: string | null;
  /** Names of the fields that were given. */
  fields?: readonly string[];
  /** `done`, the status of the answer, `refused`, … */
  outcome?: string;
}

export type AuditParts = Pick<Core, "clock" | "database" | "newId">;

/** Long enough for any name of ours; what strangers typed is cut to it. */
const longestName = 100;

export function actorOf(principal: Principal): Actor {
  return { kind: principal.kind, id: principal.id, name: principal.name };
}

/** Writes an entry down and returns its id. Without an `outcome` it is `done`. */
export async function audit(parts: AuditParts, entry: AuditEntry): Promise<string> {
  const row = auditEntryRow(parts, entry);
  await parts.database.run(insertAudit, row);
  return row.id;
}

/** An entry as it is stored, for those who store it together with what it tells of. */
export function auditEntryRow(
  parts: Pick<AuditParts, "clock" | "newId">,
  entry: AuditEntry,
): AuditEntriesTable {
  return {
    id: parts.newId("aud"),
    at: parts.clock.now(),
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id,
    actor_name: printable(entry.actor.name, longestName),
    account_id: entry.accountId ?? null,
    action: entry.action,
    target: entry.target == null ? null : printable(entry.target, 200),
    detail: JSON.stringify(entry.fields === undefined ? {} : { fields: entry.fields }),
    outcome: entry.outcome ?? "done",
  };
}

/** How what was written down as `started` has ended. `made`: the id of what came of it. */
export async function auditOutcome(
  parts: Pick<AuditParts, "database">,
  id: string,
  outcome: string,
  made: string | null = null,
): Promise<void> {
  await parts.database.run(finishAudit, {
    id,
    outcome,
    made: made === null ? null : printable(made, 200),
  });
}

/** PostgreSQL takes no NUL, and control characters have no place in a log. */
function printable(text: string, longest: number): string {
  const clean = text.replace(/[\x00-\x1f\x7f]/g, " ").toWellFormed();
  return [...clean.slice(0, longest * 2)].slice(0, longest).join("");
}
