// The state machine of a message: which step leads from which state to which. It is pure; the store applies it to the
// locked row inside the transaction, so that of two concurrent steps the second sees the result of the first.

import type { Status } from "./channel.ts";

/** Steps that this system takes. */
export type SystemStep =
  /** The provider accepted the message. */
  | "accepted"
  /** The message will never be sent. */
  | "rejected"
  /** Certainly not sent; the message waits for its next attempt. */
  | "deferred"
  /** It may have been sent. */
  | "outcome_unknown"
  /** It may have been sent, and the gateway's policy is to send it once more. */
  | "resent"
  /** The provider did not deliver it, and the gateway sends it once more in another form. */
  | "returned"
  | "cancelled"
  /** The account moved it to another time. */
  | "rescheduled"
  /** The recipient is on the suppression list. */
  | "suppressed"
  /** It was due for longer than the account's lateness window. */
  | "expired"
  /** The account resolved an unknown outcome. */
  | "resent_by_account"
  | "marked_sent"
  | "marked_failed";

/** Steps that a provider reports. */
export const receiptSteps = ["sent", "delivered", "read", "undelivered", "failed", "bounced"] as const;
export type ReceiptStep = (typeof receiptSteps)[number];

/** What a provider may report. `returned`: like `undelivered`, and the gateway can send it in another form. */
export type ReportedStep = ReceiptStep | "returned";

export type Step = { by: "system"; step: SystemStep } | { by: "receipt"; step: ReceiptStep };

export interface Change {
  status: Status;
  /** Times to set where they are still null. */
  timestamps: readonly ("sent_at" | "delivered_at" | "read_at")[];
  /** The message ended without being sent, so its credit is refunded. */
  refund: boolean;
  error: "set" | "clear" | "keep";
}

/**
 * How much is known in a state. A receipt moves a message only to a higher rank. The ranks order all receipts, so
 * receipts that come late, twice or in any order lead to the same state. `delivered` outranks `undelivered` and `failed`
 * because it proves them wrong; `bounced` outranks `delivered` because a mail server can return a mail that it accepted.
 */
const rank: Record<Status, number> = {
  queued: 0,
  scheduled: 0,
  suppressed: 0,
  cancelled: 0,
  expired: 0,
  sending: 0,
  unknown: 0,
  sent: 1,
  failed: 2,
  undelivered: 3,
  delivered: 4,
  bounced: 5,
  read: 6,
};

/** The order of reports that arrived in the same millisecond: less is known first. */
export const byRank = (a: ReportedStep, b: ReportedStep): number => rankOf(a) - rankOf(b);
const rankOf = (step: ReportedStep): number => (step === "returned" ? 0 : rank[step]);

const systemSteps: Record<SystemStep, { from: readonly Status[]; change: Change }> = {
  // Also from later states: the outcome may come late, from a process that lost its lane, and proves that the message was
  // sent. Not from `failed`, which an early receipt may have set and which knows more than an acceptance.
  accepted: {
    from: ["sending", "unknown", "queued", "cancelled", "expired", "suppressed"],
    change: { status: "sent", timestamps: ["sent_at"], refund: false, error: "clear" },
  },
  rejected: {
    from: ["sending", "unknown"],
    change: { status: "failed", timestamps: [], refund: true, error: "set" },
  },
  deferred: {
    from: ["sending", "unknown"],
    change: { status: "queued", timestamps: [], refund: false, error: "set" },
  },
  outcome_unknown: {
    from: ["sending"],
    change: { status: "unknown", timestamps: [], refund: false, error: "set" },
  },
  resent: { from: ["sending"], change: { status: "queued", timestamps: [], refund: false, error: "set" } },
  // Not from `sending`: a lane is working on it, and settles what it began.
  returned: {
    from: ["sent", "unknown"],
    change: { status: "queued", timestamps: [], refund: false, error: "set" },
  },
  cancelled: {
    from: ["queued", "scheduled"],
    change: { status: "cancelled", timestamps: [], refund: true, error: "keep" },
  },
  rescheduled: {
    from: ["queued", "scheduled"],
    change: { status: "scheduled", timestamps: [], refund: false, error: "keep" },
  },
  suppressed: {
    from: ["queued", "scheduled"],
    change: { status: "suppressed", timestamps: [], refund: true, error: "set" },
  },
  expired: {
    from: ["queued", "scheduled"],
    change: { status: "expired", timestamps: [], refund: true, error: "set" },
  },
  resent_by_account: {
    from: ["unknown"],
    change: { status: "queued", timestamps: [], refund: false, error: "keep" },
  },
  marked_sent: {
    from: ["unknown"],
    change: { status: "sent", timestamps: ["sent_at"], refund: false, error: "clear" },
  },
  marked_failed: {
    from: ["unknown"],
    change: { status: "failed", timestamps: [], refund: true, error: "set" },
  },
};

const receiptChanges: Record<ReceiptStep, Change> = {
  sent: { status: "sent", timestamps: ["sent_at"], refund: false, error: "clear" },
  delivered: { status: "delivered", timestamps: ["sent_at", "delivered_at"], refund: false, error: "clear" },
  read: { status: "read", timestamps: ["sent_at", "delivered_at", "read_at"], refund: false, error: "clear" },
  undelivered: { status: "undelivered", timestamps: ["sent_at"], refund: false, error: "set" },
  bounced: { status: "bounced", timestamps: ["sent_at"], refund: false, error: "set" },
  failed: { status: "failed", timestamps: [], refund: true, error: "set" },
};

/** The change that a step makes to a message in `status`; null if the step has no effect. */
export function advance(status: Status, { by, step }: Step): Change | null {
  if (by === "system") return systemSteps[step].from.includes(status) ? systemSteps[step].change : null;
  return rank[receiptChanges[step].status] > rank[status] ? receiptChanges[step] : null;
}

/** How states are counted: accepted = pending + sent + not sent + unknown. */
export const groups = {
  pending: ["queued", "scheduled", "sending"],
  sent: ["sent", "delivered", "read", "undelivered", "bounced"],
  notSent: ["failed", "expired", "cancelled", "suppressed"],
  unknown: ["unknown"],
} as const satisfies Record<string, readonly Status[]>;
