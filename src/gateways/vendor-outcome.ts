// The outcome of a vendor's answer by the vendor's own error codes, if the status alone says too little. All adapters share it, so that
// accepted, ambiguous and certainly not sent mean the same for every vendor.

import type { OutboundResult } from "#runtime/runtime.ts";
import { cleanText } from "#settings/redact.ts";
import { retryAfter } from "#settings/retry-after.ts";
import { outcomeOfFailure, providerText } from "./http-outcome.ts";
import { type Json, parseJson, referenceFrom } from "./json-path.ts";
import type { FinalReceipt, Outcome } from "./outcome.ts";

/**
 * What a vendor's error means.
 * - `permanent`: the message is at fault and never will be sent
 * - `configuration`: the gateway is at fault, with every message
 * - `transient`: the message was not sent and can be tried again
 * - `ambiguous`: the message may have been sent
 * - `duplicate`: the vendor has such a message already. If an earlier transmission may have reached it, this one is
 *   accepted; otherwise it is another message, and this one is tried again later
 * - `opted_out`: the recipient has opted out at the vendor, which sends nothing
 * - `unclear`: the message was not sent, and the code does not say whether it or the gateway is at fault (`mayBeGatewayFault`)
 */
export type Fault =
  | "permanent"
  | "configuration"
  | "transient"
  | "ambiguous"
  | "duplicate"
  | "opted_out"
  | "unclear";

/**
 * What a 2xx says of its message, for vendors that answer 2xx to refusals too.
 * - `taken`: as the status says
 * - `refused`: `code` is the vendor's, null if it names none
 * - `unreadable`: it says neither yes nor no; `why` follows the status in "The vendor answered 200 without $.id"
 * - `unexpected`: the vendor accepts with other statuses
 */
export type Verdict =
  | { kind: "taken" }
  | { kind: "refused"; code: string | null; fault: Fault; text?: string }
  | { kind: "unreadable"; why: string }
  | { kind: "unexpected" };

/** An error in an answer: its code, the status, and the vendor's words as they will be shown. */
interface VendorError {
  code: string;
  status: number;
  text: string;
  json: Json;
}

/** How to read a vendor's answers. */
export interface AnswerFormat {
  /** The vendor's name in reasons. */
  vendor: string;
  /** The vendor's id of the message in a 2xx; null if the answer is not the vendor's, so the outcome is ambiguous. */
  reference(json: Json, answer: Answer): string | null;
  /** True if a 2xx without an id is accepted as well; receipts then contain our id. */
  referenceOptional?: boolean;
  /** Reads a 2xx before its reference. `json`: undefined if the body is not JSON. Default: it is `taken`. */
  verdict?(json: Json | undefined, answer: Answer): Verdict;
  /** The final status, if a 2xx already contains it; null if it does not. */
  receipt?(json: Json): FinalReceipt | null;
  /** The vendor's words in an answer that refuses; null if they are where most vendors put them. */
  text?(json: Json): string | null;
  /** The vendor's code in any other answer, for the record; null if it has none. */
  code?(json: Json, answer: Answer): string | null;
  /** By the vendor's documentation; undefined if the status decides. Not called for a 5xx that is not in `notAcceptedStatuses`. */
  faultOf?(error: VendorError): Fault | undefined;
  /** 5xx statuses with which this vendor has certainly not accepted the message. */
  notAcceptedStatuses?(json: Json): readonly number[];
  /** How long the vendor asks to wait, for a 429 without a valid `Retry-After`: a value for that header. */
  retryAfter?(answer: Answer, now: number): string | undefined;
}

interface AnswerContext {
  /** Texts that must not appear in a reason. Called only if there is a reason to write. */
  secrets: () => readonly string[];
  /** Epoch ms. */
  now: number;
  /** True if an earlier transmission of the message may have reached the vendor. */
  repeated?: boolean;
}

export type Answer = Extract<OutboundResult, { kind: "answer" }>;

/** How much of an answer's body is stored with an attempt. */
const maxBodyChars = 1_000;

/** The outcome of a vendor's answer, or of its absence: `accepted` only for a 2xx with the vendor's id. */
export function vendorOutcome(result: OutboundResult, format: AnswerFormat, context: AnswerContext): Outcome {
  const outcome = judgedOutcome(result, format, context);
  if (outcome.kind === "accepted" || result.kind !== "answer") return outcome;
  const body = cleanText(result.body.toString("utf8"), context.secrets(), maxBodyChars);
  return { ...outcome, answer: { status: result.status, body } };
}

