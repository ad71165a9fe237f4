// The life of a message: which step leads from which state to which. Pure, and in one place; the store
// asks it about the row as it is inside the transaction, so that two steps at once cannot both be right.

import type { Status } from "./channel.ts";

/** What our own side does to a message. */
export type SystemStep =
  /** The provider took it. */
  | "accepted"
  /** It never will be sent. */
  | "rejected"
  /** Certainly not sent; it waits for its next try. */
  | "deferred"
  /** It may have been sent. */
  | "outcome_unknown"
  /** It may have been sent, and its gateway's policy is to send it once more. */
  | "resent"
  | "cancelled"
  /** The recipient, or the account, wants nothing more to go there. */
  | "suppressed"
  /** It was found due too late to be wanted. */
  | "expired"
  /** The account's own answers to an unknown outcome. */
  | "resent_by_account"
  | "marked_sent"
  | "marked_failed";

/** What a provider reports later. */
export const receiptSteps = ["sent", "delivered", "read", "undelivered", "failed", "bounced"] as const;
export type ReceiptStep = (typeof receiptSteps)[number];

export type Step = { by: "system"; step: SystemStep } | { by: "receipt"; step: ReceiptStep };

export interface Change {
  status: Status;
  /** Times to set, unless they are already. */
  timestamps: readonly ("sent_at" | "delivered_at" | "read_at")[];
  /** Credit goes back: the message ended without having been sent. */
  refund: boolean;
  error: "set" | "clear" | "keep";
}

/**
 * How much a state knows. A receipt only ever moves a message to a higher rank; the ranks are a total
 * order over what receipts can say, so receipts may come late, twice and in any order and still end alike.
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
  // Also the late answer of a process that lost its lane meanwhile: the message was sent, whatever was thought since.
  // Not from `failed`: an early receipt may have said so, and knows more than an acceptance.
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

const receipt: Record<ReceiptStep, Change> = {
  sent: { status: "sent", timestamps: ["sent_at"], refund: false, error: "clear" },
  delivered: { status: "delivered", timestamps: ["sent_at", "delivered_at"], refund: false, error: "clear" },
  read: { status: "read", timestamps: ["sent_at", "delivered_at", "read_at"], refund: false, error: "clear" },
  undelivered: { status: "undelivered", timestamps: ["sent_at"], refund: false, error: "set" },
  bounced: { status: "bounced", timestamps: ["sent_at"], refund: false, error: "set" },
  failed: { status: "failed", timestamps: [], refund: true, error: "set" },
};

/** The change that a step makes to a message in `status`; null when it makes none. */
export function advance(status: Status, { by, step }: Step): Change | null {
  if (by === "system") return systemSteps[step].from.includes(status) ? systemSteps[step].change : null;
  return rank[receipt[step].status] > rank[status] ? receipt[step] : null;
}

/** What each state counts as in: accepted = pending + sent + not sent + unknown. */
export const groups = {
  pending: ["queued", "scheduled", "sending"],
  sent: ["sent", "delivered", "read", "undelivered", "bounced"],
  notSent: ["failed", "expired", "cancelled", "suppressed"],
  unknown: ["unknown"],
} as const satisfies Record<string, readonly Status[]>;
