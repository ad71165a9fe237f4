// The recipients of mails to several: who they are, and what became of the mail to each. A row says only what differs from the message's
// own status. The message's status speaks for the whole mail: it ends when the last recipient's does, and it is the best of theirs.

import { sql } from "kysely";
import { advance, type ReceiptStep, type SystemStep } from "#contract/messages/states.ts";
import { readOperation, type Tx } from "#store/database.ts";
import type { LockedMessage } from "#store/messages/transitions.ts";
import type { MailRecipientsTable } from "#store/schema/email.ts";

export const recipientColumns = ["message_id", "position", "field", "address", "recipient"] as const;
export type NewMailRecipient = Pick<MailRecipientsTable, (typeof recipientColumns)[number]>;

/** A recipient as lookups show it. */
export type RecipientColumns = Pick<
  MailRecipientsTable,
  "field" | "address" | "status" | "error_code" | "error_message"
>;

/** Stores the recipients of mails to several. */
export async function insertRecipients(tx: Tx, recipients: readonly NewMailRecipient[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx.insert("mail_recipients", recipientColumns, [
    {
      constant: [],
      rows: recipients.map((row) => recipientColumns.map((column) => row[column])),
    },
  ]);
}

/** The recipients of these messages, by message, in order. */
export async function recipientsOf(
  tx: Tx,
  messageIds: readonly string[],
): Promise<Map<string, MailRecipientsTable[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await tx.db
    .selectFrom(tx.indexed("mail_recipients"))
    .selectAll()
    .where("message_id", "in", tx.list([...new Set(messageIds)]))
    .orderBy("message_id")
    .orderBy("position")
    .execute();
  return Map.groupBy(rows, ({ message_id }) => message_id);
}

/** A recipient of a mail that is about to be sent. */
export type OutgoingRecipient = Pick<MailRecipientsTable, "position" | "field" | "address" | "recipient"> & {
  /** 1: on the account's suppression list. */
  suppressed: number;
};

/** The recipients of a mail, and which of them are on the suppression list now. Empty for a mail to one. */
export const readRecipients = readOperation(
  "readRecipients",
  async (
    tx,
    { messageId, accountId }: { messageId: string; accountId: string },
  ): Promise<OutgoingRecipient[]> => {
    const rows = await tx.db
      .selectFrom(tx.indexed("mail_recipients"))
      .select(["position", "field", "address", "recipient"])
      .where("message_id", "=", messageId)
      .orderBy("position")
      .execute();
    if (rows.length === 0) return [];
    const listed = await tx.db
      .selectFrom(tx.indexed("suppressions"))
      .select("recipient")
      .where("account_id", "=", accountId)
      .where("channel", "=", "email")
      .where("recipient", "in", tx.list(rows.map(({ recipient }) => recipient)))
      .execute();
    const suppressed = new Set(listed.map(({ recipient }) => recipient));
    return rows.map((row) => ({ ...row, suppressed: suppressed.has(row.recipient) ? 1 : 0 }));
  },
);

/** A recipient whom an attempt did not reach, or whom the mail was not sent to. */
export interface LeftOut {
  position: number;
  /** Normalised. */
  recipient: string;
  status: "suppressed" | "failed";
  code: string;
  message: string;
}

type RecipientState = Pick<
  MailRecipientsTable,
  "message_id" | "position" | "status" | "error_code" | "error_message"
>;

/** Writes what became of single recipients. `unreported`: only of those of whom nothing is known yet. */
async function writeRecipients(
  tx: Tx,
  rows: readonly RecipientState[],
  { unreported = false } = {},
): Promise<void> {
  if (rows.length === 0) return;
  await tx.update(
    "mail_recipients",
    { message_id: "text", position: "bigint", status: "text", error_code: "text", error_message: "text" },
    rows.map(({ message_id, position, status, error_code, error_message }) => ({
      message_id,
      position,
      status,
      error_code,
      error_message,
    })),
    (of) => ({
      set: sql`status = ${of("status")}, error_code = ${of("error_code")}, error_message = ${of("error_message")}`,
      where: sql`mail_recipients.message_id = ${of("message_id")} and mail_recipients.position = ${of("position")}
        ${unreported ? sql`and mail_recipients.status is null` : sql``}`,
    }),
  );
}

/** Writes which recipients of mails to several were suppressed or refused, unless a report was faster. */
export async function noteLeftOut(
  tx: Tx,
  mails: readonly { id: string; step: SystemStep; leftOut?: readonly LeftOut[] }[],
): Promise<void> {
  // A deferred mail is tried again for all of its recipients.
  const settled = mails.filter(({ step }) => step === "accepted" || step === "rejected");
  const rows = settled.flatMap(({ id, leftOut = [] }) =>
    leftOut.map(({ position, status, code, message }) => ({
      message_id: id,
      position,
      status,
      error_code: code,
      error_message: message,
    })),
  );
  await writeRecipients(tx, rows, { unreported: true });
}

/** The recipients of locked messages while reports are applied to them. */
export class RecipientBatch {
  readonly #rows: ReadonlyMap<string, MailRecipientsTable[]>;
  readonly #changed = new Set<MailRecipientsTable>();

  private constructor(rows: ReadonlyMap<string, MailRecipientsTable[]>) {
    this.#rows = rows;
  }

  static async of(tx: Tx, messages: Iterable<LockedMessage>): Promise<RecipientBatch> {
    const mails = [...messages].filter(({ channel }) => channel === "email").map(({ id }) => id);
    return new RecipientBatch(await recipientsOf(tx, mails));
  }

  /** The recipients of a mail to several; null for any other message. */
  of(messageId: string): readonly MailRecipientsTable[] | null {
    return this.#rows.get(messageId) ?? null;
  }

  changed(row: MailRecipientsTable): void {
    this.#changed.add(row);
  }

  async write(tx: Tx): Promise<void> {
    await writeRecipients(tx, [...this.#changed]);
  }
}

/** What a report on one recipient means for the message. `entry`: the message's status stays, and its timeline gets a line. */
export type RecipientVerdict =
  | { kind: "step"; step: ReceiptStep; row: MailRecipientsTable | null }
  | { kind: "entry"; row: MailRecipientsTable | null };

/**
 * Applies a report to the recipient that it names, in `rows`, and returns what it means for the whole mail. A report that names no address is
 * certain about everyone only where it says that the provider sent the mail, or did not send it at all.
 */
export function applyToRecipient(
  rows: readonly MailRecipientsTable[],
  {
    step,
    recipient,
    code,
    message,
  }: { step: ReceiptStep; recipient: string | null; code: string | null; message: string | null },
): RecipientVerdict {
  const row = rows.find((one) => one.recipient === recipient);
  if (row === undefined)
    return recipient === null && (step === "sent" || step === "failed")
      ? { kind: "step", step, row: null }
      : { kind: "entry", row: null };
  if (step === "sent") return { kind: "step", step, row: null };
  const change = advance(row.status === "suppressed" ? "sent" : (row.status ?? "sent"), {
    by: "receipt",
    step,
  });
  if (change === null) return { kind: "entry", row };
  row.status = step === "read" ? "delivered" : step;
  row.error_code = change.error === "set" ? code : null;
  row.error_message = change.error === "set" ? message : null;
  return { kind: "step", step: stepOfAll(rows), row };
}

/** What the recipients together say about an accepted mail: it is `sent` until the last of them has ended, and then the best of theirs. */
export function stepOfAll(rows: readonly Pick<MailRecipientsTable, "status">[]): ReceiptStep {
  const states = rows.map(({ status }) => status);
  if (states.includes(null)) return "sent";
  return (
    (["delivered", "bounced", "undelivered"] as const).find((status) => states.includes(status)) ?? "failed"
  );
}
