// Providers' reports. A receipt may come before our own record of the provider's reference: both sides
// write the same (gateway, reference) row, so the second of them finds the first.

import { sql } from "kysely";
import { byRank, type ReceiptStep, type ReportedStep, receiptSteps } from "#contract/messages/states.ts";
import { batchedOperation, type Tx } from "#store/database.ts";
import { RecipientBatch } from "#store/email/mail-recipients.ts";
import {
  type LockedMessage,
  lockMessages,
  TransitionBatch,
  type TransitionDetails,
} from "#store/messages/transitions.ts";
import type { ReceiptsTable, ReferencesTable } from "#store/schema/feedback.ts";
import { applyBounces, type BounceReport } from "./bounces.ts";
import { applyToMail } from "./mail-reports.ts";
import { awaitOtherParts } from "./partly-delivered.ts";
import { applyReturned, detailsOf, waitsForSettlement } from "./returned.ts";

export interface IncomingReceipt {
  gatewayId: string;
  /** A digest of the provider's report; the same key again has no effect. */
  key: string;
  reference: string | null;
  messageId: string | null;
  status: ReportedStep;
  code: string | null;
  reason: string | null;
  /** For a bounced email: what the bounce shows about the address; null if nothing. */
  bounce: "hard" | "soft" | null;
  /** For an email: the recipient that it is about, normalised; null if it names none. */
  recipient: string | null;
  /** By the provider's clock. */
  at: number | null;
  receivedAt: number;
}

/** Stores receipts and moves those messages that are known. `new`: seen for the first time. */
export const storeReceipts = batchedOperation(
  "storeReceipts",
  async (tx, incoming: readonly IncomingReceipt[]): Promise<("new" | "repeated")[]> => {
    const unique = [
      ...new Map(incoming.map((receipt) => [`${receipt.gatewayId} ${receipt.key}`, receipt])).values(),
    ];
    const inserted = await tx.db
      .insertInto("receipts")
      .expression(
        sql<never>`select gateway_id, key, reference, message_id, status, code, reason, at, received_at, 0, bounce, recipient from ${tx.rows(
          "incoming",
          {
            gateway_id: "text",
            key: "text",
            reference: "text",
            message_id: "text",
            status: "text",
            code: "text",
            reason: "text",
            at: "bigint",
            received_at: "bigint",
            bounce: "text",
            recipient: "text",
          },
          unique.map((receipt) => ({
            gateway_id: receipt.gatewayId,
            key: receipt.key,
            reference: receipt.reference,
            message_id: null,
            status: receipt.status,
            code: receipt.code,
            reason: receipt.reason,
            at: receipt.at,
            received_at: receipt.receivedAt,
            bounce: receipt.bounce,
            recipient: receipt.recipient,
          })),
        )} where true`,
      )
      .onConflict((conflict) => conflict.columns(["gateway_id", "key"]).doNothing())
      .returning(["gateway_id", "key"])
      .execute();
    const fresh = new Set(inserted.map((row) => `${row.gateway_id} ${row.key}`));
    const isNew = (receipt: IncomingReceipt) => fresh.has(`${receipt.gatewayId} ${receipt.key}`);
    const mine = unique.filter(isNew);
    if (mine.length > 0) await applyFresh(tx, mine);
    return incoming.map((receipt) => (isNew(receipt) ? "new" : "repeated"));
  },
);

/** A report that is about to be applied to its message. */
export interface PendingReceipt {
  step: ReportedStep;
  details: TransitionDetails;
  bounce: "hard" | "soft" | null;
  recipient?: string | null;
}

/** Applies the report to the message; returns what it shows about the address, if anything. */
export async function applyReported(
  tx: Tx,
  changes: TransitionBatch,
  row: LockedMessage,
  { step, ...receipt }: Omit<PendingReceipt, "bounce"> & { bounce?: PendingReceipt["bounce"] },
  recipients: RecipientBatch,
): Promise<BounceReport[]> {
  const several = recipients.of(row.id);
  if (step !== "returned" && several !== null)
    return applyToMail(changes, row, { ...receipt, step }, several, recipients);
  if (step !== "returned") return applyReceipt(changes, row, { ...receipt, step });
  await applyReturned(tx, changes, row, receipt.details);
  return [];
}