function judgedOutcome(
  result: OutboundResult,
  format: AnswerFormat,
  { secrets, now, repeated = false }: AnswerContext,
): Outcome {
  if (result.kind !== "answer") return outcomeOfFailure(result, { secrets, now });
  const { status } = result;
  const parsed = parseJson(result.body);
  const json = parsed ?? null;
  if (status >= 200 && status < 300) {
    const verdict = format.verdict?.(parsed, result) ?? { kind: "taken" };
    switch (verdict.kind) {
      case "taken":
        break;
      case "unexpected":
        return outcomeOfFailure(result, { secrets, now });
      case "unreadable": {
        const reason = cleanText(`${format.vendor} answered ${status}${verdict.why}.`, secrets(), 290);
        return { kind: "unknown", code: "unreadable_answer", reason };
      }
      case "refused": {
        const texts = secrets();
        const { fault } = verdict;
        const code = readableCode(verdict.code, texts) ?? "refused";
        const text = cleanText(verdict.text ?? "", texts) || providerText(result.body, texts);
        const reason = `${format.vendor} refused it${text === "" ? "." : `: ${text}`}`;
        return outcomeOfFault(fault, {
          code,
          reason,
          repeated,
          ...retryAfter(result.headers["retry-after"], now),
        });
      }
    }
    const reference = referenceFrom(format.reference(json, result));
    if (reference !== null || format.referenceOptional) {
      const receipt = format.receipt?.(json) ?? null;
      return receipt === null ? { kind: "accepted", reference } : { kind: "accepted", reference, receipt };
    }
    const reason = `${format.vendor} answered ${status} without a message id.`;
    return { kind: "unknown", code: "unreadable_answer", reason };
  }
  const notAcceptedStatuses = format.notAcceptedStatuses?.(json) ?? [];
  const header = result.headers["retry-after"];
  const isReadable = retryAfter(header, now).retryAfterMs !== undefined;
  const wait = isReadable || status !== 429 ? header : (format.retryAfter?.(result, now) ?? header);
  const headers = wait === undefined ? result.headers : { ...result.headers, "retry-after": wait };
  const byStatus = outcomeOfFailure({ ...result, headers }, { secrets, now, notAcceptedStatuses });
  const code = readableCode(format.code?.(json, result) ?? null, secrets());
  if (byStatus.kind === "accepted" || code === null) return byStatus;
  const text = cleanText(format.text?.(json) ?? "", secrets()) || providerText(result.body, secrets());
  const reason = `${format.vendor} error ${code}${text === "" || text === code ? "." : `: ${text}`}`;
  const isUncertain = status < 400 || (status > 499 && !notAcceptedStatuses.includes(status));
  const fault = isUncertain ? undefined : format.faultOf?.({ code, status, text, json });
  if (fault === undefined) return { ...byStatus, code, reason };
  return outcomeOfFault(fault, { code, reason, repeated, ...retryAfter(wait, now) });
}

/** A vendor's code in the form in which it is stored and shown; null for a text that is not a code, or that contains a secret. */
function readableCode(code: string | null, secrets: readonly string[]): string | null {
  if (code === null || !/^[\w.:-]{1,64}$/.test(code)) return null;
  return cleanText(code, secrets, 64) === code ? code : null;
}

function outcomeOfFault(
  fault: Fault,
  error: { code: string; reason: string; repeated: boolean; retryAfterMs?: number },
): Outcome {
  const { repeated, retryAfterMs, ...details } = error;
  switch (fault) {
    case "permanent":
      return { kind: "rejected", ...details };
    case "unclear":
      return { kind: "rejected", ...details, mayBeGatewayFault: true };
    case "opted_out":
      return { kind: "rejected", ...details, code: "opted_out" };
    case "configuration":
      return { kind: "deferred", ...details, gatewayFault: "refused" };
    case "duplicate":
      if (repeated) return { kind: "accepted", reference: null };
      return { kind: "deferred", ...details };
    case "transient":
      return { kind: "deferred", ...details, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    case "ambiguous":
      return { kind: "unknown", ...details };
  }
}
