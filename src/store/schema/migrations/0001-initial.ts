// The schema of the first release: every table and index, grouped like the folders of the store.

import type { Tx } from "#store/database.ts";
import { define } from "#store/schema/dialect.ts";

const accounts = [
  `create table accounts (
    id text primary key, name text not null unique, time_zone text not null, country text,
    plan_name text not null, plan_expires_at bigint, requests_per_minute bigint,
    lateness_ms bigint not null default 259200000, channel_failover bigint not null default 0, ai_budget text,
    attachment_files bigint not null default 10, attachment_bytes bigint not null default 10485760,
    revision bigint not null default 1, created_at bigint not null, updated_at bigint not null
  )`,
  `create table api_keys (
    hash text primary key, account_id text not null references accounts (id), sealed text, created_at bigint not null
  )`,
  `create index api_keys_account on api_keys (account_id)`,
  `create table credits (
    account_id text not null references accounts (id), channel text not null,
    allowance bigint not null, remaining bigint not null check (remaining >= 0), renews text,
    bonus bigint not null, renewed_at bigint not null, primary key (account_id, channel)
  )`,
  `create table credit_entries (
    account_id text not null, channel text not null, kind text not null, reference text not null, at bigint not null,
    amount bigint not null, remaining bigint not null, note text, primary key (account_id, channel, at, kind, reference)
  ) clustered`,
];

const gateways = [
  `create table gateways (
    id text primary key, account_id text not null references accounts (id), identifier text not null unique,
    channel text not null, kind text not null, active bigint not null, is_default bigint not null, test bigint not null,
    settings text not null, rules text not null, revision bigint not null default 1, created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index gateways_account on gateways (account_id)`,
  `create table lanes (
    id text primary key, kind text not null, active bigint not null, owner text, fence bigint not null,
    paused_until bigint, pause_reason text, pauses bigint not null, paused_since bigint, paused_ms bigint not null,
    day text, day_count bigint not null, revision bigint not null, operator_paused_at bigint, wanted_by text,
    next_at bigint
  )`,
  `create table unknown_words (gateway_id text primary key, word text not null, at bigint not null) clustered`,
  `create table gateway_account_updates (
    gateway_id text primary key, facts text not null, notice text, noticed_at bigint, changed_at bigint not null
  ) clustered`,
  `create table gateway_sessions (
    gateway_id text primary key, status text not null, reason text, pairing text, pairing_expires_at bigint,
    linked_at bigint, changed_at bigint not null, details text, request text
  ) clustered`,
  `create table gateway_values (
    gateway_id text not null, key text not null, value text not null, primary key (gateway_id, key)
  ) clustered`,
  `create table phones (
    gateway_id text primary key, account_id text not null, token_hash text, enrolment_hash text, code_hash text,
    page_hash text, pairing text, pairing_expires_at bigint, name text, app_version text, sims text not null,
    uses_push bigint not null, battery bigint, clock_skew_ms bigint, linked_at bigint, seen_at bigint, ended_reason text
  )`,
  `create unique index phones_token on phones (token_hash) where token_hash is not null`,
  `create unique index phones_enrolment on phones (enrolment_hash) where enrolment_hash is not null`,
  `create unique index phones_code on phones (code_hash) where code_hash is not null`,
  `create unique index phones_page on phones (page_hash) where page_hash is not null`,
  `create table phone_items (
    message_id text primary key, gateway_id text not null, phone_id text not null, transmission bigint not null,
    handed_at bigint not null, valid_until bigint not null, state text not null, failures bigint not null,
    last_listed_at bigint, open bigint not null
  ) clustered`,
  `create index phone_items_open on phone_items (phone_id, handed_at) where open = 1`,
  `create table processes (id text primary key, heartbeat bigint not null, started_at bigint not null)`,
];

