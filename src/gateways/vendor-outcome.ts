// The outcome of a vendor's answer by the vendor's own error codes, where its status alone would say too little. One
// reading for all of them: what is accepted, in doubt or certainly not sent must not differ from adapter to adapter.

import { type Json, parseJson, referenceFrom } from "#gateways/sms/http-api/json-path.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import type { FinalReceipt, Outcome } from "./gateway.ts";
import { cleanText, outcomeOfFailure, providerText, retryAfter } from "./http-outcome.ts";

/** Whose fault an error is. `later`: nobody's, not sent, try again. `doubt`: it may have been sent. */
export type Fault = "permanent" | "configuration" | "transient" | "ambiguous";

export interface AnswerRules {
  /** The vendor's name, as reasons say it. */
  vendor: string;
  /** Texts that must not stand in a reason. */
  secrets: readonly string[];
  /** Epoch ms. */
  now: number;
  /** The vendor's id of the message in a 2xx; null: the answer is not the vendor's, so the outcome is in doubt. */
  reference(json: Json, answer: Answer): string | null;
  /** How the message ended, where a 2xx says so already; null: it does not. */
  receipt?(json: Json): FinalReceipt | null;
  /** The vendor's code in any other answer, for the record; null: it has none. */
  code?(json: Json, answer: Answer): string | null;
  /**
   * By the vendor's documentation, with the vendor's own words; undefined: as the status says. Not asked for a 5xx
   * that is not in `notAcceptedStatuses`.
   */
  faultOf?(code: string, status: number, text: string): Fault | undefined;
  /** 5xx statuses with which this vendor certainly has not taken the message. */
  notAcceptedStatuses?: readonly number[];
}

export type Answer = Extract<OutboundResult, { kind: "answer" }>;

/** The outcome of a vendor's answer, or of its absence: `accepted` only for a 2xx with the vendor's id. */
export function vendorOutcome(result: OutboundResult, reading: AnswerRules): Outcome {
  const { vendor, secrets, now, notAcceptedStatuses = [] } = reading;
  const byStatus = { secrets: () => secrets, now, notAcceptedStatuses };
  if (result.kind !== "answer") return outcomeOfFailure(result, byStatus);
  const { status } = result;
  const json = parseJson(result.body) ?? null;
  if (status >= 200 && status < 300) {
    const reference = referenceFrom(reading.reference(json, result));
    if (reference !== null) {
      const receipt = reading.receipt?.(json) ?? null;
      return receipt === null ? { kind: "accepted", reference } : { kind: "accepted", reference, receipt };
    }
    const reason = `${vendor} answered ${status} without a message id.`;
    return { kind: "unknown", code: "unreadable_answer", reason };
  }
  const outcome = outcomeOfFailure(result, byStatus);
  const code = reading.code?.(json, result) ?? null;
  if (outcome.kind === "accepted" || code === null || !/^[\w.:-]{1,64}$/.test(code)) return outcome;
  const shown = cleanText(code, secrets, 64);
  if (shown !== code) return outcome;
  const text = providerText(result.body, secrets);
  const reason = `${vendor} error ${code}${text === "" || text === code ? "." : `: ${text}`}`;
  const fault =
    status < 400 || (status > 499 && !notAcceptedStatuses.includes(status))
      ? undefined
      : reading.faultOf?.(code, status, text);
  switch (fault) {
    case "permanent":
      return { kind: "rejected", code, reason };
    case "configuration":
      return { kind: "deferred", code, reason, gatewayFault: "refused" };
    case "transient":
      return { kind: "deferred", code, reason, ...retryAfter(result.headers["retry-after"], now) };
    case "ambiguous":
      return { kind: "unknown", code, reason };
    case undefined:
      return { ...outcome, code, reason };
  }
}
