// The audit log: who changed what. The gate of the management API writes an entry for every route; code that makes changes
// without it (the provisioning file, the command line) calls `audit` itself. Entries hold no values, which may be secret.

import type { Core } from "#core/core.ts";
import { finishAuditEntry, insertAuditEntry } from "#store/identity/audit.ts";
import type { AuditEntriesTable } from "#store/schema/identity.ts";
import { commandLinePrincipal, type Principal } from "./principal.ts";

interface Actor {
  kind: AuditEntriesTable["actor_kind"];
  id: string | null;
  name: string;
}

export const provisioning: Actor = { kind: "provisioning", id: null, name: "provisioning file" };
export const commandLine: Actor = { kind: "command_line", id: null, name: commandLinePrincipal.name };

interface AuditEntry {
  actor: Actor;
  accountId?: string | null;
  /** The operation's name, such as `updateGateway`. */
  action: string;
  /** Ids of the changed objects. */
  target?: string | null;
  /** Names of the fields in the request. */
  fields?: readonly string[];
  /** `done`, the HTTP status, `refused`, … */
  outcome?: string;
}

export type AuditDeps = Pick<Core, "clock" | "database" | "newId">;

/** Longer than any name that the API accepts; what an unknown caller typed is truncated to it. */
const maxNameLength = 100;
const maxTargetLength = 200;

export function actorOf(principal: Principal): Actor {
  if (principal.kind === "command_line") return commandLine;
  return { kind: principal.kind, id: principal.id, name: principal.name };
}

/** Stores an entry and returns its id. The default `outcome` is `done`. */
export async function audit(deps: AuditDeps, entry: AuditEntry): Promise<string> {
  const row = auditEntryRow(deps, entry);
  await deps.database.run(insertAuditEntry, row);
  return row.id;
}

/** An entry as it is stored, for operations that store it in the transaction of the change. */
export function auditEntryRow(
  deps: Pick<AuditDeps, "clock" | "newId">,
  entry: AuditEntry,
): AuditEntriesTable {
  return {
    id: deps.newId("aud"),
    at: deps.clock.now(),
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id,
    actor_name: printable(entry.actor.name, maxNameLength),
    account_id: entry.accountId ?? null,
    action: entry.action,
    target: entry.target == null ? null : printable(entry.target, maxTargetLength),
    detail: JSON.stringify(entry.fields === undefined ? {} : { fields: entry.fields }),
    outcome: entry.outcome ?? "done",
  };
}

/** Stores the outcome of an entry that was written as `started`. `createdId`: the id of the created object. */
export async function auditOutcome(
  deps: Pick<AuditDeps, "database">,
  id: string,
  outcome: string,
  createdId: string | null = null,
): Promise<void> {
  await deps.database.run(finishAuditEntry, {
    id,
    outcome,
    createdId: createdId === null ? null : printable(createdId, maxTargetLength),
  });
}

/** PostgreSQL stores no NUL, and control characters could forge lines of a log. `maxLength`: in code points. */
function printable(text: string, maxLength: number): string {
  const clean = text.replace(/[\x00-\x1f\x7f]/g, " ").toWellFormed();
  return [...clean.slice(0, maxLength * 2)].slice(0, maxLength).join("");
}
