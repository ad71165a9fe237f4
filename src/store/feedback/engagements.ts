// What recipients do with a mail, and early reports of receiving servers: counted, written into the timeline, recorded as events, and
// applied to the suppression list if a recipient wants no more mail. Providers repeat their callbacks, so a repetition has no effect; a
// message's timeline stays short even with many of them.

import { sql } from "kysely";
import { batchedOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";
import { RecipientBatch } from "#store/email/mail-recipients.ts";
import { identifierOfGateway } from "#store/messages/lookup.ts";
import { type LockedMessage, lockMessages, TransitionBatch } from "#store/messages/transitions.ts";
import type { EmailsTable } from "#store/schema/email.ts";
import type { EngagementData } from "#store/webhooks/outbox.ts";
import { type NewSuppression, suppress } from "./bounces.ts";

export type EngagementKind = "opened" | "clicked" | "complained" | "unsubscribed" | "deferred";

export interface IncomingEngagement {
  /** The gateway whose provider reported it; null for our own signed link, whichever gateway sent the mail. */
  gatewayId: string | null;
  kind: EngagementKind;
  /** Null if unknown; then the reference identifies the message. */
  messageId: string | null;
  reference: string | null;
  /** Identifies the engagement among those of the message; null if each one counts, as loads of our own pixel do. */
  key: string | null;
  /** How many equal ones are reported together. */
  count: number;
  /** When it happened, epoch ms; by the provider's clock if it is known. */
  at: number;
  receivedAt: number;
  machine: boolean;
  url: string | null;
  userAgent: string | null;
  ip: string | null;
  reason: string | null;
  /** Whose mail it was, normalised; null if unknown. */
  recipient: string | null;
}

/** `unknown`: no sent email of that gateway has this id or reference. */
export type StoredEngagement = "new" | "repeated" | "unknown";

/** A pixel that is loaded this soon after sending was loaded by the receiving server's scanner. */
const prefetchMs = 10_000;
/** The first of each kind become timeline entries and events; later ones are only counted. */
const linesOfKind = 20;
/** Kinds without a counter get no entries once the timeline is this long. */
const maxTimelineLength = 200;

/** Stores engagements, and what follows from them. */
export const storeEngagements = batchedOperation(
  "storeEngagements",
  async (tx, incoming: readonly IncomingEngagement[]): Promise<StoredEngagement[]> => {
    const byReference = await messagesOf(tx, incoming);
    const idOf = ({ gatewayId, reference, messageId }: IncomingEngagement) =>
      byReference.get(`${gatewayId} ${reference}`) ?? messageId;
    const locked = await lockMessages(
      tx,
      incoming.map(idOf).filter((id) => id !== null),
    );
    const rows = incoming.map((report) => {
      const row = locked.get(idOf(report) ?? "");
      const fromItsGateway = row && (report.gatewayId === null || report.gatewayId === row.gateway_id);
      // A message without an attempt was never sent, so it cannot have been opened.
      return fromItsGateway && row.channel === "email" && row.attempts > 0 ? row : null;
    });
    const mails = await mailsOf(
      tx,
      rows.filter((row) => row !== null),
    );
    const fresh = await rememberKeys(tx, incoming, rows);
    const optingOut = rows.filter((row, i) => row !== null && reasons[incoming[i]!.kind] !== undefined);
    const recipients = await RecipientBatch.of(
      tx,
      optingOut.filter((row) => row !== null),
    );
    const changes = new TransitionBatch();
    const unwanted: NewSuppression[] = [];
    const results = incoming.map((report, i): StoredEngagement => {
      const row = rows[i];
      const mail = row && mails.get(row.id);
      if (!row || !mail) return "unknown";
      if (report.key !== null && !fresh.delete(`${row.id} ${report.key}`)) return "repeated";
      take(changes, row, mail, report);
      const reason = reasons[report.kind];
      const several = recipients.of(row.id);
      // Of several recipients, only one who is named is known to want no more mail.
      const recipient =
        several === null
          ? row.recipient
          : several.find((one) => one.recipient === report.recipient)?.recipient;
      if (reason !== undefined && recipient !== undefined) {
        const { account_id } = row;
        unwanted.push({
          account_id,
          recipient,
          reason,
          note: report.reason,
          created_at: report.receivedAt,
        });
      }
      return "new";
    });
    await changes.write(tx);
    await writeMails(tx, mails);
    await suppress(tx, unwanted);
    return results;
  },
);

const reasons: Partial<Record<EngagementKind, NewSuppression["reason"]>> = {
  complained: "complaint",
  unsubscribed: "unsubscribe",
};

/** Increments the counter in the mail's row, and adds a timeline entry while there are few. */
function take(changes: TransitionBatch, row: LockedMessage, mail: Mail, report: IncomingEngagement): void {
  const { kind, count, receivedAt } = report;
  // A provider's clock may be wrong, but nothing can happen before the message existed or after it was reported.
  const at = Math.min(Math.max(report.at, row.created_at), receivedAt);
  // While being sent or a moment later: a provider's answer, and so `sent_at`, may come after the first load.
  const early = row.sent_at === null ? row.status === "sending" : at - row.sent_at < prefetchMs;
  const machine = (kind === "opened" || kind === "clicked") && (report.machine || early);
  let before = 0;
  mail.changed = true;
  if (kind === "opened" && machine) {
    before = mail.machine_opens;
    mail.machine_opens += count;
  } else if (kind === "opened") {
    before = mail.open_count;
    mail.open_count += count;
    mail.opened_at = Math.min(mail.opened_at ?? at, at);
  } else if (kind === "clicked" && !machine) {
    before = mail.click_count;
    mail.click_count += count;
    mail.clicked_at = Math.min(mail.clicked_at ?? at, at);
  } else if (kind === "complained") {
    mail.complained_at ??= receivedAt;
  }
  if (before >= linesOfKind) return;
  const counted = kind === "opened" || (kind === "clicked" && !machine);
  if (!counted && row.version >= maxTimelineLength && kind !== "complained" && kind !== "unsubscribed")
    return;
  const { url, userAgent: user_agent, ip, reason } = report;
  const engagement = { at: new Date(at).toISOString(), machine, url, user_agent, ip, reason };
  const data: EngagementData = { engagement, opened_at: mail.opened_at, open_count: mail.open_count };
  const detail = detailOf(report, machine);
  changes.addTimelineEntry(row, kind, { at: receivedAt, detail }, kind in reportedKinds ? data : null);
}

/** The kinds that become webhook events; the others are in the timeline only. */
const reportedKinds = { opened: true, clicked: true, complained: true };

function detailOf({ kind, url, userAgent, reason }: IncomingEngagement, machine: boolean): string {
  const by = userAgent === null ? "" : ` (${userAgent.slice(0, 120)})`;
  switch (kind) {
    case "opened":
      return machine ? `Loaded by a machine${by}.` : "";
    case "clicked":
      return `${machine ? `Followed by a machine${by}` : "Followed"}${url === null ? "." : `: ${url.slice(0, 300)}`}`;
    case "complained":
      return reason ?? "The recipient reported it as spam.";
    case "unsubscribed":
      return "The recipient wants no more mail.";
    case "deferred":
      return reason ?? "The receiving server asks to wait.";
  }
}

async function messagesOf(
  tx: Tx,
  incoming: readonly IncomingEngagement[],
): Promise<ReadonlyMap<string, string>> {
  const references = incoming.flatMap(({ gatewayId, reference }) =>
    gatewayId === null || reference === null ? [] : [{ gateway_id: gatewayId, reference }],
  );
  if (references.length === 0) return new Map();
  const named = tx.rows("requested", { gateway_id: "text", reference: "text" }, references);
  const { rows } = await sql<{ gateway_id: string; reference: string; message_id: string }>`
    select gateway_id, reference, message_id from ${tx.indexed("message_references")}
    where (gateway_id, reference) in (select gateway_id, reference from ${named}) and message_id is not null
  `.execute(tx.db);
  return new Map(rows.map((row) => [`${row.gateway_id} ${row.reference}`, row.message_id]));
}

type Mail = Pick<
  EmailsTable,
  "message_id" | "opened_at" | "open_count" | "machine_opens" | "clicked_at" | "click_count" | "complained_at"
> & {
  changed: boolean;
};

async function mailsOf(tx: Tx, rows: readonly LockedMessage[]): Promise<Map<string, Mail>> {
  if (rows.length === 0) return new Map();
  const ids = new Set(rows.map(({ id }) => id));
  const found = await tx.db
    .selectFrom(tx.indexed("emails"))
    .select(["message_id", "opened_at", "open_count", "machine_opens"])
    .select(["clicked_at", "click_count", "complained_at"])
    .where("message_id", "in", tx.list([...ids]))
    .execute();
  return new Map(found.map((mail) => [mail.message_id, { ...mail, changed: false }]));
}

/** Stores keys; returns those that were new, as `message key`. */
async function rememberKeys(
  tx: Tx,
  incoming: readonly Pick<IncomingEngagement, "key" | "receivedAt">[],
  rows: readonly (LockedMessage | null)[],
): Promise<Set<string>> {
  const keys = new Map<string, { message_id: string; key: string; at: number }>();
  for (const [i, { key, receivedAt }] of incoming.entries()) {
    const row = rows[i];
    if (row && key !== null) keys.set(`${row.id} ${key}`, { message_id: row.id, key, at: receivedAt });
  }
  if (keys.size === 0) return new Set();
  const keyRows = tx.rows("key_rows", { message_id: "text", key: "text", at: "bigint" }, [...keys.values()]);
  const { rows: inserted } = await sql<{ message_id: string; key: string }>`
    insert into engagements (message_id, key, at) select message_id, key, at from ${keyRows} where true
    on conflict (message_id, key) do nothing returning message_id, key
  `.execute(tx.db);
  return new Set(inserted.map(({ message_id, key }) => `${message_id} ${key}`));
}

async function writeMails(tx: Tx, mails: ReadonlyMap<string, Mail>): Promise<void> {
  const changed = [...mails.values()].filter((mail) => mail.changed);
  if (changed.length === 0) return;
  const counts = {
    opened_at: "bigint",
    open_count: "bigint",
    machine_opens: "bigint",
    clicked_at: "bigint",
    click_count: "bigint",
    complained_at: "bigint",
  } as const;
  await tx.update("emails", { message_id: "text", ...counts }, changed, (of) => ({
    set: sql.join(Object.keys(counts).map((column) => sql`${sql.ref(column)} = ${of(column)}`)),
    where: sql`emails.message_id = ${of("message_id")}`,
  }));
}

/**
 * A recipient asked, by our own signed link, for no more mail of an account. This holds even if the message is gone; if it exists, its
 * timeline gets one entry. False if there is no such account.
 */
export const unsubscribe = writeOperation(
  "unsubscribe",
  async (
    tx,
    input: { accountId: string; recipient: string; messageId: string; at: number },
  ): Promise<boolean> => {
    const { accountId, recipient, messageId, at } = input;
    const account = await tx.db
      .selectFrom("accounts")
      .select("id")
      .where("id", "=", accountId)
      .executeTakeFirst();
    if (!account) return false;
    const row = (await lockMessages(tx, [messageId])).get(messageId);
    if (row && row.account_id === accountId) {
      const key = "unsubscribed by link";
      const fresh = await rememberKeys(tx, [{ key, receivedAt: at }], [row]);
      if (fresh.size > 0) {
        const changes = new TransitionBatch();
        changes.addTimelineEntry(
          row,
          "unsubscribed",
          { at, detail: "The recipient wants no more mail." },
          null,
        );
        await changes.write(tx);
      }
    }
    const reason = "unsubscribe";
    await suppress(tx, [{ account_id: accountId, recipient, reason, note: null, created_at: at }]);
    return true;
  },
);

/** The gateway of an email, for any caller; null if no email has this id (any more). */
export const findMessageGateway = readOperation(
  "findMessageGateway",
  async (tx, messageId: string): Promise<{ gateway_id: string; identifier: string } | null> => {
    const row = await tx.db
      .selectFrom("messages")
      .select(["messages.gateway_id", identifierOfGateway])
      .where("messages.id", "=", messageId)
      .where("messages.channel", "=", "email")
      .executeTakeFirst();
    return row ?? null;
  },
);
