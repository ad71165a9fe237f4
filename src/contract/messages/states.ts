// The state machine of a message: which step leads from which state to which. Pure. The store applies it to the row inside
// the transaction, so that of two concurrent steps only one can succeed.

import type { Status } from "./channel.ts";

/** The steps that this system makes. */
export type SystemStep =
  /** The provider accepted the message. */
  | "accepted"
  /** The message will never be sent. */
  | "rejected"
  /** Certainly not sent; the message waits for its next attempt. */
  | "deferred"
  /** The message may have been sent. */
  | "doubted"
  /** The message may have been sent, and the policy of its gateway is to send it once more. */
  | "repeated"
  | "cancelled"
  /** The recipient is on the suppression list. */
  | "suppressed"
  /** The message was found due later than the account's lateness allows. */
  | "expired"
  /** The account's resolutions of an unknown outcome. */
  | "sent_again"
  | "marked_sent"
  | "marked_failed";

/** The steps that a provider reports later. */
export const receiptSteps = ["sent", "delivered", "read", "undelivered", "failed", "bounced"] as const;
export type ReceiptStep = (typeof receiptSteps)[number];

export type Step = { by: "us"; step: SystemStep } | { by: "receipt"; step: ReceiptStep };

export interface Change {
  status: Status;
  /** Times to set, unless they are already set. */
  timestamps: readonly ("sent_at" | "delivered_at" | "read_at")[];
  /** Whether the credit is refunded: the message ended without having been sent. */
  refund: boolean;
  error: "set" | "clear" | "keep";
}

/**
 * The rank of each state. A receipt only moves a message to a higher rank. The ranks are a total order of what receipts
 * report, so receipts that come late, twice and in any order lead to the same state.
 * `delivered` outranks `undelivered` and `failed` because it proves them wrong; `bounced` outranks
 * `delivered` because a mail server that took a mail can still return it.
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

const systemSteps: Record<SystemStep, { from: readonly Status[]; change: Change }> = {
  // Also the late outcome of a process that lost its lane: the message was sent, whatever its state says since.
  // Not from `failed`: an early receipt may have set it, and a receipt outranks an acceptance.
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
  doubted: { from: ["sending"], change: { status: "unknown", timestamps: [], refund: false, error: "set" } },
  repeated: { from: ["sending"], change: { status: "queued", timestamps: [], refund: false, error: "set" } },
  cancelled: {
    from: ["queued", "scheduled"],
    change: { status: "cancelled", timestamps: [], refund: true, error: "keep" },
  },
  suppressed: {
    from: ["queued", "scheduled"],
    change: { status: "suppressed", timestamps: [], refund: true, error: "set" },
  },
  expired: {
    from: ["queued", "scheduled"],
    change: { status: "expired", timestamps: [], refund: true, error: "set" },
  },
  sent_again: {
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

const receipt: Record<ReceiptStep, Change> = {
  sent: { status: "sent", timestamps: ["sent_at"], refund: false, error: "clear" },
  delivered: { status: "delivered", timestamps: ["sent_at", "delivered_at"], refund: false, error: "clear" },
  read: { status: "read", timestamps: ["sent_at", "delivered_at", "read_at"], refund: false, error: "clear" },
  undelivered: { status: "undelivered", timestamps: ["sent_at"], refund: false, error: "set" },
  bounced: { status: "bounced", timestamps: ["sent_at"], refund: false, error: "set" },
  failed: { status: "failed", timestamps: [], refund: true, error: "set" },
};

/** The change that a step makes to a message in `status`; null: the step has no effect. */
export function advance(status: Status, { by, step }: Step): Change | null {
  if (by === "us") return systemSteps[step].from.includes(status) ? systemSteps[step].change : null;
  return rank[receipt[step].status] > rank[status] ? receipt[step] : null;
}

/** The groups of states: accepted = pending + sent + not sent + unknown. */
export const groups = {
  pending: ["queued", "scheduled", "sending"],
  sent: ["sent", "delivered", "read", "undelivered", "bounced"],
  notSent: ["failed", "expired", "cancelled", "suppressed"],
  unknown: ["unknown"],
} as const satisfies Record<string, readonly Status[]>;
