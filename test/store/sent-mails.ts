// Emails that were sent, for tests of what comes back afterwards.

import { settleMessages } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { NewEmail } from "#store/messages/send.ts";
import type { EmailsTable } from "#store/schema/email.ts";
import type { Store } from "./conformance.ts";
import { claim, columnsOf, fresh, makeAccount, makeGateway, sendOf, settlement, stamp } from "./rows.ts";

export interface SentMails {
  accountId: string;
  gatewayId: string;
  fence: number;
  /** In the order of `recipients`. */
  ids: string[];
  /** The first of them. */
  id: string;
}

export interface SendingOptions {
  recipients?: readonly string[];
  /** Default: made up. */
  ids?: readonly string[];
  accountId?: string;
  gatewayId?: string;
  fence?: number;
}

/** Emails that are `sending`. */
export async function makeSendingMails(store: Store, options: SendingOptions = {}): Promise<SentMails> {
  const { database } = store;
  const recipients = options.recipients ?? [`${fresh("ann")}@example.com`];
  const accountId = options.accountId ?? (await makeAccount(database));
  const gatewayId =
    options.gatewayId ?? (await makeGateway(database, accountId, { channel: "email", kind: "smtp" }));
  const send = sendOf(accountId, gatewayId, { channel: "email", count: recipients.length });
  for (const [i, message] of send.messages.entries()) {
    message.id = options.ids?.[i] ?? message.id;
    message.recipient_raw = recipients[i]!;
    message.recipient = recipients[i]!;
    message.encoding = null;
    message.segments = null;
  }
  const { id: ids } = columnsOf(send.messages);
  const emails = ids.map(
    (id): NewEmail => ({ message_id: id, subject: "Hello", sender_name: null, reply_to: null, extras: null }),
  );
  await database.run(storeSends, { ...send, emails });
  const fence = options.fence ?? (await claim(store, gatewayId));
  await stamp(database, gatewayId, fence, ids);
  return { accountId, gatewayId, fence, ids, id: ids[0]! };
}

/** Emails that their provider took at `now + 10` as `p-{id}`. */
export async function makeSentMails(store: Store, options: SendingOptions = {}): Promise<SentMails> {
  const mails = await makeSendingMails(store, options);
  for (const id of mails.ids) {
    const details = { reference: `p-${id}` };
    await store.database.run(settleMessages, settlement({ ...mails, id }, "accepted", { details }));
  }
  return mails;
}

export async function mailRow(store: Store, id: string): Promise<EmailsTable> {
  const [row] = await store.query<EmailsTable>("select * from emails where message_id = ?", id);
  if (!row) throw new Error(`No mail ${id}.`);
  return row;
}

/** The account's suppression list of emails. */
export async function listed(store: Store, accountId: string) {
  const rows = await store.query<{ recipient: string; reason: string; note: string | null }>(
    "select recipient, reason, note from suppressions where account_id = ? and channel = 'email' order by recipient",
    accountId,
  );
  return rows.map((row) => ({ ...row }));
}
