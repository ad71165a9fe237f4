// The meaning of Twilio's error codes for a message (https://www.twilio.com/docs/api/errors). Lists codes that say more than their HTTP
// status. Twilio keeps splitting codes; for all others the status decides.

import type { Fault } from "#gateways/vendor-outcome.ts";

const permanent = [
  21211, // 'To' is not a valid phone number
  21214, // 'To' cannot be reached
  21216, // blocked by Twilio
  21217, // 'To' does not appear to be valid
  21219, // 'To' is not verified (trial account)
  21265, // 'To' is a short code
  21266, // 'To' and 'From' are the same
  21408, // the account may not send to this region; other regions are not affected
  21602, // no body
  21604, // no 'To'
  21605, // body too long
  21608, // 'To' is not verified (trial account)
  21612, // 'To' cannot be reached from this 'From'
  21614, // 'To' is not a mobile number
  21617, // body over 1600 characters
  21618, // the body cannot be sent
  21635, // 'To' is a landline
  30450, // delivery blocked
];

const configuration = [
  10001, // account not active
  20003, // authentication failed
  20005, // account not active
  20006, // access denied
  20008, // test credentials
  20403, // account suspended or closed
  20404, // no such account
  21212, // 'From' is not valid
  21401, // 'From' is not a phone number
  21601, // 'From' cannot send SMS
  21603, // neither 'From' nor a messaging service
  21606, // 'From' cannot send to this destination or belongs to another account
  21607, // 'From' must be the sandbox number (trial account)
  21609, // the status callback's URL is not valid
  21616, // 'From' matches several numbers
  21657, // the sender id is not valid
  21659, // 'From' is not a Twilio number, or a short code of another country
  21660, // 'From' belongs to another account
  21661, // 'From' is not SMS-capable
  21701, // no such messaging service
  21702, // the messaging service is not available
  21703, // the messaging service has no number to send from
  21704, // the messaging service has no numbers
  21705, // the messaging service is not valid
  21708, // no alphanumeric sender
  21709, // alphanumeric sender not valid or not allowed
  21711, // the number is not of this messaging service
  21712, // the number is of another messaging service
  63038, // the account's daily limit is reached: a rolling day, so waiting helps
  70051, // authorisation failed
  90010, // account not active
];

const transient = [
  14107, // SMS rate limit
  20429, // too many requests: "never processed, always safe to retry"
  21611, // more than ten hours of messages queued for this 'From'
  21730, // maintenance
];

const faults = new Map<number, Fault>([
  [21610, "opted_out"],
  ...permanent.map((code) => [code, "permanent"] as const),
  ...configuration.map((code) => [code, "configuration"] as const),
  ...transient.map((code) => [code, "transient"] as const),
]);

/** Undefined for a code that is not listed. */
export function faultOf(code: number): Fault | undefined {
  return faults.get(code);
}

const deliveryErrors = new Map<string, string>([
  ["21610", "The recipient has opted out."],
  ["30001", "Twilio's queue overflowed."],
  ["30002", "The Twilio account was suspended before the message was sent."],
  ["30003", "The phone is switched off or out of reach."],
  ["30004", "The recipient or the carrier blocks the message."],
  ["30005", "The number is unknown or no longer in service."],
  ["30006", "The number is a landline, or its carrier cannot be reached."],
  ["30007", "Twilio or the carrier filtered the message."],
  ["30008", "The carrier gave no reason."],
  ["30009", "A part of the message was lost."],
  ["30010", "The message costs more than the price that is allowed."],
  ["30011", "The region does not support MMS."],
  ["30017", "The carrier's network is congested."],
  ["30018", "The carrier wants senders to be registered first."],
  ["30022", "The sender's A2P 10DLC rate limit is exceeded."],
  ["30023", "The sender's A2P 10DLC daily limit is reached."],
  ["30024", "The carrier does not know the numeric sender."],
  ["30027", "T-Mobile's daily limit for the A2P 10DLC brand is reached."],
  ["30032", "The toll-free number is not verified."],
  ["30033", "The A2P 10DLC campaign is suspended."],
  ["30034", "The sender is not registered for A2P 10DLC."],
  ["30035", "The sender's A2P 10DLC registration is still being set up."],
  ["30410", "The carrier did not answer in time."],
  ["30450", "Delivery to this recipient is blocked."],
  ["63038", "The Twilio account's daily limit is reached."],
]);

/** Why a message was not delivered, in plain words. */
export function deliveryError(code: string): string {
  return deliveryErrors.get(code) ?? `Twilio reports error ${code}.`;
}
