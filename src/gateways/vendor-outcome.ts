// The outcome of a vendor's answer by the vendor's own error codes, where the status alone says too little. All adapters
// share it, so that accepted, ambiguous and certainly not sent mean the same for every vendor.

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
 */
export type Fault = "permanent" | "configuration" | "transient" | "ambiguous";

/** An error in an answer: its code, the status, and the vendor's words as they will be shown. */
export interface VendorError {
  code: string;
  status: number;
  text: string;
  json: Json;
}

/** How to read a vendor's answers. */
export interface AnswerFormat {
  /** The vendor's name in reasons. */
  vendor: string;
  /** The vendor's id of the message in a 2xx; null: the answer is not the vendor's, so the outcome is ambiguous. */
  reference(json: Json, answer: Answer): string | null;
  /** How the message ended, if a 2xx already says so; null: it does not. */
  receipt?(json: Json): FinalReceipt | null;
  /** The vendor's code in any other answer, for the record; null: it has none. */
  code?(json: Json, answer: Answer): string | null;
  /**
   * By the vendor's documentation; undefined: the status decides. Not called for a 5xx that is not in
   * `notAcceptedStatuses`.
   */
  faultOf?(error: VendorError): Fault | undefined;
  /** 5xx statuses with which this vendor certainly has not taken the message. */
  notAcceptedStatuses?(json: Json): readonly number[];
  /** How long the vendor asks to wait, for a 429 without a readable `Retry-After`: a value for that header. */
  retryAfter?(answer: Answer, now: number): string | undefined;
}

export interface AnswerContext {
  /** Texts that must not appear in a reason. Called only when there is a reason to write. */
  secrets: () => readonly string[];
  /** Epoch ms. */
  now: number;
}

export type Answer = Extract<OutboundResult, { kind: "answer" }>;

/** The outcome of a vendor's answer, or of its absence: `accepted` only for a 2xx with the vendor's id. */
export function vendorOutcome(
  result: OutboundResult,
  format: AnswerFormat,
  { secrets, now }: AnswerContext,
): Outcome {
  if (result.kind !== "answer") return outcomeOfFailure(result, { secrets, now });
  const { status } = result;
  const json = parseJson(result.body) ?? null;
  if (status >= 200 && status < 300) {
    const reference = referenceFrom(format.reference(json, result));
    if (reference !== null) {
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
  const code = format.code?.(json, result) ?? null;
  if (byStatus.kind === "accepted" || code === null || !/^[\w.:-]{1,64}$/.test(code)) return byStatus;
  if (cleanText(code, secrets(), 64) !== code) return byStatus;
  const text = providerText(result.body, secrets());
  const reason = `${format.vendor} error ${code}${text === "" || text === code ? "." : `: ${text}`}`;
  const isUncertain = status < 400 || (status > 499 && !notAcceptedStatuses.includes(status));
  switch (isUncertain ? undefined : format.faultOf?.({ code, status, text, json })) {
    case "permanent":
      return { kind: "rejected", code, reason };
    case "configuration":
      return { kind: "deferred", code, reason, gatewayFault: "refused" };
    case "transient":
      return { kind: "deferred", code, reason, ...retryAfter(wait, now) };
    case "ambiguous":
      return { kind: "unknown", code, reason };
    case undefined:
      return { ...byStatus, code, reason };
  }
}
