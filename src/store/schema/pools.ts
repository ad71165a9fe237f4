// The tables of the AI half. Prices and costs are in millionths of the account's currency unit.

import type { DeferredStatus } from "#contract/ai/deferred.ts";
import type { CallKind } from "#contract/ai/operations.ts";
import type { Revised } from "#store/revision.ts";

type Flag = 0 | 1;

/** The revision is raised by each change of its members too. */
export interface PoolsTable extends Revised {
  id: string;
  account_id: string;
  /** Also the model name that callers see. */
  name: string;
  /** 1: a model that no member serves is refused instead of meaning the whole pool. */
  strict_models: Flag;
  answer_model: "pool" | "served";
  stream_mode: "live" | "complete";
  headers_after_ms: number;
  deadline_ms: number;
  /** For a whole answer of one member while another is left; null: half of what is left of the deadline. */
  answer_ms: number | null;
  /** How often a member that fails quickly is asked again at once. */
  repeats: number;
  /** A `Retry-After` of up to this long is waited for at the same member. */
  wait_ms: number;
  /** What becomes of sampling parameters that a member does not take. */
  params: "adapt" | "strict";
  /** JSON of `SharedBudget`. */
  budget: string;
  /** How whole answers are asked for upstream. */
  whole_answers: "forward" | "stream";
  /** The most calls that are asked twice, in millionths of all; null: none. */
  hedge_most: number | null;
  created_at: number;
  updated_at: number;
}

/** A budget that keys share. Costs in millionths. */
export interface SharedBudget {
  tokensPerDay: number | null;
  tokensPerMonth: number | null;
  costPerMonth: number | null;
  /** The share of a bound, in percent, whose use is announced; null: none. */
  lowPercent: number | null;
}

/** How long a member may take, step by step: JSON in `pool_members.timeouts`. */
export interface MemberTimeouts {
  connectMs: number;
  /** Of a stream: until the response headers. A whole answer sends its headers when it is complete. */
  headersMs: number;
  /** Of a stream: from the start until the first output. */
  firstTokenMs: number;
  /** The longest silence inside an answer. */
  idleMs: number;
  /** Of a stream: until the first output of a member that shows signs of reasoning, and the longest silence in it. */
  thinkingMs: number;
  /** For the whole answer; null: only the deadline of the request applies. */
  totalMs: number | null;
}

export interface PoolMembersTable extends Revised {
  id: string;
  pool_id: string;
  account_id: string;
  name: string;
  kind: string;
  active: Flag;
  /** JSON list; the first is asked for when the request names none of them. */
  models: string;
  /** JSON list. */
  embedding_models: string;
  /** JSON: a list for each forwarded operation that has models. */
  forwarded_models: string;
  context_tokens: number | null;
  /** Lower first. */
  priority: number;
  weight: number;
  /** Settings JSON, sealed as a whole. */
  settings: string;
  /** JSON of `MemberTimeouts`, as far as configured. */
  timeouts: string;
  /** For a million tokens. */
  input_price: number | null;
  output_price: number | null;
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
  /** Its first and last characters, to know it by. */
  hint: string;
  /** JSON list of the models it may use; null: all. */
  models: string | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
  tokens_per_day: number | null;
  tokens_per_month: number | null;
  cost_per_month: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface CompletionsTable {
  id: string;
  account_id: string;
  pool_id: string;
  key_id: string;
  at: number;
  kind: CallKind;
  stream: Flag;
  /** The status that the caller got; 499: the caller disconnected. */
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
  first_byte_ms: number | null;
  ms: number;
  /** 1: more than one member was asked. */
  failed_over: Flag;
  /** The end user that the caller named. */
  end_user: string | null;
  /** JSON list of the caller's tags, such as `team=checkout`. */
  tags: string;
  client_request_id: string | null;
}

/** A completion that is served later. Its lane is the pool's. */
export interface DeferredCompletionsTable {
  id: string;
  account_id: string;
  pool_id: string;
  /** The key that asked for it; only this key may read and cancel it. */
  key_id: string;
  status: DeferredStatus;
  /** Of the lane; one for all. */
  priority: 0;
  /** When it is asked for next; null: it has ended. */
  due_at: number | null;
  /** How often members were asked for it. */
  attempts: number;
  /** It fails when it has no answer by then. */
  expires_at: number;
  /** The length of the request. */
  bytes: number;
  /** Sealed; null: it has ended. */
  request: string | null;
  /** The answer or the error, sealed; null: there is none. */
  result: string | null;
  scheduled_for: number;
  created_at: number;
  finished_at: number | null;
}

/** What calls add up to. */
export interface UsageSums {
  requests: number;
  errors: number;
  /** Calls for which more than one member was asked. */
  failed_over: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number;
}

export interface UsageDaysTable extends UsageSums {
  key_id: string;
  /** JSON of member and model: one column, because plans of a key of four depend on statistics. */
  part: string;
  /** Empty: no member answered. */
  member: string;
  /** That the member was asked for; empty: no member answered. */
  model: string;
  /** Local day of the account. */
  day: string;
  account_id: string;
  pool_id: string;
  /** JSON counts by duration, see `pools/histogram.ts`. */
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
}

/** The last day or month of which it was announced that a budget runs low. */
export interface BudgetNoticesTable {
  /** A key, a pool or an account. */
  owner_id: string;
  bound: "tokens_per_day" | "tokens_per_month" | "cost_per_month";
  /** Local day, or month such as `2026-11`. */
  period: string;
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
  /** JSON counts by duration, see `pools/histogram.ts`. */
  latencies: string;
  first_bytes: string;
}

/** Kept as long as single calls. */
export interface UsageLabelsTable extends UsageSums {
  key_id: string;
  kind: "user" | "tag";
  /** Local day of the account. */
  day: string;
  /** The end user, or the tag such as `team=checkout`. Empty: those beyond what one write takes. */
  label: string;
  account_id: string;
  pool_id: string;
}

export interface KeyBucketsTable {
  key_id: string;
  kind: "requests" | "tokens";
  /**
   * Thousandths of a request or token that are taken out: what is left follows a limit that changes. Below zero
   * when more was given back than was missing.
   */
  used: number;
  /** When that was so. */
  at: number;
}

export interface KeySlotsTable {
  key_id: string;
  slot: string;
  /** When it is free again, should its process die. */
  until: number;
}
