// The tables, as kysely sees them. Epoch milliseconds are `…_at`, booleans are 0 or 1, JSON is text.

import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import type { Revised } from "#store/revision.ts";
import type {
  AttachmentChunksTable,
  AttachmentsTable,
  CallbackSignaturesTable,
  DkimKeysTable,
  EmailBodiesTable,
  EmailsTable,
  EngagementsTable,
  MailRecipientsTable,
  SendingDomainsTable,
  SoftBouncesTable,
} from "./email.ts";
import type {
  GatewayAccountUpdatesTable,
  InboundTable,
  PartlyDeliveredTable,
  ReceiptsTable,
  ReferencesTable,
  ReplyWindowsTable,
  SenderNamesTable,
  UnknownWordsTable,
} from "./feedback.ts";
import type { GatewaySessionsTable, GatewayValuesTable } from "./gateway-sessions.ts";
import type { GatewayPausesTable, GatewayReportsTable, MessageCountsTable } from "./history.ts";
import type { AlertCausesTable, HooksTable } from "./hooks.ts";
import type {
  AuditEntriesTable,
  ManagementTokensTable,
  SessionsTable,
  SetupCodesTable,
  UserSetupLinksTable,
  UsersTable,
} from "./identity.ts";
import type { ApiKeysTable, NamedKeysTable } from "./keys.ts";
import type { MessageState } from "./message-state.ts";
import type { MessagePayloadsTable } from "./payloads.ts";
import type { PhoneItemsTable, PhoneSlowdownsTable, PhonesTable, SpreadChoicesTable } from "./phones.ts";
import type {
  BudgetNoticesTable,
  CompletionsTable,
  DeferredCompletionsTable,
  KeyBucketsTable,
  KeySlotsTable,
  PoolAnswerTables,
  PoolKeysTable,
  PoolMembersTable,
  PoolStatisticsTables,
  PoolsTable,
  SpendDaysTable,
  UsageDaysTable,
  UsageHoursTable,
  UsageLabelsTable,
} from "./pools.ts";
import type {
  OutboxTable,
  StatusCallbacksTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
  WebhookEventsTable,
} from "./webhooks.ts";

type Flag = 0 | 1;

export interface AccountsTable extends Revised {
  id: string;
  name: string;
  time_zone: string;
  country: string | null;
  plan_name: string;
  plan_expires_at: number | null;
  requests_per_minute: number | null;
  /** A message that is found more than this late is expired instead of sent, ms. */
  lateness_ms: number;
  /** 1: messages whose caller named no gateway move from a paused gateway to the next. */
  channel_failover: Flag;
  /** How many files a request may bring, and how large each may be, bytes. */
  attachment_files: number;
  attachment_bytes: number;
  /** JSON of `SharedBudgetRules`, for all pools; null if there are none. */
  ai_budget: string | null;
  created_at: number;
  updated_at: number;
}

export interface CreditsTable {
  account_id: string;
  channel: Channel;
  allowance: number;
  remaining: number;
  renews: "monthly" | null;
  /** Credit granted beyond the allowance since the last renewal; refunds may fill the balance up to it again. */
  bonus: number;
  /** When `remaining` was last set to `allowance`. */
  renewed_at: number;
}