const messages = [
  `create table requests (
    id text primary key, account_id text not null, channel text not null, contacts bigint not null, created_at bigint not null
  ) clustered`,
  `create table idempotency_keys (
    account_id text not null, path text not null, key text not null, fingerprint text not null, request_id text not null,
    first_id text not null, last_id text not null, created_at bigint not null, primary key (account_id, path, key)
  ) clustered`,
  `create index idempotency_keys_age on idempotency_keys (created_at)`,
  `create table messages (
    id text primary key, account_id text not null, request_id text not null, channel text not null,
    gateway_id text not null, gateway_pinned bigint not null, recipient_raw text not null, recipient text not null,
    content text not null, body text not null, test bigint not null, status text not null, priority bigint not null, due_at bigint,
    fence bigint not null default 0, version bigint not null default 0, attempts bigint not null default 0,
    resends bigint not null default 0, first_deferred_at bigint, schedule_at text, scheduled_for bigint,
    created_at bigint not null, updated_at bigint not null, sent_at bigint, delivered_at bigint, read_at bigint,
    provider_reference text, error_code text, error_message text, encoding text, segments bigint, cost bigint not null,
    refunded bigint not null default 0, held_due_at bigint
  )`,
  // Every message pays for each index: none is by account and channel, because the newest messages of a channel are found along
  // messages_status. The lanes read messages_due. It holds only waiting messages, and a range of due_at of one lane and priority is
  // contiguous in it.
  `create index messages_due on messages (gateway_id, priority, due_at, id) where due_at is not null`,
  `create index messages_held on messages (id) where held_due_at is not null`,
  `create index messages_status on messages (account_id, channel, status, id)`,
  // For searches by recipient and by gateway, and for the message that an inbound message answers.
  `create index messages_recipient on messages (account_id, recipient, id)`,
  `create index messages_gateway on messages (gateway_id, id)`,
  `create table message_events (
    message_id text not null, seq bigint not null, account_id text not null, at bigint not null,
    type text not null, detail text not null, primary key (message_id, seq)
  ) clustered`,
  `create table message_references (
    gateway_id text not null, reference text not null, message_id text, parts bigint not null, created_at bigint not null,
    primary key (gateway_id, reference)
  ) clustered`,
  // A message is deleted with all rows that belong to it.
  `create index message_references_message on message_references (message_id) where message_id is not null`,
];

const feedback = [
  `create table receipts (
    gateway_id text not null, key text not null, reference text, message_id text, status text not null,
    code text, reason text, at bigint, received_at bigint not null, applied bigint not null, bounce text,
    primary key (gateway_id, key)
  ) clustered`,
  `create index receipts_waiting on receipts (gateway_id, reference) where applied = 0`,
  `create index receipts_message on receipts (message_id) where message_id is not null`,
  `create table callback_signatures (
    signature_hash text primary key, event_hash text not null, expires_at bigint not null
  ) clustered`,
  `create index callback_signatures_expiry on callback_signatures (expires_at)`,
  `create table inbound_messages (
    id text primary key, account_id text not null, gateway_id text not null, channel text not null,
    reference text not null, sender text not null, recipient text not null, body text not null,
    media text not null, received_at bigint not null, in_reply_to text, consent_keyword text,
    details text, file text, unique (gateway_id, reference)
  )`,
  `create index inbound_recent on inbound_messages (account_id, channel, id)`,
  // When each person last wrote to a gateway whose provider allows answers only for a day.
  `create table reply_windows (
    gateway_id text not null, sender text not null, heard_at bigint not null, primary key (gateway_id, sender)
  ) clustered`,
  `create index reply_windows_age on reply_windows (heard_at)`,
  `create table suppressions (
    account_id text not null, channel text not null, recipient text not null, reason text not null, note text,
    created_at bigint not null, primary key (account_id, channel, recipient)
  ) clustered`,
  `create table soft_bounces (
    account_id text not null, recipient text not null, count bigint not null, message_id text not null,
    updated_at bigint not null, primary key (account_id, recipient)
  ) clustered`,
  `create index soft_bounces_age on soft_bounces (updated_at)`,
  `create table engagements (
    message_id text not null, key text not null, at bigint not null, primary key (message_id, key)
  ) clustered`,
];

