// The names of gateways, including deleted ones: messages name their gateway for as long as they are kept.

import { sql } from "kysely";
import { readOperation, type Tx } from "#store/database.ts";

/**
 * The name of the gateway whose id is in a column. Not by a join: SQLite chooses the order of a join, and the index of each table, by
 * statistics; a single table it always looks up by its whole key.
 */
export const nameOfGateway = (column: "messages.gateway_id" | "inbound_messages.gateway_id") =>
  sql<string>`coalesce(
    (select gateways.identifier from gateways where gateways.id = ${sql.ref(column)}),
    (select deleted_gateways.identifier from deleted_gateways where deleted_gateways.id = ${sql.ref(column)}), ''
  )`.as("identifier");

/** The kind of the gateway whose id is in `message_counts.gateway_id`, in the same way; empty once it is forgotten. */
export const kindOfGateway = sql<string>`coalesce(
    (select gateways.kind from gateways where gateways.id = message_counts.gateway_id),
    (select deleted_gateways.kind from deleted_gateways where deleted_gateways.id = message_counts.gateway_id), ''
  )`.as("kind");

/**
 * The identifiers of an account's gateways by id, and their kinds. Deleted ones come last, the last one deleted first: a name may have been given to a new
 * gateway since.
 */
export const readGatewayNames = readOperation("readGatewayNames", readNames);

/** The same inside a transaction. */
export async function readNames(
  tx: Tx,
  accountId: string,
): Promise<[id: string, identifier: string, kind: string][]> {
  const rows = await tx.db
    .selectFrom(tx.indexed("gateways", "gateways_account"))
    .select(["id", "identifier", "kind"])
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
  const gone = await tx.db
    .selectFrom(tx.indexed("deleted_gateways", "deleted_gateways_account"))
    .select(["id", "identifier", "kind"])
    .where("account_id", "=", accountId)
    .orderBy("deleted_at", "desc")
    .orderBy("id")
    .execute();
  return [...rows, ...gone].map(({ id, identifier, kind }) => [id, identifier, kind]);
}