export interface GatewaysTable extends Revised {
  id: string;
  account_id: string;
  identifier: string;
  channel: Channel;
  kind: string;
  active: Flag;
  is_default: Flag;
  test: Flag;
  /** Settings JSON, sealed as a whole, because each field may contain a secret. */
  settings: string;
  /** JSON of `GatewayRules`: pace, retry, what to do with an unknown outcome. */
  rules: string;
  /** How acceptance counts the parts of its texts, by the kind's `PartCounting`. Null if as GSM or UCS-2. */
  counting: string | null;
  /** JSON of `MailTerms`, for an email gateway; null if the row is older than that. */
  mail_sender: string | null;
  /** Since when it accepts no new messages, because it is deleted once its messages have ended; null if it is not being deleted. */
  draining_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A deleted gateway. Its messages still name it. */
interface DeletedGatewaysTable
  extends Pick<GatewaysTable, "id" | "account_id" | "identifier" | "channel" | "kind"> {
  deleted_at: number;
}

interface RequestsTable {
  id: string;
  account_id: string;
  channel: Channel;
  /** How many of its messages exist: retention reduces the number. */
  contacts: number;
  created_at: number;
}

export interface MessagesTable extends MessageState {
  id: string;
  account_id: string;
  request_id: string;
  channel: Channel;
  gateway_id: string;
  /** 1: the caller named the gateway, or its key some gateways, so the message never moves to another one. */
  gateway_pinned: Flag;
  /** The recipient as the caller wrote it: a phone number, or an email address. */
  recipient_raw: string;
  /** E.164, a short code, or an email address in the form in which addresses are compared. */
  recipient: string;
  /** The message's contents, besides or instead of `body`. A gateway that cannot send them never gets the message. */
  content: ContentKind;
  /** Empty for an email: see `email_bodies`. */
  body: string;
  test: Flag;
  /** The size class of its request; see `queue/priority.ts`. */
  priority: number;
  /** The fence of its last attempt. */
  fence: number;
  schedule_at: string | null;
  scheduled_for: number | null;
  created_at: number;
  encoding: "gsm7" | "ucs2" | null;
  segments: number | null;
  /** Credit that was reserved for it. */
  cost: number;
  /** The spread that chose its gateway, and may choose again while it waits; null if none did. */
  spread_id: string | null;
  /** The caller's own reference. */
  reference: string | null;
  /** JSON of the caller's own metadata. */
  metadata: string | null;
}

export interface EventsTable {
  message_id: string;
  seq: number;
  account_id: string;
  at: number;
  /** The state that the message came to. */
  type: string;
  /** Plain words; may be empty. */
  detail: string;
  /** JSON of an `AttemptEnd`, for the end of an attempt that was not accepted; otherwise null. */
  attempt: string | null;
}

export type LaneKind = "gateway" | "webhook" | "deferred" | "fan_out" | "maintenance" | "reroute" | "alerts";

export interface LanesTable {
  /** The id of the gateway, webhook endpoint or pool (`deferred`); the other kinds have one lane each, with the name of the kind. */
  id: string;
  kind: LaneKind;
  active: Flag;
  owner: string | null;
  fence: number;
  paused_until: number | null;
  pause_reason: string | null;
  /** Pauses in a row without a success, which determine the length of the next one. */
  pauses: number;
  /** When the current pause began; null if it is not paused. */
  paused_since: number | null;
  /** Since when the gateway has failed, through all pauses that followed one another without a success; null if it has not. */
  failing_since: number | null;
  /** The total length of all finished pauses: a lane's clock is the wall clock minus this, so that retry windows do not advance. */
  paused_ms: number;
  /** Local day that `day_count` counts for. */
  day: string | null;
  day_count: number;
  /** Increases whenever the gateway's settings or rules change, so that its owner reopens it. */
  revision: number;
  /** When an operator paused it; null if none did. Separate from `paused_since`, so that no probe is sent. */
  operator_paused_at: number | null;
  /** Who did; null if none did, or it is not known. */
  operator_paused_by: string | null;
  /** The process that requested the lane; null if none did, or it has the lane. */
  wanted_by: string | null;
  /** For a lane that a phone fetches from: the earliest time for its next message; null for now. */
  next_at: number | null;
}

interface ProcessesTable {
  id: string;
  heartbeat: number;
  started_at: number;
}

interface ProvisionedTable {
  kind: string;
  name: string;
  hash: string;
}

interface FactsTable {
  name: string;
  value: string;
}

export interface IdempotencyKeysTable {
  account_id: string;
  path: string;
  key: string;
  /** SHA-256 of the request, hex. */
  fingerprint: string;
  request_id: string;
  /** The request's messages lie between these, in the order of its contacts. */
  first_id: string;
  last_id: string;
  created_at: number;
}

type CreditEntryKind = "opening" | "reserve" | "return" | "renew" | "grant" | "allowance";

export interface CreditEntriesTable {
  account_id: string;
  channel: Channel;
  kind: CreditEntryKind;
  /** The subject: a request, a message, or an entry's own id. Unique together with the kind, so nothing counts twice. */
  reference: string;
  at: number;
  /** Added to the balance; negative if taken from it. */
  amount: number;
  /** The balance after it. */
  remaining: number;
  note: string | null;
}

export type SuppressionReason = "opt_out" | "manual" | "bounce" | "complaint" | "unsubscribe";

export interface SuppressionsTable {
  account_id: string;
  channel: Channel;
  /** In the form that messages use: E.164, a short code, or a lower-case address. */
  recipient: string;
  reason: SuppressionReason;
  note: string | null;
  created_at: number;
}

export interface Schema extends PoolAnswerTables, PoolStatisticsTables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  named_keys: NamedKeysTable;
  hooks: HooksTable;
  alert_causes: AlertCausesTable;
  credits: CreditsTable;
  gateways: GatewaysTable;
  requests: RequestsTable;
  messages: MessagesTable;
  message_events: EventsTable;
  message_counts: MessageCountsTable;
  message_references: ReferencesTable;
  receipts: ReceiptsTable;
  partly_delivered: PartlyDeliveredTable;
  callback_signatures: CallbackSignaturesTable;
  unknown_words: UnknownWordsTable;
  deleted_gateways: DeletedGatewaysTable;
  gateway_pauses: GatewayPausesTable;
  gateway_reports: GatewayReportsTable;
  gateway_account_updates: GatewayAccountUpdatesTable;
  gateway_sessions: GatewaySessionsTable;
  gateway_values: GatewayValuesTable;
  phones: PhonesTable;
  spread_choices: SpreadChoicesTable;
  phone_slowdowns: PhoneSlowdownsTable;
  phone_items: PhoneItemsTable;
  inbound_messages: InboundTable;
  reply_windows: ReplyWindowsTable;
  sender_names: SenderNamesTable;
  lanes: LanesTable;
  processes: ProcessesTable;
  provisioned: ProvisionedTable;
  installation_facts: FactsTable;
  outbox: OutboxTable;
  /** The outbox entries of a restored backup, until the operator releases or cancels them. */
  outbox_held: OutboxTable;
  status_callbacks: StatusCallbacksTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_events: WebhookEventsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  idempotency_keys: IdempotencyKeysTable;
  credit_entries: CreditEntriesTable;
  suppressions: SuppressionsTable;
  users: UsersTable;
  sessions: SessionsTable;
  management_tokens: ManagementTokensTable;
  setup_codes: SetupCodesTable;
  user_setup_links: UserSetupLinksTable;
  audit_entries: AuditEntriesTable;
  pools: PoolsTable;
  pool_members: PoolMembersTable;
  pool_keys: PoolKeysTable;
  completions: CompletionsTable;
  spend_days: SpendDaysTable;
  budget_notices: BudgetNoticesTable;
  deferred_completions: DeferredCompletionsTable;
  usage_days: UsageDaysTable;
  usage_hours: UsageHoursTable;
  usage_labels: UsageLabelsTable;
  key_buckets: KeyBucketsTable;
  key_slots: KeySlotsTable;
  emails: EmailsTable;
  email_bodies: EmailBodiesTable;
  mail_recipients: MailRecipientsTable;
  message_payloads: MessagePayloadsTable;
  attachments: AttachmentsTable;
  attachment_chunks: AttachmentChunksTable;
  sending_domains: SendingDomainsTable;
  dkim_keys: DkimKeysTable;
  soft_bounces: SoftBouncesTable;
  engagements: EngagementsTable;
}