const email = [
  `create table emails (
    message_id text primary key, account_id text not null, subject text not null, sender_name text, reply_to text,
    opened_at bigint, open_count bigint not null default 0, machine_opens bigint not null default 0,
    clicked_at bigint, click_count bigint not null default 0, complained_at bigint
  ) clustered`,
  // Apart from the message's row, which changes at every step: a body is written once, and read only where it is needed.
  `create table email_bodies (message_id text primary key, body text not null)`,
  `create table message_payloads (message_id text primary key, payload text not null)`,
  `create table attachments (
    id text primary key, account_id text, request_id text, first_id text, last_id text, position bigint not null, filename text not null,
    content_type text not null, size bigint not null, sha256 text not null, created_at bigint not null, content_deleted_at bigint
  )`,
  `create index attachments_request on attachments (request_id, position) where request_id is not null`,
  // Uploads that were never accepted, and files that still have content: both are few.
  `create index attachments_unbound on attachments (created_at) where request_id is null`,
  `create index attachments_with_content on attachments (id) where request_id is not null and content_deleted_at is null`,
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
];

const outboxColumns = `
    id text primary key, account_id text not null, type text not null, at bigint not null, message_id text,
    priority bigint not null, data text not null`;

const webhooks = [
  `create table outbox (${outboxColumns}
  )`,
  // Requests are few among the entries, and each is read a page of messages at a time.
  `create index outbox_requests on outbox (id) where type = 'request'`,
  // The entries that a backup contained. They return to the outbox when the operator releases them.
  `create table outbox_held (${outboxColumns}
  )`,
  `create table webhook_endpoints (
    id text primary key, account_id text not null references accounts (id), url text not null,
    url_hash text not null, events text not null,
    active bigint not null, secret text not null, old_secret text, old_secret_until bigint,
    failing_since bigint, disabled_at bigint, disabled_reason text, revision bigint not null default 1, created_at bigint not null,
    updated_at bigint not null, unique (account_id, url_hash)
  )`,
  `create table webhook_events (
    id text primary key, account_id text not null, type text not null, at bigint not null, body text not null
  )`,
  `create index webhook_events_age on webhook_events (at, id)`,
  `create table webhook_deliveries (
    endpoint_id text not null, event_id text not null, account_id text not null, type text not null, priority bigint not null,
    due_at bigint, held_due_at bigint, status text not null, attempts bigint not null, log text not null,
    created_at bigint not null, updated_at bigint not null, primary key (endpoint_id, event_id)
  )`,
  `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, priority, due_at, event_id) where due_at is not null`,
  `create index webhook_deliveries_held on webhook_deliveries (endpoint_id, event_id) where held_due_at is not null`,
  `create index webhook_deliveries_recent on webhook_deliveries (endpoint_id, created_at, event_id)`,
  `create index webhook_deliveries_event on webhook_deliveries (event_id)`,
];

