// A database as it is after a while, made by SQL: message i is of request i / 10, whose number says the account, the gateway
// and the channel. Every table that grows with the traffic is in it, in about the proportions of a real installation.

import type { Engine } from "#store/database.ts";

/** Tables that grow with the traffic or with time: no statement may read one of them from end to end. */
export const growing = [
  "attachment_chunks",
  "attachments",
  "audit_entries",
  "completions",
  "credit_entries",
  "email_bodies",
  "emails",
  "engagements",
  "events",
  "idempotency_keys",
  "inbound_messages",
  "mail_recipients",
  "message_counts",
  "message_references",
  "messages",
  "outbox",
  "outbox_held",
  "phone_items",
  "receipts",
  "refused_calls",
  "reply_windows",
  "requests",
  "sender_names",
  "soft_bounces",
  "spread_choices",
  "status_callbacks",
  "suppressions",
  "usage_days",
  "usage_hours",
  "usage_labels",
  "usage_parts",
  "webhook_deliveries",
  "webhook_events",
] as const;

/** Any instant, as the present of these rows. */
export const now = 1_800_000_000_000;
const minute = 60_000;

/** Ids of rows that are there, by their number. */
export const id = (prefix: string, number: number) => `${prefix}_${10_000_000 + number}`;
/** Which gateway carries a request. Of four gateways one is for email. */
export const gatewayOf = (request: number) => id("gw", request % 40);
export const accountOf = (request: number) => id("acc", request % 20);
const idSql = (prefix: string, number: string) => `'${prefix}_' || (10000000 + ${number})`;

/**
 * The statements that add messages `from` to `to` with all that belongs to them. `from` 0 also makes the accounts, the gateways
 * and one of each other thing. Rows of requests divisible by ten are what still waits.
 */
