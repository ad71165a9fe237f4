// The tables of phones that fetch their messages themselves.

/** The link between a gateway and the phone that serves it; other gateways may use the phone's other SIMs. */
export interface PhonesTable {
  /** The gateway that owns the link; also the phone's id. */
  gateway_id: string;
  account_id: string;
  /** Digests of the credentials of a phone or a browser; null if there is none, or not yet. */
  token_hash: string | null;
  enrolment_hash: string | null;
  code_hash: string | null;
  page_hash: string | null;
  /** What a person is shown to link the phone: JSON, sealed; null if nothing. */
  pairing: string | null;
  /** Until when the code and the page work. */
  pairing_expires_at: number | null;
  /** As the phone reports itself. */
  name: string | null;
  app_version: string | null;
  /** JSON: the SIMs, as far as the app reports them; the texts are masked but for their last four characters. */
  sims: string;
  /** 1: the app still uses the notification channel that we do not support. */
  uses_push: 0 | 1;
  /** Percent. */
  battery: number | null;
  /** How far the phone's clock is ahead of ours, ms; null if unknown. */
  clock_skew_ms: number | null;
  /** Null if no phone is linked. */
  linked_at: number | null;
  /** The last authenticated request. */
  seen_at: number | null;
  /** What ended the last link, in plain words. */
  ended_reason: string | null;
}

/** Which phone a recipient of a spread is assigned to. */
export interface SpreadChoicesTable {
  /** The spread's id, a space and the recipient. */
  key: string;
  gateway_id: string;
  /** The last message to the recipient. */
  chosen_at: number;
}

/** A gateway whose phone may not send at its full rate. */
export interface PhoneSlowdownsTable {
  gateway_id: string;
  /** How often its rate was halved, as of `since`: the last time, epoch ms. */
  halvings: number;
  since: number;
}

/** What was handed to a phone, one row per message: its present transmission. */
export interface PhoneItemsTable {
  message_id: string;
  gateway_id: string;
  /** The only phone that has it. */
  phone_id: string;
  /** Part of the id under which the phone knows it: for the phone, a failure of an id is final. */
  transmission: number;
  handed_at: number;
  /** The phone does not send it after this. */
  valid_until: number;
  /** The state that the phone last reported; empty if none. */
  state: string;
  /** Failures for which the phone gave no better reason. */
  failures: number;
  /** 1: it is listed until the phone reports its outcome. */
  open: 0 | 1;
}
