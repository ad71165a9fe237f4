// What a run leaves behind: what clients got, what the lookups and the ledger say, what the provider took
// and what the webhook sink was posted. The checkers compare these and nothing else.

export type SendResult =
  | { kind: "acknowledged"; ids: string[] }
  /** Any answer but a 2xx: nothing of the request may exist. */
  | { kind: "refused"; status: number; code: string | null }
  /** No complete answer: all of it may exist, or nothing. */
  | { kind: "none"; reason: string };

/** A send request as the client recorded it. */
export interface Sent {
  account: string;
  gateway: string;
  markers: string[];
  /** Of a request with a key: what all its answers together say. */
  result: SendResult;
  /** Null: it carried no key, and was asked once. */
  repeat: Repeat | null;
}

/** A request that carried an `Idempotency-Key` and was asked again until it had an answer, and sometimes after. */
export interface Repeat {
  key: string;
  /** Every complete answer, in the order of their arrival; what got none is not among them. */
  answers: Answer[];
}

export interface Answer {
  status: number;
  code: string | null;
  /** It said `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** Of a 2xx: the whole body. */
  body: string | null;
  /** Of a 2xx: the request's id. */
  request: string | null;
}

/** A line of a message's timeline. */
export interface Happening {
  /** ISO 8601. */
  at: string;
  type: string;
}

/** A message as the lookups show it. */
export interface Row {
  id: string;
  /** The id of the request it came with. */
  request: string;
  marker: string | null;
  account: string;
  gateway: string;
  status: string;
  /** The provider's id, as far as the server knows it. */
  reference: string | null;
  segments: number;
  error: string | null;
  /** Acceptance first. */
  timeline: readonly Happening[];
}

/** A line of the provider's journal. `answer`: `ok`, or the fault with which it answered. */
export interface Taken {
  at: number;
  marker: string;
  id: string;
  gateway: string;
  answer: string;
}

/** A post to an account's webhook endpoint, as the sink journalled it and its reader understood it. */
export interface Posted {
  /** Whose endpoint it went to. */
  account: string;
  /** The `webhook-id`. */
  id: string;
  /** Whether its signature is that of the endpoint's secret. */
  signed: boolean;
  type: string;
  /** The body's own. */
  timestamp: string;
  /** What it is about: `data.id`, where there is one. */
  subject: string | null;
  /** `data.status`, where there is one. */
  status: string | null;
  /** Of the whole body. */
  digest: string;
  /** `ok`, or the fault with which it was answered; only `ok` was a 2xx. */
  answer: string;
}

/** An inbound message that the provider posted, over and over until the service took it. */
export interface Handed {
  marker: string;
  account: string;
  gateway: string;
  /** How many of its posts were answered with a 2xx. */
  taken: number;
}

/** An inbound message as the lookups show it. */
export interface Inbound {
  id: string;
  marker: string | null;
  account: string;
  gateway: string;
}

export interface LedgerEntry {
  kind: string;
  reference: string;
  amount: number;
  /** The balance after it. */
  remaining: number;
}

/** The credit of an account on the channel, and everything that moved it. */
export interface Ledger {
  account: string;
  remaining: number;
  entries: readonly LedgerEntry[];
}

export interface Evidence {
  sent: readonly Sent[];
  rows: readonly Row[];
  taken: readonly Taken[];
  /** Whether everything was given the time to end; then nothing may still be pending, and all has been posted. */
  drained: boolean;
  /** What a gateway does with a message whose transmission is in doubt. */
  policy: (gateway: string) => "hold" | "resend";
  /** Upper bound of messages in doubt; null: not judged. */
  unknownAtMost: number | null;
  /** Provider ids whose delivery report was answered with a 2xx. */
  reported: ReadonlySet<string>;
  /** Whether a gateway's reports carry our id, and so settle a message whose provider id we never saw. */
  settlesDoubt: (gateway: string) => boolean;
  /** Credit used per account, as the account itself says; null: no allowance. */
  creditUsed: Readonly<Record<string, number>> | null;
  ledgers: readonly Ledger[];
  posted: readonly Posted[];
  handed: readonly Handed[];
  inbound: readonly Inbound[];
}

/** What a status means for the question whether a message was sent. */
export const classes: Readonly<Record<string, "pending" | "sent" | "notSent" | "unknown">> = {
  queued: "pending",
  scheduled: "pending",
  sending: "pending",
  sent: "sent",
  delivered: "sent",
  read: "sent",
  undelivered: "sent",
  bounced: "sent",
  failed: "notSent",
  expired: "notSent",
  cancelled: "notSent",
  suppressed: "notSent",
  unknown: "unknown",
};

export function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
