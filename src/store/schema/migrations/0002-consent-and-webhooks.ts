// Webhooks, repeatable requests, consent, the credit ledger, and the people and programs that manage an installation.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `alter table accounts add column lateness_ms bigint not null default 259200000`,
    `alter table accounts add column channel_failover bigint not null default 0`,
    `alter table credits add column granted bigint not null default 0`,
    `alter table lanes add column kind text not null default 'gateway'`,
    `alter table lanes add column stopped_at bigint`,
    `alter table messages add column held_due_at bigint`,
    `create index messages_held on messages (id) where held_due_at is not null`,
    // Every message pays for each index: the newest of a channel are found along messages_status as well.
    `drop index messages_recent`,
    // Searches by recipient and by gateway, and whom an inbound message answers.
    `create index messages_recipient on messages (account_id, recipient, id)`,
    `create index messages_gateway on messages (gateway_id, id)`,
    // A message is removed with all that belongs to it.
    `create index message_references_message on message_references (message_id) where message_id is not null`,
    `create index receipts_message on receipts (message_id) where message_id is not null`,
    `alter table inbound_messages add column in_reply_to text`,
    `alter table inbound_messages add column opt text`,
    `create table outbox (
      id text primary key, account_id text not null, type text not null, at bigint not null, message_id text,
      band bigint not null, data text not null
    )`,
    // Requests are few among the notes, and told a page at a time.
    `create index outbox_requests on outbox (id) where type = 'request'`,
    // What was not yet handed over when a copy was made; back in the outbox once the operator says so.
    `create table outbox_held (
      id text primary key, account_id text not null, type text not null, at bigint not null, message_id text,
      band bigint not null, data text not null
    )`,
    `create table webhook_endpoints (
      id text primary key, account_id text not null references accounts (id), url text not null, events text not null,
      active bigint not null, secret text not null, old_secret text, old_secret_until bigint,
      failing_since bigint, disabled_at bigint, disabled_reason text, created_at bigint not null, updated_at bigint not null,
      unique (account_id, url)
    )`,
    `create table webhook_events (
      id text primary key, account_id text not null, type text not null, at bigint not null, body text not null
    )`,
    `create index webhook_events_age on webhook_events (at, id)`,
    `create table webhook_deliveries (
      endpoint_id text not null, event_id text not null, account_id text not null, type text not null, band bigint not null,
      due_at bigint, held_due_at bigint, status text not null, attempts bigint not null, log text not null,
      created_at bigint not null, updated_at bigint not null, primary key (endpoint_id, event_id)
    )`,
    `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, band, due_at, event_id) where due_at is not null`,
    `create index webhook_deliveries_held on webhook_deliveries (endpoint_id, event_id) where held_due_at is not null`,
    `create index webhook_deliveries_recent on webhook_deliveries (endpoint_id, created_at, event_id)`,
    `create index webhook_deliveries_event on webhook_deliveries (event_id)`,
    `create table idempotency_keys (
      account_id text not null, path text not null, key text not null, fingerprint text not null, request_id text not null,
      first_id text not null, last_id text not null, created_at bigint not null, primary key (account_id, path, key)
    ) clustered`,
    `create index idempotency_keys_age on idempotency_keys (created_at)`,
    `create table credit_entries (
      account_id text not null, channel text not null, kind text not null, reference text not null, at bigint not null,
      amount bigint not null, remaining bigint not null, note text, primary key (account_id, channel, at, kind, reference)
    ) clustered`,
    // Balances from before the ledger open it with what is left of them.
    `insert into credit_entries (account_id, channel, kind, reference, at, amount, remaining, note)
      select account_id, channel, 'opening', 'before_ledger', renewed_at, remaining, remaining, 'The ledger begins here.' from credits`,
    `create table suppressions (
      account_id text not null, channel text not null, recipient text not null, reason text not null, note text,
      created_at bigint not null, primary key (account_id, channel, recipient)
    ) clustered`,
    `create table users (
      id text primary key, email text not null unique, name text not null, role text not null, account_id text references accounts (id),
      password text not null, active bigint not null, created_at bigint not null, updated_at bigint not null, signed_in_at bigint
    )`,
    `create table sessions (
      hash text primary key, user_id text not null references users (id), created_at bigint not null, seen_at bigint not null,
      expires_at bigint not null
    )`,
    `create index sessions_user on sessions (user_id)`,
    `create table management_tokens (
      id text primary key, hash text not null unique, name text not null unique, hint text not null, role text not null,
      account_id text references accounts (id), created_at bigint not null, revoked_at bigint
    )`,
    `create table setup_codes (hash text primary key, created_at bigint not null, expires_at bigint not null)`,
    `create table audit_entries (
      id text primary key, at bigint not null, actor_kind text not null, actor_id text, actor_name text not null,
      account_id text, action text not null, target text, detail text not null, outcome text not null
    )`,
    `create index audit_entries_account on audit_entries (account_id, id)`,
    `create index audit_entries_actor on audit_entries (actor_id, id)`,
    `create index audit_entries_action on audit_entries (action, id)`,
  ]);
}
