// What the provisioning file last set, so that only changes of the file are applied again; and facts about the installation.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { type SaveGatewayResult, storeGateway } from "#store/gateways/gateways.ts";
import { storeAuditEntries } from "#store/identity/audit.ts";
import type { AuditEntriesTable } from "#store/schema/identity.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { type NewEndpoint, storeEndpoint } from "#store/webhooks/endpoints.ts";

/** The digest of a file's entry when it was last applied. */
export interface ProvisionMark {
  kind: string;
  name: string;
  hash: string;
}

export const readProvisionMarks = readOperation("readProvisionMarks", async (tx, _: null) => {
  const rows = await tx.db.selectFrom("provisioned").selectAll().execute();
  return new Map(rows.map((row) => [`${row.kind} ${row.name}`, row.hash]));
});

export const storeProvisionMark = writeOperation("storeProvisionMark", async (tx, mark: ProvisionMark) =>
  storeMarks(tx, [mark]),
);

async function storeMarks(tx: Tx, marks: readonly ProvisionMark[]): Promise<void> {
  await tx.db
    .insertInto("provisioned")
    .values(marks)
    .onConflict((conflict) =>
      conflict.columns(["kind", "name"]).doUpdateSet((eb) => ({ hash: eb.ref("excluded.hash") })),
    )
    .execute();
}

/** A gateway or a new endpoint of the file, with its entry for the audit log. */
export interface ProvisionedEntry {
  save: { kind: "gateway"; row: GatewaysTable } | ({ kind: "endpoint" } & NewEndpoint);
  mark: ProvisionMark;
  audit: AuditEntriesTable;
}

/** The outcome for an entry; only one that is `saved` is recorded. */
export type SaveEntryResult = SaveGatewayResult | "url_taken" | "too_many";

/**
 * Saves entries in their order, each with its digest and its audit entry, in one transaction: a file of 5,000 gateways then takes some
 * dozen flushes of the disk instead of 15,000. Returns the outcome of each.
 */
export const saveProvisioned = writeOperation(
  "saveProvisioned",
  async (tx, entries: readonly ProvisionedEntry[]): Promise<SaveEntryResult[]> => {
    const outcomes: SaveEntryResult[] = [];
    for (const { save } of entries) outcomes.push(await saveEntry(tx, save));
    const saved = entries.filter((_, i) => outcomes[i] === "saved");
    if (saved.length === 0) return outcomes;
    await storeMarks(
      tx,
      saved.map(({ mark }) => mark),
    );
    await storeAuditEntries(
      tx,
      saved.map(({ audit }) => audit),
    );
    return outcomes;
  },
);

async function saveEntry(tx: Tx, save: ProvisionedEntry["save"]): Promise<SaveEntryResult> {
  if (save.kind === "gateway") return await storeGateway(tx, save.row);
  const { kind } = await storeEndpoint(tx, save);
  return kind === "created" ? "saved" : kind;
}

/** Stores the value unless the name already has one, and returns the stored value. */
export const getOrSetFact = writeOperation(
  "getOrSetFact",
  async (tx, input: { name: string; value: string }) => {
    await tx.db
      .insertInto("installation_facts")
      .values(input)
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    const row = await tx.db
      .selectFrom("installation_facts")
      .select("value")
      .where("name", "=", input.name)
      .executeTakeFirstOrThrow();
    return row.value;
  },
);