const identity = [
  `create table users (
    id text primary key, email text not null unique, name text not null, role text not null, account_id text references accounts (id),
    password text not null, active bigint not null, revision bigint not null default 1, created_at bigint not null, updated_at bigint not null,
    signed_in_at bigint
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
];

const pools = [
  `create table pools (
    id text primary key, account_id text not null references accounts (id), name text not null,
    rules text not null, revision bigint not null,
    created_at bigint not null, updated_at bigint not null, unique (account_id, name)
  )`,
  `create table pool_members (
    id text primary key, pool_id text not null references pools (id), account_id text not null, name text not null,
    kind text not null, rules text not null, settings text not null,
    revision bigint not null default 1, created_at bigint not null, updated_at bigint not null, unique (pool_id, name)
  )`,
  `create table pool_keys (
    id text primary key, pool_id text not null references pools (id), account_id text not null, name text not null,
    hash text not null unique, hint text not null, rules text not null,
    expires_at bigint, revoked_at bigint, revision bigint not null default 1, created_at bigint not null, updated_at bigint not null,
    unique (pool_id, name)
  )`,
  `create table completions (
    id text primary key, account_id text not null, pool_id text not null, key_id text not null, at bigint not null,
    kind text not null, stream bigint not null, status bigint not null, member text, model text, attempts text not null,
    prompt_tokens bigint not null, completion_tokens bigint not null, estimated bigint not null, cost bigint not null,
    first_byte_ms bigint, ms bigint not null, failed_over bigint not null, end_user text, tags text not null,
    client_request_id text
  )`,
  `create index completions_recent on completions (pool_id, id)`,
  `create index completions_keyed on completions (key_id, id)`,
  `create table deferred_completions (
    id text primary key, account_id text not null, pool_id text not null, key_id text not null, status text not null,
    priority bigint not null, due_at bigint, attempts bigint not null, expires_at bigint not null, bytes bigint not null,
    request text, result text, scheduled_for bigint not null, created_at bigint not null, finished_at bigint
  )`,
  // With the length and the key, so that waiting completions of a pool and of a key are counted from the index alone.
  `create index deferred_completions_due on deferred_completions (pool_id, priority, due_at, id, bytes, key_id) where due_at is not null`,
  `create table usage_days (
    key_id text not null, day text not null, part text not null, member text not null, model text not null,
    account_id text not null, pool_id text not null, requests bigint not null, errors bigint not null, failed_over bigint not null,
    prompt_tokens bigint not null, completion_tokens bigint not null, cost bigint not null, latencies text not null,
    first_bytes text not null, primary key (key_id, day, part)
  ) clustered`,
  `create index usage_days_pool on usage_days (pool_id, day)`,
  `create index usage_days_account on usage_days (account_id, day)`,
  `create table usage_hours (
    key_id text not null, day text not null, hour text not null, account_id text not null, pool_id text not null,
    requests bigint not null, errors bigint not null, failed_over bigint not null, prompt_tokens bigint not null,
    completion_tokens bigint not null, cost bigint not null, latencies text not null, first_bytes text not null,
    primary key (key_id, day, hour)
  ) clustered`,
  `create index usage_hours_account on usage_hours (account_id, day)`,
  `create index usage_hours_day on usage_hours (day)`,
  `create table usage_labels (
    key_id text not null, kind text not null, day text not null, label text not null, account_id text not null,
    pool_id text not null, requests bigint not null, errors bigint not null, failed_over bigint not null,
    prompt_tokens bigint not null, completion_tokens bigint not null, cost bigint not null,
    primary key (key_id, kind, day, label)
  ) clustered`,
  `create index usage_labels_account on usage_labels (account_id, kind, day)`,
  `create index usage_labels_day on usage_labels (day)`,
  `create table spend_days (
    owner_id text not null, day text not null, tokens bigint not null, cost bigint not null, primary key (owner_id, day)
  ) clustered`,
  `create table budget_notices (
    owner_id text not null, bound text not null, period text not null, primary key (owner_id, bound)
  ) clustered`,
  // For several processes on one PostgreSQL: a bucket for each key and kind, a slot for each request in progress.
  `create table key_buckets (
    key_id text not null, kind text not null, used bigint not null, at bigint not null, primary key (key_id, kind)
  ) clustered`,
  `create table key_slots (
    key_id text not null, slot text not null, until bigint not null, primary key (key_id, slot)
  ) clustered`,
];

const installation = [
  `create table provisioned (kind text not null, name text not null, hash text not null, primary key (kind, name))`,
  `create table installation_facts (name text primary key, value text not null)`,
];

export async function up(tx: Tx): Promise<void> {
  const groups = [accounts, gateways, messages, feedback, email, webhooks, identity, pools, installation];
  for (const statements of groups) await define(tx, statements);
}
