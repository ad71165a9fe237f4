// How a vendor's answers are read: what counts as success, where the vendor's id and code are, and what each code means. Tables list codes
// that say more than their status; for all others the status decides, and a refusal in a 2xx is `unclear`.

import { type Json, textAt } from "#gateways/json-path.ts";
import type { FinalReceipt } from "#gateways/outcome.ts";
import type { Answer, AnswerFormat, Fault, Verdict } from "#gateways/vendor-outcome.ts";

/** The vendor's codes by meaning. A key may end in `*`, for every code with this prefix. */
type FaultTable = Partial<Record<Fault, readonly (string | number)[]>>;

type Reader = string | ((json: Json, answer: Answer) => string | null);

interface SmsAnswer {
  /** The vendor's name in reasons. */
  vendor: string;
  /** Statuses with which the vendor accepts; default: every 2xx. */
  statuses?: readonly number[];
  /**
   * For vendors that answer 2xx to refusals: where the result is, and which results mean success. `entry`: where the result of the message
   * itself is, which may be a refusal although the request succeeded, and the path of its code.
   */
  verdict?:
    | { path: string; accepted: readonly string[]; entry?: { path: string; refused: string; code: string } }
    | ((json: Json, answer: Answer) => Verdict);
  /** Path of the vendor's id, or what finds it; null if the vendor gives none, and receipts carry our id. */
  reference: Reader | null;
  /** Paths of the vendor's code, the first with a value; in a 2xx with a `verdict`, the result itself is the last of them. */
  code?: string | readonly string[] | ((json: Json, answer: Answer) => string | null);
  /** Paths of the vendor's words about an error. */
  text?: string | readonly string[];
  faults?: FaultTable;
  /** The final status, if a success may already contain it; null if it does not. */
  receipt?(json: Json): FinalReceipt | null;
  /** A broader code, such as the type of the error, whose meaning counts if the table does not list `code`. */
  widerCode?(json: Json): string | null;
  /** 5xx statuses with which the message has certainly not been accepted. */
  notAcceptedStatuses?: readonly number[];
}

/** Compiles tables and paths once, when the adapter is defined. */
export function answerFormat(answer: SmsAnswer): AnswerFormat {
  const faultOf = faultReader(answer.faults ?? {});
  const { verdict, reference, statuses } = answer;
  const { code } = answer;
  const codeIn = typeof code === "function" ? code : firstOf(code);
  const textIn = firstOf(answer.text);
  const read = (reader: Reader, json: Json, result: Answer) =>
    typeof reader === "string" ? textAt(json, reader) : reader(json, result);
  const judged = (json: Json | undefined, answered: Answer): Verdict => {
    if (verdict === undefined) return { kind: "taken" };
    if (typeof verdict === "function") return verdict(json ?? null, answered);
    const result = json === undefined ? null : textAt(json, verdict.path);
    const code = json === undefined ? null : (codeIn(json, answered) ?? result);
    if (json === undefined || (result === null && code === null)) {
      return { kind: "unreadable", why: ` without ${verdict.path}` };
    }
    const { entry } = verdict;
    const isRefusedEntry = entry !== undefined && textAt(json, entry.path) === entry.refused;
    const isAccepted = result !== null && verdict.accepted.includes(result);
    if (isAccepted && !isRefusedEntry) return { kind: "taken" };
    const refusal = isAccepted && entry !== undefined ? textAt(json, entry.code) : code;
    const text = textIn(json);
    const fault = (refusal === null ? undefined : faultOf(refusal)) ?? "unclear";
    return { kind: "refused", code: refusal, fault, ...(text === null ? {} : { text }) };
  };
  return {
    vendor: answer.vendor,
    reference: (json, result) => (reference === null ? null : read(reference, json, result)),
    referenceOptional: reference === null,
    ...(answer.receipt === undefined ? {} : { receipt: answer.receipt }),
    verdict: (json, answered) =>
      statuses === undefined || statuses.includes(answered.status)
        ? judged(json, answered)
        : { kind: "unexpected" },
    code: codeIn,
    text: textIn,
    faultOf: ({ code, json }) => faultOf(code) ?? faultOf(answer.widerCode?.(json) ?? code),
    notAcceptedStatuses: () => answer.notAcceptedStatuses ?? [],
  };
}

function firstOf(paths: string | readonly string[] | undefined): (json: Json) => string | null {
  const list = paths === undefined ? [] : typeof paths === "string" ? [paths] : paths;
  return (json) => {
    for (const path of list) {
      const text = textAt(json, path);
      if (text !== null && text !== "") return text;
    }
    return null;
  };
}

/** What a code means; undefined if no table lists it. */
export function faultReader(table: FaultTable): (code: string) => Fault | undefined {
  const exact = new Map<string, Fault>();
  const prefixes: [string, Fault][] = [];
  for (const [fault, codes] of Object.entries(table) as [Fault, readonly (string | number)[]][]) {
    for (const code of codes.map(String)) {
      if (code.endsWith("*")) prefixes.push([code.slice(0, -1), fault]);
      else exact.set(code, fault);
    }
  }
  return (code) => exact.get(code) ?? prefixes.find(([prefix]) => code.startsWith(prefix))?.[1];
}