/** Like `applyReported`, for a provider whose messages do not come back. */
export function applyReceipt(
  changes: TransitionBatch,
  row: LockedMessage,
  {
    step,
    details,
    bounce,
  }: { step: ReceiptStep; details: TransitionDetails; bounce?: PendingReceipt["bounce"] },
): BounceReport[] {
  const moved = changes.apply(row, { by: "receipt", step }, details);
  // A message without an attempt was never sent, so the report cannot be about it.
  if (row.channel !== "email" || row.attempts === 0) return [];
  const { at, detail } = details;
  const report = { message: row, at, note: detail };
  // A delivery shows that the address is good, and a hard bounce that it is not; earlier reports do not change that.
  if (step === "delivered" || step === "read") return [{ ...report, verdict: "reached" }];
  if (step !== "bounced" || !bounce) return [];
  return bounce === "hard" || moved ? [{ ...report, verdict: bounce }] : [];
}

async function applyFresh(tx: Tx, receipts: readonly IncomingReceipt[]): Promise<void> {
  const byReference = await upsertReferences(
    tx,
    receipts.flatMap(({ gatewayId, reference, receivedAt }) =>
      reference === null
        ? []
        : [{ gateway_id: gatewayId, reference, message_id: null, parts: 1, created_at: receivedAt }],
    ),
  );
  const referenceOf = (receipt: IncomingReceipt) =>
    byReference.get(`${receipt.gatewayId} ${receipt.reference}`);
  const target = (receipt: IncomingReceipt) => referenceOf(receipt)?.messageId ?? receipt.messageId;
  const ids = receipts.map(target).filter((id) => id !== null);
  const owners = new Map<string, string>();
  if (ids.length > 0) {
    const rows = await tx.db
      .selectFrom(tx.indexed("messages"))
      .select(["id", "gateway_id"])
      .where("id", "in", tx.list([...new Set(ids)]))
      .execute();
    for (const row of rows) owners.set(row.id, row.gateway_id);
  }
  // A callback speaks only for messages of its own gateway, even when it carries another id.
  const known = receipts.filter((receipt) => {
    const id = target(receipt);
    return id !== null && owners.get(id) === receipt.gatewayId;
  });
  // A report that carries our id links its reference to the message, for reports that carry the reference alone.
  const learned = known.flatMap(({ gatewayId, reference, messageId, receivedAt }) =>
    reference === null || messageId === null || byReference.has(`${gatewayId} ${reference}`)
      ? []
      : [{ gateway_id: gatewayId, reference, message_id: messageId, parts: 1, created_at: receivedAt }],
  );
  const stored = await upsertReferences(tx, learned);
  const rows = await lockMessages(
    tx,
    known.map((receipt) => target(receipt) as string),
  );
  // After the messages are locked: a settlement has taken what waited for it, or finds it.
  const waiting = await takeWaiting(tx, learned, stored, rows);
  // As above: of two transactions with one part each, the second sees the receipt of the first.
  const inParts = known.flatMap((receipt) => {
    const known = referenceOf(receipt);
    if (known === undefined || known.parts < 2 || !deliveredStates.includes(receipt.status)) return [];
    return [{ ...known, reference: receipt.reference }];
  });
  const incomplete = await undeliveredParts(tx, inParts);
  const changes = new TransitionBatch();
  const recipients = await RecipientBatch.of(tx, rows.values());
  const reports: BounceReport[] = [];
  const partly = new Set<string>();
  const returned = await returnedReferences(tx, rows);
  const apply = async (row: LockedMessage, reference: string | null, pending: PendingReceipt) => {
    const transmission = `${row.id} ${reference}`;
    // A report on a transmission that came back says nothing about the next one, unless it was delivered after all.
    if (returned.has(transmission) && !deliveredStates.includes(pending.step)) return;
    if (pending.step === "returned") returned.add(transmission);
    reports.push(...(await applyReported(tx, changes, row, pending, recipients)));
  };
  for (const [id, receipts] of waiting) {
    const row = rows.get(id);
    if (row) for (const receipt of receipts) await apply(row, receipt.details.reference ?? null, receipt);
  }
  const left = new Set<IncomingReceipt>();
  for (const receipt of known) {
    const row = rows.get(target(receipt) as string);
    if (!row) continue;
    if (waitsForSettlement(row, receipt)) {
      left.add(receipt);
      continue;
    }
    const details = detailsOf({
      received_at: receipt.receivedAt,
      status: receipt.status,
      code: receipt.code,
      reason: receipt.reason,
    });
    const reference = row.provider_reference ?? receipt.reference;
    const isPartial = deliveredStates.includes(receipt.status) && incomplete.has(row.id);
    if (isPartial) partly.add(row.id);
    const step = isPartial ? "sent" : receipt.status;
    const { bounce, recipient } = receipt;
    await apply(row, receipt.reference, { step, details: { ...details, reference }, bounce, recipient });
  }
  await changes.write(tx);
  await recipients.write(tx);
  await awaitOtherParts(tx, partly, Math.max(...receipts.map(({ receivedAt }) => receivedAt)));
  await applyBounces(tx, reports);
  if (known.length === 0) return;
  await tx.update(
    "receipts",
    { gateway_id: "text", key: "text", message_id: "text", applied: "bigint" },
    known.map((receipt) => ({
      gateway_id: receipt.gatewayId,
      key: receipt.key,
      message_id: target(receipt),
      applied: left.has(receipt) ? 0 : 1,
    })),
    (of) => ({
      set: sql`applied = ${of("applied")}, message_id = ${of("message_id")}`,
      where: sql`receipts.gateway_id = ${of("gateway_id")} and receipts.key = ${of("key")}`,
    }),
  );
}