export function grow(engine: Engine, from: number, to: number): string[] {
  const series = (a: number, b: number) =>
    engine === "postgres"
      ? `generate_series(${a}, ${b - 1}) as n(i)`
      : `(with recursive n(i) as (select ${a} where ${a} < ${b} union all select i + 1 from n where i + 1 < ${b}) select i from n) as n`;
  const gateway = idSql("gw", "r % 40");
  const account = idSql("acc", "r % 20");
  const channel = "case when r % 4 = 3 then 'email' else 'sms' end";
  const messages = `(select i, i / 10 as r, i % 100 as p from ${series(from, to)}) as m`;
  const status = `case when p < 3 then 'queued' when p < 5 then 'scheduled' when p = 5 then 'sending' when p = 6 then 'unknown'
    when p = 7 then 'failed' when p = 8 then 'cancelled' when p = 9 then 'queued' when p < 80 then 'delivered' else 'sent' end`;
  const at = `${now - 40_000_000} + i * 10`;
  const step = "case when i % 10 < 4 then 'hour' when i % 10 < 6 then 'minute' else 'endpoint_hour' end";
  const each = (share: number) =>
    `(select i, i / 10 as r from ${series(from, to)} where i % ${share} = 0) as m`;
  const emails = `(select i, i / 10 as r from ${series(from, to)} where (i / 10) % 4 = 3) as m`;
  return [
    ...(from === 0 ? once(series) : []),
    `insert into requests (id, account_id, channel, contacts, created_at)
     select ${idSql("req", "i / 10")}, ${account}, ${channel}, 10, ${at} from ${each(10)}`,
    `insert into messages (id, account_id, request_id, channel, gateway_id, gateway_pinned, recipient_raw, recipient, content, body, test, status, priority, due_at,
       held_due_at, fence, version, attempts, resends, created_at, updated_at, sent_at, provider_reference, encoding, segments, cost)
     select ${idSql("msg", "i")}, ${account}, ${idSql("req", "r")}, ${channel}, ${gateway}, i % 2, '+15550' || (i % 5000), '+15550' || (i % 5000),
       case ${channel} when 'email' then 'email' else 'text' end, 'A text of some length, as messages have one.', 0, ${status}, r % 3,
       case when p < 3 then ${at} when p < 5 then ${now} + i * 10 end, case when p = 9 then ${at} end,
       case when p between 5 and 9 or p > 9 then 1 else 0 end, case when p < 5 or p = 9 then 0 else 2 end,
       case when p < 5 or p = 9 then 0 else 1 end, 0, ${at}, ${at} + 500, case when p > 9 then ${at} + 500 end,
       case when p > 9 then 'ref' || i end, 'gsm7', 1, 1
     from ${messages}`,
    `insert into message_events (message_id, seq, account_id, at, type, detail)
     select ${idSql("msg", "i")}, s.seq, ${account}, ${at}, case when s.seq = 1 then 'sending' else 'sent' end, 'Attempt 1.'
     from ${messages} cross join (select 1 as seq union all select 2) as s where p >= 5 and p <> 9`,
    `insert into message_references (gateway_id, reference, message_id, parts, created_at)
     select ${gateway}, 'ref' || i, ${idSql("msg", "i")}, 1, ${at} from ${messages} where p > 9`,
    `insert into phone_items (message_id, gateway_id, phone_id, transmission, handed_at, valid_until, state, failures, open)
     select ${idSql("msg", "i")}, ${gateway}, ${idSql("gw", "r % 8")}, 1, ${at}, ${at} + 86400000, '', 0, case when p = 5 then 1 else 0 end
     from ${messages} where p >= 5 and r % 40 < 8`,
    `insert into receipts (gateway_id, key, reference, message_id, status, code, reason, at, received_at, applied, bounce)
     select ${gateway}, 'key' || i, 'ref' || i, case when p < 90 then ${idSql("msg", "i")} end, 'delivered', null, null, ${at}, ${at},
       case when p < 90 then 1 else 0 end, null from ${messages} where p > 9`,
    `insert into credit_entries (account_id, channel, kind, reference, at, amount, remaining, note)
     select ${account}, ${channel}, 'reserve', ${idSql("req", "r")}, ${at}, -10, 1000000, null from ${each(10)}`,
    `insert into idempotency_keys (account_id, path, key, fingerprint, request_id, first_id, last_id, created_at)
     select ${account}, '/api/sms/send', 'key' || r, 'f', ${idSql("req", "r")}, ${idSql("msg", "i")}, ${idSql("msg", "i + 9")}, ${at}
     from ${each(10)}`,
    `insert into inbound_messages (id, account_id, gateway_id, channel, reference, sender, recipient, body, media, received_at)
     select ${idSql("in", "i / 10")}, ${account}, ${gateway}, ${channel}, 'in' || i, '+15550' || (i % 5000), '+1', 'Hello', '[]', ${at} from ${each(10)}`,
    `insert into spread_choices (key, gateway_id, chosen_at)
     select ${idSql("gw", "i % 40")} || ' +' || i, ${gateway.replaceAll("r %", "i %")}, ${now} - i from ${series(from, to)}`,
    `insert into reply_windows (gateway_id, sender, heard_at)
     select ${gateway}, '+1777' || i, ${at} from ${each(20)}`,
    `insert into sender_names (gateway_id, sender, recipient, shown_at)
     select ${gateway}, '+1777' || i, '+1778' || i, ${at} from ${each(20)}`,
    `insert into suppressions (account_id, channel, recipient, reason, note, created_at)
     select ${account}, ${channel}, '+1666' || i, 'opt_out', null, ${at} from ${each(10)}`,
    `insert into outbox (id, account_id, type, at, message_id, priority, data)
     select ${idSql("evt", "i")} || '_1', ${account}, 'message.sent', ${at}, ${idSql("msg", "i")}, 0, '{}' from ${each(20)}`,
    `insert into outbox (id, account_id, type, at, message_id, priority, data)
     select ${idSql("evt", "r")} || '_request', ${account}, 'request', ${at}, null, 0,
       '{"request_id":"' || ${idSql("req", "r")} || '","first_id":"' || ${idSql("msg", "i")} || '","last_id":"' || ${idSql("msg", "i + 9")} || '"}'
     from ${each(400)}`,
    `insert into outbox_held (id, account_id, type, at, message_id, priority, data)
     select ${idSql("evt", "i")} || '_held', ${account}, 'message.sent', ${at}, ${idSql("msg", "i")}, 0, '{}' from ${each(100)}`,
    `insert into status_callbacks (message_id, callback) select ${idSql("msg", "i")}, 'sealed' from ${each(20)}`,
    `insert into webhook_events (id, account_id, type, at, body)
     select ${idSql("evt", "i")}, ${account}, 'message.sent', ${at}, '{}' from ${each(2)}`,
    `insert into webhook_deliveries (endpoint_id, event_id, account_id, type, priority, due_at, held_due_at, status, attempts, log, created_at, updated_at)
     select ${idSql("whe", "r % 20")}, ${idSql("evt", "i")}, ${account}, 'message.sent', 0, case when i % 100 < 4 then ${at} end,
       case when i % 100 = 4 then ${at} end, case when i % 100 < 6 then 'pending' when i % 100 < 8 then 'failed' else 'delivered' end,
       1, '[]', ${at}, ${at} from ${each(2)}`,
    `insert into message_counts (account_id, step, at, gateway_id, channel, accepted, sent, delivered, read, undelivered, failed, bounced, expired,
       cancelled, suppressed, unknown, waits, deliveries)
     select ${account}, ${step}, ${now} - i / 2000 * cast(3600000 as bigint), ${idSql("gw", "i")}, case ${step} when 'endpoint_hour' then 'webhook' else ${channel} end,
       1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}' from ${each(2)}`,
    `insert into emails (message_id, account_id, subject) select ${idSql("msg", "i")}, ${account}, 'Subject' from ${emails}`,
    `insert into email_bodies (message_id, body) select ${idSql("msg", "i")}, '<p>A body of some length.</p>' from ${emails}`,
    `insert into mail_recipients (message_id, position, field, address, recipient)
     select ${idSql("msg", "i")}, s.seq, 'to', 'p' || i || '@example.com', 'p' || i || '@example.com'
     from ${emails} cross join (select 0 as seq union all select 1) as s where i % 5 = 0`,
    `insert into engagements (message_id, key, at) select ${idSql("msg", "i")}, 'opened', ${at} from ${emails}`,
    `insert into soft_bounces (account_id, recipient, count, message_id, updated_at)
     select ${account}, 'p' || i || '@example.com', 1, ${idSql("msg", "i")}, ${at} from ${emails} where i % 5 = 0`,
    `insert into attachments (id, account_id, request_id, first_id, last_id, position, filename, content_type, size, sha256, created_at, content_deleted_at)
     select ${idSql("att", "i")}, ${account}, case when i % 50 > 0 then ${idSql("req", "r")} end, ${idSql("msg", "i - i % 10")},
       ${idSql("msg", "i - i % 10 + 9")}, i % 10, 'a.txt', 'text/plain', 10, 'ab', ${at}, case when i % 50 in (5, 15) then ${at} end
     from ${emails} where i % 5 = 0`,
    `insert into attachment_chunks (attachment_id, seq, content)
     select ${idSql("att", "i")}, s.seq, 'QUJD' from ${emails} cross join (select 0 as seq union all select 1) as s
     where i % 5 = 0 and i % 50 not in (5, 15)`,
    `insert into audit_entries (id, at, actor_kind, actor_id, actor_name, account_id, action, target, detail, outcome)
     select ${idSql("aud", "i")}, ${at}, 'user', ${idSql("usr", "r % 10")}, 'A', ${account}, 'updateGateway', null, '{}', 'ok' from ${each(20)}`,
    `insert into completions (id, account_id, pool_id, key_id, at, kind, stream, status, member, model, attempts, prompt_tokens,
       completion_tokens, estimated, cost, first_byte_ms, ms, failed_over, end_user, tags)
     select ${idSql("req", "i")}, ${account}, ${idSql("pool", "r % 20")}, ${idSql("key", "r % 40")}, ${at}, 'chat', 0,
       case when i % 50 = 0 then 502 else 200 end, 'm', 'm', '[]', 1, 1, 0, 1, 1, 1, 0, 'u', '["a=b"]' from ${each(2)}`,
    `insert into usage_days (key_id, part, member, model, day, account_id, pool_id, requests, errors, failed_over, prompt_tokens, completion_tokens, cost, latencies, first_bytes)
     select ${idSql("key", "r % 40")}, 'm' || (r / 40), 'm', 'm', '2026-11-' || (10 + i / 10 % 20), ${account}, ${idSql("pool", "r % 20")},
       1, 0, 0, 1, 1, 1, '{}', '{}' from ${each(10)}`,
    `insert into usage_hours (key_id, day, hour, account_id, pool_id, requests, errors, failed_over, prompt_tokens, completion_tokens, cost, latencies, first_bytes)
     select ${idSql("key", "r % 40")}, '2026-11-' || (10 + i / 10 % 20), 'h' || i, ${account}, ${idSql("pool", "r % 20")},
       1, 0, 0, 1, 1, 1, '{}', '{}' from ${each(10)}`,
    `insert into usage_parts (key_id, hour, part, day, member, model, status, account_id, pool_id, requests, errors, failed_over, prompt_tokens, completion_tokens, cost, cost_rest, latencies, first_bytes)
     select ${idSql("key", "r % 40")}, '2026-11-' || (10 + i / 10 % 20) || 'T10', 'p' || i, '2026-11-' || (10 + i / 10 % 20), 'm', 'm', '200',
       ${account}, ${idSql("pool", "r % 20")}, 1, 0, 0, 1, 1, 1, 0, '{}', '{}' from ${each(10)}`,
    `insert into refused_calls (key_id, hour, part, day, refused_by, account_id, pool_id, calls)
     select ${idSql("key", "r % 40")}, '2026-11-' || (10 + i / 10 % 20) || 'T10', 'p' || i, '2026-11-' || (10 + i / 10 % 20), 'budget',
       ${account}, ${idSql("pool", "r % 20")}, 1 from ${each(10)}`,
    `insert into usage_labels (key_id, kind, day, label, account_id, pool_id, requests, errors, failed_over, prompt_tokens, completion_tokens, cost)
     select ${idSql("key", "r % 40")}, 'tag', '2026-11-' || (10 + i / 10 % 20), 'a=' || i, ${account}, ${idSql("pool", "r % 20")},
       1, 0, 0, 1, 1, 1 from ${each(10)}`,
  ];
}

