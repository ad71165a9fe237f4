// Email: subjects and openings, attachments, sending domains with their keys, soft bounces.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table accounts add column attachment_files bigint not null default 10`,
    `alter table accounts add column attachment_bytes bigint not null default 10485760`,
    `create table emails (
      message_id text primary key, account_id text not null, subject text not null, sender_name text, reply_to text,
      opened_at bigint, open_count bigint not null default 0, machine_opens bigint not null default 0,
      clicked_at bigint, click_count bigint not null default 0, complained_at bigint
    ) clustered`,
    // Apart from their messages' rows, which change at every step: the body is written once, and read where it is needed.
    `create table email_bodies (message_id text primary key, body text not null)`,
    `create table attachments (
      id text primary key, account_id text, request_id text, first_id text, last_id text, position bigint not null, filename text not null,
      content_type text not null, size bigint not null, sha256 text not null, created_at bigint not null, emptied_at bigint
    )`,
    `create index attachments_request on attachments (request_id, position) where request_id is not null`,
    // What was uploaded and never accepted, and what may be emptied: both are few.
    `create index attachments_loose on attachments (created_at) where request_id is null`,
    `create index attachments_full on attachments (id) where request_id is not null and emptied_at is null`,
    `create table attachment_chunks (
      attachment_id text not null, seq bigint not null, content text not null, primary key (attachment_id, seq)
    )`,
    `create table sending_domains (
      id text primary key, account_id text not null references accounts (id), domain text not null,
      created_at bigint not null, updated_at bigint not null, unique (account_id, domain)
    )`,
    `create table dkim_keys (
      id text primary key, domain_id text not null references sending_domains (id), account_id text not null,
      selector text not null, algorithm text not null, public_key text not null, private_key text not null,
      state text not null, created_at bigint not null, updated_at bigint not null, unique (domain_id, selector)
    )`,
    `create table soft_bounces (
      account_id text not null, recipient text not null, count bigint not null, message_id text not null,
      updated_at bigint not null, primary key (account_id, recipient)
    ) clustered`,
    `create index soft_bounces_rested on soft_bounces (updated_at)`,
    `alter table receipts add column bounce text`,
    `create table engagements (
      message_id text not null, key text not null, at bigint not null, primary key (message_id, key)
    ) clustered`,
  ]);
}