const deliveredStates: readonly string[] = ["delivered", "read"] satisfies ReportedStep[];
const reportedSteps: readonly ReportedStep[] = [...receiptSteps, "returned"];
const stepOf = ({ status }: ReceiptsTable) => reportedSteps.find((known) => known === status);

/** As they arrived. Those of one millisecond are in the order of the provider's clock, then of what they say. */
function byArrival(a: ReceiptsTable, b: ReceiptsTable): number {
  const between = a.received_at - b.received_at || (a.at ?? a.received_at) - (b.at ?? b.received_at);
  return between || byRank(stepOf(a) ?? "sent", stepOf(b) ?? "sent");
}

/** The transmissions that came back, for messages that were sent more than once, as `message reference`. */
export async function returnedReferences(
  tx: Tx,
  rows: ReadonlyMap<string, LockedMessage>,
): Promise<Set<string>> {
  const ids = [...rows.values()].filter(({ resends }) => resends > 0).map(({ id }) => id);
  if (ids.length === 0) return new Set();
  const found = await tx.db
    .selectFrom(tx.indexed("receipts", "receipts_message"))
    .select(["message_id", "reference"])
    .where("message_id", "in", tx.list(ids))
    .where("status", "=", "returned")
    .where("applied", "=", 1)
    .execute();
  return new Set(found.map(({ message_id, reference }) => `${message_id} ${reference}`));
}

/** The message of a reference, and how many of its references must be delivered before it counts as delivered. */
interface StoredReference {
  messageId: string;
  parts: number;
}

/** The messages of which a part has not been reported as delivered, these receipts included. */
async function undeliveredParts(
  tx: Tx,
  receipts: readonly (StoredReference & { reference: string | null })[],
): Promise<ReadonlySet<string>> {
  if (receipts.length === 0) return new Set();
  const delivered = new Map<string, { parts: number; references: Set<string> }>();
  for (const { messageId, parts, reference } of receipts) {
    const known = delivered.get(messageId) ?? { parts, references: new Set() };
    if (reference !== null) known.references.add(reference);
    delivered.set(messageId, known);
  }
  const before = await tx.db
    .selectFrom(tx.indexed("receipts", "receipts_message"))
    .select(["message_id", "reference"])
    .where("message_id", "in", tx.list([...delivered.keys()]))
    .where("status", "in", [...deliveredStates])
    .execute();
  for (const { message_id, reference } of before)
    if (message_id !== null && reference !== null) delivered.get(message_id)?.references.add(reference);
  return new Set(
    [...delivered].filter(([, { parts, references }]) => references.size < parts).map(([id]) => id),
  );
}

