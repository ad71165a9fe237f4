// Takes back the newest migrations, for the tests of those before them.

/** The newest. */
export const withoutWebhookNames = ["alter table webhook_endpoints drop column name"];

/** The thirty-third too. */
export const withoutAlertCauses = [
  ...withoutWebhookNames,
  "drop table alert_causes",
  "drop index hooks_alerts",
  "alter table hooks drop column alerts_failed_at",
  "alter table hooks drop column alerts",
];

/** The thirty-second too. */
export const withoutStatusCallbacks = [
  ...withoutAlertCauses,
  "drop table status_callbacks",
  "alter table webhook_endpoints drop column format",
];

/** The thirty-first too. */
export const withoutHooks = [...withoutStatusCallbacks, "drop table hooks"];

/** The thirtieth too. */
export const withoutWholeMails = [
  ...withoutHooks,
  "drop table mail_recipients",
  "alter table emails drop column extras",
  "alter table email_bodies drop column text_part",
  "alter table attachments drop column content_id",
  "alter table receipts drop column recipient",
  "alter table gateways drop column mail_sender",
];

/** The twenty-ninth too. */
export const withoutPoolKeyRotation = [
  ...withoutWholeMails,
  "drop index pool_keys_previous",
  ...["previous_hash", "previous_works_until"].map((column) => `alter table pool_keys drop column ${column}`),
];

/** The twenty-eighth too. */
export const withoutDeferredCounts = [
  ...withoutPoolKeyRotation,
  "alter table message_counts drop column deferred",
];

/** The twenty-seventh too. */
export const withoutStoppedBy = [
  ...withoutDeferredCounts,
  ...["operator_paused_by", "failing_since"].map((column) => `alter table lanes drop column ${column}`),
];

/** The twenty-sixth too. */
export const withoutKeptResults = [...withoutStoppedBy, "drop index deferred_completions_kept"];

/** The twenty-fifth too. */
export const withoutTokenEnds = [
  ...withoutKeptResults,
  ...["expires_at", "last_used_at"].map((column) => `alter table management_tokens drop column ${column}`),
];

/** The twenty-fourth too. */
export const withoutUnpricedCalls = [
  ...withoutTokenEnds,
  ...["usage_days", "usage_hours", "usage_parts", "usage_labels"].map(
    (table) => `alter table ${table} drop column unpriced`,
  ),
];

/** The twenty-third too. */
export const withoutPartCounting = [...withoutUnpricedCalls, "alter table gateways drop column counting"];

/** The twenty-second too. */
export const withoutOwnWords = [
  ...withoutPartCounting,
  "drop index messages_reference",
  "alter table messages drop column reference",
  "alter table messages drop column metadata",
];

/** The twenty-first too. */
export const withoutSenderNames = [...withoutOwnWords, "drop table sender_names"];

/** The twentieth too. */
export const withoutDeferredApi = [...withoutSenderNames, "alter table deferred_completions drop column api"];

/** The nineteenth too. */
export const withoutCallContents = [...withoutDeferredApi, "drop table call_contents"];

/** The eighteenth too. */
export const withoutTokenScopes = [
  ...withoutCallContents,
  "alter table management_tokens drop column scopes",
];

/** The seventeenth too. */
export const withoutLastRefusals = [
  ...withoutTokenScopes,
  "alter table refused_calls drop column last_at",
  "alter table refused_calls drop column retry_at",
];

/** The sixteenth too. */
export const withoutNamedKeys = [
  ...withoutLastRefusals,
  "drop table named_keys",
  ...["hint", "works_until", "last_used_at"].map((column) => `alter table api_keys drop column ${column}`),
];

/** The fifteenth too. */
export const withoutPoolAnswers = [
  ...withoutNamedKeys,
  "drop table pool_answers",
  "alter table completions drop column reused",
];

/** The fourteenth too. */
export const withoutPoolStatistics = [
  ...withoutPoolAnswers,
  "drop table usage_parts",
  "drop table refused_calls",
];

/** The thirteenth too. */
export const withoutExactCosts = [
  ...withoutPoolStatistics,
  ...["completions", "usage_days", "usage_hours", "usage_labels", "spend_days"].map(
    (table) => `alter table ${table} drop column cost_rest`,
  ),
  "alter table completions drop column cached_tokens",
  "alter table completions drop column cache_write_tokens",
  "alter table completions drop column price_source",
];

/** The eleventh too; the twelfth makes its indexes where they are missing. */
export const withoutSetupLinks = ["drop table user_setup_links", ...withoutExactCosts];
