// The meaning of the Graph API's error codes for a message
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes). The HTTP status says little: most
// throttles come with 400, and a missing permission with 500. It decides only for codes that are not listed.

import type { Fault } from "#gateways/vendor-outcome.ts";

interface CodeRule {
  fault: Fault;
  /** With this code, even a 5xx certainly means that nothing was sent. */
  definite?: true;
  /** For a transient fault: the message waits at least this long. */
  waitMs?: number;
  /** For a fault of the gateway: its lane pauses at least this long. */
  pauseMs?: number;
}

const minute = 60_000;

/** The recipient has not written within 24 hours. Meta mostly finds this out after it accepted the message. */
export const windowClosed = "131047";

const table: readonly (readonly [codes: readonly number[], rule: CodeRule])[] = [
  // The token is invalid or expired; the number was deleted; access is denied.
  [[0, 190, 10, 33, 131005], { fault: "configuration" }],
  // A permission is missing. Comes with 500.
  [[3], { fault: "configuration", definite: true }],
  // The budget of calls of the app or the account, counted by the hour.
  [[4, 80007], { fault: "configuration", pauseMs: 15 * minute }],
  // The account is restricted or locked; the number is restricted because its messages were reported as spam.
  [[368, 131031, 131048], { fault: "configuration", pauseMs: 15 * minute }],
  // The display name is not approved; no payment method; template categories were violated; payments.
  [[131037, 131042, 131064, 134011, 134100, 134101, 134102, 1752041], { fault: "configuration" }],
  // The number is not registered, or its registration is out of order. Some come with 500.
  [
    [131045, 133000, 133005, 133006, 133008, 133009, 133010, 133015, 133016],
    { fault: "configuration", definite: true },
  ],
  // The service is down or overloaded, and has not accepted the message.
  [[2, 131016, 133004], { fault: "transient", definite: true }],
  // The number is being upgraded to a higher throughput, which takes up to a minute.
  [[131057], { fault: "transient", definite: true, waitMs: minute }],
  // Throughput of the number; rate to one recipient, whose wait depends on the attempt; a flow's throttle; "try again".
  [[130429, 131056, 132069, 135000], { fault: "transient", waitMs: 1000 }],
  // Something failed, and Meta does not say at which point.
  [[131000], { fault: "ambiguous" }],
  // Malformed, with a 400; a parameter is wrong or missing; the method is not allowed: for this message, or for every request.
  [[1, 100, 131008, 131009, 131055], { fault: "unclear" }],
  [
    [
      130472, // the recipient is part of a marketing experiment
      130497, // the category is not allowed in the recipient's country
      131021, // the recipient is the sender
      131026, // cannot be delivered: not on WhatsApp, or blocked; no proof that the number is wrong
      131030, // a test number, and the recipient is not on its list
      Number(windowClosed),
      131049, // the recipient gets too many marketing messages; repeated tries make it worse
      131050, // the recipient does not want marketing messages
      131051, // this type of message is not supported
      131052, // media of a recipient could not be fetched
      131053, // media was refused
      131060, // the message is not available
      131062, // an authentication template needs a phone number
      132000, // number of parameters
      132001, // the template does not exist in this language; comes with 404
      132005, // the filled-in text is too long
      132007, // the template violates a policy
      132012, // format of a parameter
      132015, // the template is paused
      132016, // the template is disabled
      132018, // a parameter's text is not allowed
      132068, // the flow is blocked
      139200, // the account may not send directly
      141002, // the template is not approved
      147001, // usernames, from here on
      147002,
      147003,
      147004,
      147005,
    ],
    { fault: "permanent" },
  ],
];

const rules = new Map(table.flatMap(([codes, rule]) => codes.map((code) => [code, rule] as const)));

/** Undefined for a code that is not listed. */
export function ruleOf(code: number): CodeRule | undefined {
  if (code >= 200 && code <= 299) return { fault: "configuration" };
  return rules.get(code);
}

/** The rate to one recipient recovers in steps of 4^n seconds; the wait is limited to an hour. */
export function pairWaitMs(attempt: number): number {
  return Math.min(4 ** Math.min(attempt, 6) * 1000, 3_600_000);
}