/** Inserts reference rows or completes existing ones. Returns the message of each reference, where one is known. */
async function upsertReferences(
  tx: Tx,
  references: readonly ReferencesTable[],
): Promise<Map<string, StoredReference>> {
  if (references.length === 0) return new Map();
  const unique = new Map(references.map((row) => [`${row.gateway_id} ${row.reference}`, row]));
  const sorted = [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const rows = tx.rows(
    "requested",
    { gateway_id: "text", reference: "text", message_id: "text", parts: "bigint", created_at: "bigint" },
    sorted,
  );
  const result = await sql<Omit<ReferencesTable, "created_at">>`
    insert into message_references (gateway_id, reference, message_id, parts, created_at)
    select gateway_id, reference, message_id, parts, created_at from ${rows} where true
    on conflict (gateway_id, reference) do update
      set message_id = coalesce(message_references.message_id, excluded.message_id),
        parts = case when message_references.message_id is null then excluded.parts else message_references.parts end
    returning gateway_id, reference, message_id, parts
  `.execute(tx.db);
  const known = new Map<string, StoredReference>();
  for (const { gateway_id, reference, message_id, parts } of result.rows)
    if (message_id !== null) known.set(`${gateway_id} ${reference}`, { messageId: message_id, parts });
  return known;
}

/** Attaches references to their messages and returns, by message, the receipts that arrived before them. */
export async function attachReferences(
  tx: Tx,
  references: readonly (ReferencesTable & { message_id: string })[],
): Promise<Map<string, PendingReceipt[]>> {
  return await takeWaiting(tx, references, await upsertReferences(tx, references), new Map());
}

/** Takes the receipts that wait for references, whose messages are `known`. `rows`: messages that are locked and not being settled. */
async function takeWaiting(
  tx: Tx,
  references: readonly ReferencesTable[],
  known: ReadonlyMap<string, StoredReference>,
  rows: ReadonlyMap<string, LockedMessage>,
): Promise<Map<string, PendingReceipt[]>> {
  const early = new Map<string, PendingReceipt[]>();
  if (references.length === 0) return early;
  const requested = tx.rows("requested", { gateway_id: "text", reference: "text" }, references);
  const waiting = await sql<ReceiptsTable>`
    select * from ${tx.indexed("receipts", "receipts_waiting")}
    where applied = 0 and (gateway_id, reference) in (select gateway_id, reference from ${requested})
  `.execute(tx.db);
  const ordered = waiting.rows.toSorted(byArrival);
  const referenceOf = (receipt: ReceiptsTable) => known.get(`${receipt.gateway_id} ${receipt.reference}`);
  const incomplete = await undeliveredParts(
    tx,
    ordered.flatMap((receipt) => {
      const known = referenceOf(receipt);
      if (known === undefined || known.parts < 2 || !deliveredStates.includes(receipt.status)) return [];
      return [{ ...known, reference: receipt.reference }];
    }),
  );
  for (const receipt of ordered) {
    const messageId = referenceOf(receipt)?.messageId;
    if (messageId === undefined) continue;
    const row = rows.get(messageId);
    if (row && waitsForSettlement(row, receipt)) continue;
    const list = early.get(messageId) ?? [];
    const isPartial = deliveredStates.includes(receipt.status) && incomplete.has(messageId);
    const step = isPartial ? "sent" : stepOf(receipt);
    const details = { ...detailsOf(receipt), reference: receipt.reference };
    if (step) list.push({ step, details, bounce: receipt.bounce, recipient: receipt.recipient });
    if (isPartial) await awaitOtherParts(tx, new Set([messageId]), receipt.received_at);
    early.set(messageId, list);
    await tx.db
      .updateTable("receipts")
      .set({ applied: 1, message_id: messageId })
      .where("gateway_id", "=", receipt.gateway_id)
      .where("key", "=", receipt.key)
      .execute();
  }
  // Other reports on a transmission that came back no longer count, unless it was delivered after all.
  for (const [id, list] of early)
    if (list.some(({ step }) => step === "returned"))
      early.set(
        id,
        list.filter(({ step }) => step === "returned" || deliveredStates.includes(step)),
      );
  return early;
}
