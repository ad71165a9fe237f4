// Mails to several recipients, and what else a whole mail has: headers, tags, a text part, inline images, a sender of its own.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table emails add column extras text`,
    `alter table email_bodies add column text_part text`,
    `alter table attachments add column content_id text`,
    `alter table receipts add column recipient text`,
    `alter table gateways add column mail_sender text`,
    `create table mail_recipients (
      message_id text not null, position bigint not null, field text not null, address text not null, recipient text not null,
      status text, error_code text, error_message text,
      primary key (message_id, position)
    ) clustered`,
  ]);
}
