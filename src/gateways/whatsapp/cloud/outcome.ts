// The outcome of an answer of the Graph API, by the error's code. `error_subcode` and titles are deprecated.

import { type Json, parseJson, textAt } from "#gateways/json-path.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { type AnswerFormat, type Fault, vendorOutcome } from "#gateways/vendor-outcome.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { cleanText } from "#settings/redact.ts";
import { pairWaitMs, ruleOf } from "./errors.ts";
import { type CloudSettings, secretsOf } from "./settings.ts";

const serverErrors = [500, 501, 502, 503, 504];

/** The code of a Graph error. Null if the answer is not an error. */
const codeIn = (json: Json) => {
  const code = textAt(json, "$.error.code");
  return code !== null && /^\d{1,9}$/.test(code) ? code : null;
};

const answerFormat: AnswerFormat = {
  vendor: "WhatsApp",
  reference: (json) => textAt(json, "$.messages[0].id"),
  code: codeIn,
  notAcceptedStatuses: (json) => (ruleOf(Number(codeIn(json) ?? Number.NaN))?.definite ? serverErrors : []),
  faultOf: ({ code, status, json }) => {
    if (code === "100" && isAboutTheGateway(json)) return "configuration";
    const rule = ruleOf(Number(code));
    return rule === undefined ? unlistedFault(status) : rule.fault;
  },
};

/** The same for the upload of a file. */
export const uploadFormat: AnswerFormat = { ...answerFormat, reference: (json) => textAt(json, "$.id") };

/** The status decides if it is about the token, timing or rate limits. */
function unlistedFault(status: number): Fault | undefined {
  return [401, 408, 409, 425, 429].includes(status) ? undefined : "unclear";
}

/** Code 100 is about any parameter. The path of the request (the sending number's id) and the proof are settings. */
function isAboutTheGateway(json: Json): boolean {
  if (textAt(json, "$.error.error_subcode") === "33") return true;
  const text = `${textAt(json, "$.error.message") ?? ""} ${textAt(json, "$.error.error_data.details") ?? ""}`;
  return /Object with ID|missing permissions|appsecret_proof/i.test(text);
}

/** The outcome of a message. `attempt`: the number of this transmission. `recipient`: the message's. `now`: epoch ms. */
export function outcomeOf(
  result: OutboundResult,
  {
    settings,
    attempt,
    recipient,
    now,
  }: { settings: CloudSettings; attempt: number; recipient?: string; now: number },
  format = answerFormat,
): Outcome {
  const secrets = () => secretsOf(settings);
  const outcome = vendorOutcome(result, format, { secrets, now });
  if (result.kind !== "answer") return outcome;
  const json = parseJson(result.body) ?? null;
  if (outcome.kind === "accepted") {
    const known = textAt(json, "$.contacts[0].wa_id") ?? "";
    const isOther = recipient !== undefined && /^\d{5,15}$/.test(known) && `+${known}` !== recipient;
    const knownAs = isOther ? `+${known}` : null;
    const note = noteOf(json, recipient?.startsWith("+") ? knownAs : null);
    return { ...outcome, ...(note !== "" && { note }), ...(knownAs !== null && { knownAs }) };
  }
  if (outcome.code === undefined || outcome.code !== codeIn(json)) return outcome;
  const { code } = outcome;
  const reason = cleanText(`WhatsApp error ${code}${wordsOf(json)}`, secrets(), 300);
  if (outcome.kind !== "deferred") return { ...outcome, reason };
  // Meta's catch-all error: worth another attempt.
  if (code === "135000" && attempt > 1) {
    const { answer } = outcome;
    return { kind: "rejected", code, reason, mayBeGatewayFault: true, ...(answer && { answer }) };
  }
  const { waitMs, pauseMs } = ruleOf(Number(code)) ?? {};
  if (outcome.gatewayFault !== undefined)
    return { ...outcome, reason, ...(pauseMs === undefined ? {} : { pauseMs }) };
  const wait = code === "131056" ? pairWaitMs(attempt) : waitMs;
  if (wait === undefined) return { ...outcome, reason };
  return { ...outcome, reason, retryAfterMs: Math.max(wait, outcome.retryAfterMs ?? 0) };
}

/** For templates (https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-pacing). */
const heldTemplates = new Map([
  ["held_for_quality_assessment", "Meta holds the template until it has assessed its quality."],
  ["paused", "Meta has paused the template, and may not send it."],
]);

/** What is noteworthy about a message that Meta accepted; empty if nothing is. People answer from the number that Meta knows. */
function noteOf(json: Json, knownAs: string | null): string {
  return [
    heldTemplates.get(textAt(json, "$.messages[0].message_status") ?? ""),
    knownAs === null ? undefined : `WhatsApp knows the number as ${knownAs}.`,
  ]
    .filter((sentence) => sentence !== undefined)
    .join(" ");
}

/** Meta's words, and the number by which Meta's support finds the call. */
function wordsOf(json: Json): string {
  const message = textAt(json, "$.error.message")?.replace(/^\(#\d+\) ?/, "") ?? "";
  const details = textAt(json, "$.error.error_data.details") ?? "";
  const words = [message, details === message ? "" : details].filter((text) => text.trim() !== "");
  const trace = textAt(json, "$.error.fbtrace_id") ?? "";
  const traced = /^[\w-]{1,64}$/.test(trace) ? ` (fbtrace_id ${trace})` : "";
  return words.length === 0 ? `.${traced}` : `: ${words.join(" · ")}${traced}`;
}
