// Accounts, keys, credit, gateways; messages with their events and receipts; lanes and their owners.

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export async function up(tx: Tx): Promise<void> {
  await define(tx, [
    `create table accounts (
      id text primary key, name text not null unique, time_zone text not null, country text,
      plan_name text not null, plan_expires_at bigint, requests_per_minute bigint,
      created_at bigint not null, updated_at bigint not null
    )`,
    `create table api_keys (
      hash text primary key, account_id text not null references accounts (id), sealed text, created_at bigint not null
    )`,
    `create index api_keys_account on api_keys (account_id)`,
    `create table credits (
      account_id text not null references accounts (id), channel text not null,
      allowance bigint not null, remaining bigint not null check (remaining >= 0),
      renews text, renewed_at bigint not null, primary key (account_id, channel)
    )`,
    `create table gateways (
      id text primary key, account_id text not null references accounts (id), identifier text not null unique,
      channel text not null, kind text not null, active bigint not null, is_default bigint not null, test bigint not null,
      settings text not null, rules text not null, created_at bigint not null, updated_at bigint not null
    )`,
    `create index gateways_account on gateways (account_id)`,
    `create table requests (
      id text primary key, account_id text not null, channel text not null, contacts bigint not null, created_at bigint not null
    ) clustered`,
    `create table messages (
      id text primary key, account_id text not null, request_id text not null, channel text not null,
      gateway_id text not null, named bigint not null, number text not null, recipient text not null, body text not null,
      test bigint not null, status text not null, band bigint not null, due_at bigint, fence bigint not null default 0,
      version bigint not null default 0, attempts bigint not null default 0, resends bigint not null default 0, deferred_from bigint,
      schedule_at text, scheduled_for bigint, created_at bigint not null, updated_at bigint not null,
      sent_at bigint, delivered_at bigint, read_at bigint, provider_reference text, error_code text, error_message text,
      encoding text, segments bigint, cost bigint not null, returned bigint not null default 0
    )`,
    // The lanes read this one: it holds only what waits, and a range of due_at in one band of one lane is contiguous in it.
    `create index messages_due on messages (gateway_id, band, due_at, id) where due_at is not null`,
    `create index messages_recent on messages (account_id, channel, id)`,
    `create index messages_status on messages (account_id, channel, status, id)`,
    `create table events (
      message_id text not null, seq bigint not null, account_id text not null, at bigint not null,
      type text not null, detail text not null, primary key (message_id, seq)
    ) clustered`,
    `create table message_references (
      gateway_id text not null, reference text not null, message_id text, created_at bigint not null,
      primary key (gateway_id, reference)
    ) clustered`,
    `create table receipts (
      gateway_id text not null, key text not null, reference text, message_id text, status text not null,
      code text, reason text, at bigint, received_at bigint not null, applied bigint not null,
      primary key (gateway_id, key)
    ) clustered`,
    `create index receipts_waiting on receipts (gateway_id, reference) where applied = 0`,
    `create table inbound_messages (
      id text primary key, account_id text not null, gateway_id text not null, channel text not null,
      reference text not null, sender text not null, recipient text not null, body text not null,
      media text not null, received_at bigint not null, unique (gateway_id, reference)
    )`,
    `create index inbound_recent on inbound_messages (account_id, channel, id)`,
    `create table lanes (
      id text primary key, active bigint not null, owner text, fence bigint not null, paused_until bigint, pause_reason text,
      pauses bigint not null, paused_since bigint, paused_ms bigint not null, day text, day_count bigint not null,
      revision bigint not null
    )`,
    `create table processes (id text primary key, beat bigint not null, started_at bigint not null)`,
    `create table provisioned (kind text not null, name text not null, hash text not null, primary key (kind, name))`,
    `create table facts (name text primary key, value text not null)`,
  ]);
}