function once(series: (a: number, b: number) => string): string[] {
  const times = "1, 1";
  return [
    `insert into accounts (id, name, time_zone, plan_name, lateness_ms, created_at, updated_at)
     select ${idSql("acc", "i")}, 'account ' || i, 'UTC', 'unlimited', ${10 * minute}, ${times} from ${series(0, 20)}`,
    `insert into api_keys (hash, account_id, sealed, created_at) select 'hash' || i, ${idSql("acc", "i")}, null, 1 from ${series(0, 20)}`,
    `insert into named_keys (id, account_id, name, hash, hint, previous_hash, previous_works_until, rules, revision, created_at, updated_at)
     select ${idSql("apk", "i")}, ${idSql("acc", "i % 20")}, 'key ' || i, 'key hash ' || i, 'h', 'previous ' || i, ${now}, '{}', 1, ${times} from ${series(0, 2000)}`,
    `insert into hooks (id, account_id, name, hash, hint, rules, alerts, revision, created_at, updated_at)
     select ${idSql("hook", "i")}, ${idSql("acc", "i % 20")}, 'hook ' || i, 'hook hash ' || i, 'h', '{}', case when i % 50 = 0 then 1 else 0 end, 1, ${times} from ${series(0, 2000)}`,
    `insert into alert_causes (hook_id, cause, since, item, ended_sent)
     select ${idSql("hook", "i / 2 * 50")}, 'cause ' || (i % 2), 1, '{}', 0 from ${series(0, 80)}`,
    `insert into credits (account_id, channel, allowance, remaining, bonus, renewed_at)
     select ${idSql("acc", "i")}, 'sms', 1000000, 1000000, 0, 1 from ${series(0, 20)}`,
    `insert into gateways (id, account_id, identifier, channel, kind, active, is_default, test, settings, rules, created_at, updated_at)
     select ${idSql("gw", "i")}, ${idSql("acc", "i % 20")}, 'gateway-' || i, case when i % 4 = 3 then 'email' else 'sms' end,
       'http-api', case when i = 20 then 0 else 1 end, 0, 0, 'sealed', '{}', ${times} from ${series(0, 41)}`,
    `insert into webhook_endpoints (id, account_id, url, url_hash, events, active, secret, created_at, updated_at)
     select ${idSql("whe", "i")}, ${idSql("acc", "i % 20")}, 'sealed' || i, 'hash' || i, '["*"]', case when i = 10 then 0 else 1 end, 'sealed', ${times}
     from ${series(0, 20)}`,
    `update webhook_endpoints set format = 'twilio' where id = '${id("whe", 5)}'`,
    `insert into lanes (id, kind, active, fence, pauses, paused_ms, day_count, revision)
     select id, 'gateway', active, 1, 0, 0, 0, 0 from gateways`,
    `insert into lanes (id, kind, active, fence, pauses, paused_ms, day_count, revision)
     select id, 'webhook', active, 1, 0, 0, 0, 0 from webhook_endpoints`,
    `update lanes set paused_until = ${now + minute}, paused_since = ${now - minute} where id = '${id("gw", 10)}'`,
    `update accounts set channel_failover = 1 where id = '${id("acc", 10)}'`,
    `insert into phones (gateway_id, account_id, token_hash, code_hash, sims, uses_push, pairing_expires_at, linked_at, seen_at)
     select ${idSql("gw", "i")}, ${idSql("acc", "i % 20")}, 'token' || i, 'code' || i, '[]', 0, ${now + minute}, 1, ${now - minute} from ${series(0, 8)}`,
    `insert into processes (id, heartbeat, started_at) select 'prc_' || i, 1, 1 from ${series(0, 3)}`,
    `insert into users (id, email, name, role, password, active, created_at, updated_at)
     select ${idSql("usr", "i")}, 'u' || i || '@example.com', 'U', 'operator', 'p', 1, ${times} from ${series(0, 10)}`,
    `insert into sessions (hash, user_id, created_at, seen_at, expires_at)
     select 'hash' || i, ${idSql("usr", "i % 10")}, 1, ${now}, ${now + minute} from ${series(0, 30)}`,
    `insert into setup_codes (hash, created_at, expires_at) select 'hash' || i, 1, ${now + minute} from ${series(0, 2)}`,
    `insert into user_setup_links (user_id, hash, created_at, expires_at)
     select ${idSql("usr", "i")}, 'link' || i, 1, ${now + minute} from ${series(0, 3)}`,
    `insert into management_tokens (id, hash, name, hint, role, created_at)
     select ${idSql("tok", "i")}, 'hash' || i, 'token ' || i, 'h', 'operator', 1 from ${series(0, 10)}`,
    `insert into sending_domains (id, account_id, domain, created_at, updated_at)
     select ${idSql("dom", "i")}, ${idSql("acc", "i % 20")}, 'd' || i || '.test', ${times} from ${series(0, 20)}`,
    `insert into dkim_keys (id, domain_id, account_id, selector, algorithm, public_key, private_key, state, created_at, updated_at)
     select ${idSql("dkm", "i")}, ${idSql("dom", "i % 20")}, ${idSql("acc", "i % 20")}, 's' || i, 'rsa-sha256', 'p', 'p',
       case when i < 20 then 'active' else 'pending' end, ${times} from ${series(0, 40)}`,
    `insert into pools (id, account_id, name, rules, revision, created_at, updated_at)
     select ${idSql("pool", "i")}, ${idSql("acc", "i % 20")}, 'pool ' || i, '{}', 1, ${times} from ${series(0, 20)}`,
    `insert into pool_members (id, pool_id, account_id, name, kind, rules, settings, created_at, updated_at)
     select ${idSql("mem", "i")}, ${idSql("pool", "i % 20")}, ${idSql("acc", "i % 20")}, 'm' || i, 'sandbox', '{}', 's', ${times}
     from ${series(0, 40)}`,
    `insert into pool_keys (id, pool_id, account_id, name, hash, hint, rules, created_at, updated_at)
     select ${idSql("key", "i")}, ${idSql("pool", "i % 20")}, ${idSql("acc", "i % 20")}, 'key ' || i, 'hash' || i, 'h', '{}', ${times} from ${series(0, 40)}`,
    `insert into deferred_completions (id, account_id, pool_id, key_id, status, priority, due_at, attempts, expires_at, bytes, request, scheduled_for, created_at, finished_at)
     select ${idSql("cmp", "i")}, ${idSql("acc", "i % 20")}, ${idSql("pool", "i % 20")}, ${idSql("key", "i % 20")},
       case when i < 400 then 'queued' else 'completed' end, 0, case when i < 400 then i end, 0, 1, 10, 's', 1, 1, case when i >= 400 then 1 end
     from ${series(0, 2000)}`,
    `insert into pool_answers (name, pool_id, key_id, bytes, expires_at, owner, fingerprint, answer)
     select 'answer ' || i, ${idSql("pool", "i % 20")}, ${idSql("key", "i % 20")}, 10, i, case when i < 20 then 'own' end, 'f',
       case when i >= 20 then 's' end from ${series(0, 2000)}`,
    `insert into call_contents (call_id, account_id, pool_id, stored_at, bytes, content)
     select ${idSql("req", "i")}, ${idSql("acc", "i % 20")}, ${idSql("pool", "i % 20")}, i, 10, 's' from ${series(0, 2000)}`,
    `insert into key_buckets (key_id, kind, used, at) select ${idSql("key", "i")}, 'tokens', 0, 1 from ${series(0, 40)}`,
    `insert into key_slots (key_id, slot, until) select ${idSql("key", "i")}, 'slot' || i, 1 from ${series(0, 40)}`,
    `insert into provisioned (kind, name, hash) select 'account', 'account ' || i, 'h' from ${series(0, 3)}`,
    `insert into installation_facts (name, value) values ('held', '{"at":1,"messages":1,"deliveries":1,"events":1}')`,
  ];
}
