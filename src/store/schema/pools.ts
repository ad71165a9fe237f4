// The tables of the AI gateway. Costs are in millionths of the account's currency unit, and the remainder in millionths of those
// (`cost_rest`).

import type { DeferredStatus } from "#contract/ai/deferred.ts";
import type { CallKind } from "#contract/ai/operations.ts";
import type { Revised } from "#store/revision.ts";

type Flag = 0 | 1;

/** Each change of its members increases the revision too. */
export interface PoolsTable extends Revised {
  id: string;
  account_id: string;
  /** Also the model name that callers see. */
  name: string;
  /** JSON of `PoolRules`. */
  rules: string;
  created_at: number;
  updated_at: number;
}

export interface PoolMembersTable extends Revised {
  id: string;
  pool_id: string;
  account_id: string;
  name: string;
  kind: string;
  /** JSON of `MemberRules`. */
  rules: string;
  /** Settings JSON, sealed as a whole. */
  settings: string;
  created_at: number;
  updated_at: number;
}

export interface PoolKeysTable extends Revised {
  id: string;
  pool_id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** Its first and last characters, for recognition. */
  hint: string;
  /** SHA-256 of the text before the last rotation, which works until `previous_works_until` (epoch ms); null if it ended at once. */
  previous_hash: string | null;
  previous_works_until: number | null;
  /** JSON of `KeyRules`. */
  rules: string;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface CompletionsTable {
  id: string;
  account_id: string;
  pool_id: string;
  /** The pool's own id if a person tried the pool without a key. */
  key_id: string;
  at: number;
  kind: CallKind;
  stream: Flag;
  /** The status that the caller received; 499 if the caller disconnected. */
  status: number;
  member: string | null;
  model: string | null;
  /** JSON list of the members that were tried, each with its duration and outcome. */
  attempts: string;
  prompt_tokens: number;
  completion_tokens: number;
  /** 1: the provider did not report the tokens; they are estimated from the length of the texts. */
  estimated: Flag;
  cost: number;
  cost_rest: number;
  /** Part of the prompt tokens: read from, and written to, the provider's cache. */
  cached_tokens: number;
  cache_write_tokens: number;
  /** The source of the price; null if none is known, or the call is from before. */
  price_source: "set" | "list" | null;
  first_byte_ms: number | null;
  ms: number;
  /** 1 if more than one member was called. */
  failed_over: Flag;
  /** The end user that the caller named. */
  end_user: string | null;
  /** JSON list of the caller's tags, such as `team=checkout`. */
  tags: string;
  client_request_id: string | null;
  /** The API of the completion, such as `messages`; null for another operation, or a call from before. */
  api: string | null;
  /** Who tried the pool: an email address, or the name of a management token. Null for a key's call. */
  person: string | null;
  /** The answer to an earlier request was used: by the pool's cache, or under its `Idempotency-Key`. */
  reused: "cache" | "idempotency_key" | null;
}

/** An answer that serves more than one request, or the lease of a call that will have one. */
export interface PoolAnswersTable {
  /** A digest of the request's lookup key. */
  name: string;
  pool_id: string;
  key_id: string;
  bytes: number;
  expires_at: number;
  /** The process that makes the call; null once it has the answer. */
  owner: string | null;
  /** A digest of the request, if the name does not contain it. */
  fingerprint: string;
  /** Sealed. Null while the call is under way. */
  answer: string | null;
}

/** The request and answer of a call. */
export interface CallContentsTable {
  call_id: string;
  account_id: string;
  pool_id: string;
  stored_at: number;
  /** The length of `content`. */
  bytes: number;
  /** Sealed. */
  content: string;
}

export interface PoolAnswerTables {
  pool_answers: PoolAnswersTable;
  call_contents: CallContentsTable;
}

/** A completion that is served later. Its lane is the pool's. */
export interface DeferredCompletionsTable {
  id: string;
  account_id: string;
  pool_id: string;
  /** The key that created it; only this key may read and cancel it. */
  key_id: string;
  /** The API of the completion, such as `messages`; null if it was stored before this was recorded. */
  api: string | null;
  status: DeferredStatus;
  /** The lane's priority; the same for all. */
  priority: 0;
  /** When it is next tried; null once it has ended. */
  due_at: number | null;
  /** How often members were called for it. */
  attempts: number;
  /** It fails if it has no answer by then. */
  expires_at: number;
  /** The length of the request. */
  bytes: number;
  /** Sealed; null once it has ended. */
  request: string | null;
  /** The answer or the error, sealed. Null while the completion has neither. */
  result: string | null;
  scheduled_for: number;
  created_at: number;
  finished_at: number | null;
}

/** Sums over calls. */
export interface UsageSums {
  requests: number;
  errors: number;
  /** Calls for which more than one member was called. */
  failed_over: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number;
  cost_rest: number;
  /** Calls that a member answered with a model without a known price. */
  unpriced: number;
}

export interface UsageDaysTable extends UsageSums {
  key_id: string;
  /** JSON of member and model: one column, because plans for a key of four depend on statistics. */
  part: string;
  /** The member that answered, otherwise the last one that failed; empty if none was called. */
  member: string;
  /** The model that the member was called with; empty if no member answered. */
  model: string;
  /** Local day of the account. */
  day: string;
  account_id: string;
  pool_id: string;
  /** JSON counts by duration, see `store/histogram.ts`. */
  latencies: string;
  first_bytes: string;
}

export interface SpendDaysTable {
  /** A pool or an account. */
  owner_id: string;
  /** Local day of the account. */
  day: string;
  tokens: number;
  cost: number;
  cost_rest: number;
}

/** The last day or month for which a low budget was announced. */
export interface BudgetNoticesTable {
  /** A key, a pool or an account. */
  owner_id: string;
  bound: "tokens_per_day" | "tokens_per_month" | "cost_per_month";
  /** Local day, or month such as `2026-11`. */
  period: string;
}

/** By member, model and status. Kept as long as single calls. */
interface UsagePartsTable extends UsageHoursTable {
  /** JSON of day, member, model and status: one column, because plans for a longer key depend on statistics. */
  part: string;
  /** As of `UsageDaysTable`. */
  member: string;
  model: string;
  /** Of the answer, such as `200`. */
  status: string;
}

/** Why a call was refused before any member was called. */
export type RefusedBy = "requests" | "tokens" | "concurrency" | "budget";

/** Calls that a limit or a budget refused. Kept as long as single calls. */
export interface RefusedCallsTable {
  key_id: string;
  /** Its beginning in UTC. */
  hour: string;
  /** JSON of day and `refused_by`. */
  part: string;
  /** Local day of the account. */
  day: string;
  refused_by: RefusedBy;
  account_id: string;
  pool_id: string;
  calls: number;
  /** The last of them, and when the limit or the budget allows a call again; null if written by a version that did not record it. */
  last_at: number | null;
  retry_at: number | null;
}

/** Kept as long as single calls. */
export interface UsageHoursTable extends UsageSums {
  key_id: string;
  /** Local day of the account. */
  day: string;
  /** Its beginning in UTC, such as `2026-11-21T13:00:00.000Z`. */
  hour: string;
  account_id: string;
  pool_id: string;
  /** JSON counts by duration, see `store/histogram.ts`. */
  latencies: string;
  first_bytes: string;
}

/** Calls of a pool over time. */
export interface PoolStatisticsTables {
  usage_parts: UsagePartsTable;
  refused_calls: RefusedCallsTable;
}

/** Kept as long as single calls. */
export interface UsageLabelsTable extends UsageSums {
  key_id: string;
  kind: "user" | "tag";
  /** Local day of the account. */
  day: string;
  /** The end user, or the tag such as `team=checkout`. Empty for those beyond the limit of one write. */
  label: string;
  account_id: string;
  pool_id: string;
}

export interface KeyBucketsTable {
  key_id: string;
  kind: "requests" | "tokens";
  /**
   * Thousandths of a request or token that are used: what remains follows a limit that changes. Below zero if more was returned than was
   * used.
   */
  used: number;
  /** The time of that state. */
  at: number;
}

export interface KeySlotsTable {
  key_id: string;
  slot: string;
  /** When it is freed if its process dies. */
  until: number;
}
