// Interprets the app's errors for messages that it could not send. It passes on Android's names of results
// (https://developer.android.com/reference/android/telephony/SmsManager) in a text, and some texts of its own.

import type { PhoneFailure } from "#store/phones/phone-reports.ts";

type Verdict = Omit<PhoneFailure, "code" | "reason">;

const phone: Verdict = { kind: "phone" };
/** Before the app passes the first part to Android. */
const phoneAtOnce: Verdict = { kind: "phone", nothingLeft: true };

const results: Readonly<Record<string, Verdict>> = {
  NO_SERVICE: phone,
  RADIO_OFF: phone,
  RADIO_NOT_AVAILABLE: phone,
  NO_DEFAULT_SMS_APP: phone,
  // Android lets an app send about 30 messages in 30 minutes unless the phone was set otherwise.
  LIMIT_EXCEEDED: { kind: "limited" },
  SHORT_CODE_NOT_ALLOWED: { kind: "rejected" },
  SHORT_CODE_NEVER_ALLOWED: { kind: "rejected" },
  FDN_CHECK_FAILURE: { kind: "rejected" },
  INVALID_ARGUMENTS: { kind: "rejected" },
  ENCODING_ERROR: { kind: "rejected" },
  NULL_PDU: { kind: "rejected" },
};

const texts: readonly { pattern: RegExp; verdict: Verdict; code: string }[] = [
  { pattern: /\bTTL expired\b/i, verdict: { kind: "expired", nothingLeft: true }, code: "expired" },
  { pattern: /\bDelivery result\b/i, verdict: { kind: "delivery" }, code: "undelivered" },
  { pattern: /\bSIM \d+ not found\b/i, verdict: phoneAtOnce, code: "sim_not_found" },
  { pattern: /\bNo SIMs? found\b/i, verdict: phoneAtOnce, code: "sim_not_found" },
  { pattern: /\bSIM selection requires\b/i, verdict: phoneAtOnce, code: "permission_missing" },
  { pattern: /\bpermission\b/i, verdict: phoneAtOnce, code: "permission_missing" },
];

/** The meaning of a failure; `text` is the app's, null if it gave none. */
export function failureOf(text: string | null): PhoneFailure {
  const reason = text ?? "The phone gave no reason.";
  const name = /\bRESULT_(?:ERROR_)?([A-Z_]{1,60})/.exec(reason)?.[1];
  if (name !== undefined)
    return { ...(results[name] ?? { kind: "vague" }), code: name.toLowerCase(), reason };
  for (const { pattern, verdict, code } of texts)
    if (pattern.test(reason)) return { ...verdict, code, reason };
  return { kind: "vague", code: "send_failed", reason };
}
