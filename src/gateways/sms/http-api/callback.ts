// Reads the delivery reports of an `http-api` provider: JSON, a form, or the query of a GET. The token
// in the URL is all that tells a provider from anybody else, so it is compared first, and in constant time.

import type { CallbackRequest, Receipt, ReceiptStatus, Received } from "#gateways/gateway.ts";
import { cleanText } from "#gateways/http-outcome.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { type Json, parseJson, readPath, referenceFrom, textAt } from "./json-path.ts";
import type { HttpApiCallback } from "./settings.ts";

/**
 * A callback with the right `token` (exactly one, in the query), as receipts: of the one report, of each
 * one in a list, or of each one at `items`. Reports with a status that the settings do not name, or
 * without a reference, give no receipt. `malformed`: unreadable, or no report in it has a status at all.
 */
export function receiveHttpApi(
  callback: CallbackRequest,
  own: HttpApiCallback | undefined,
  secrets: () => readonly string[],
): Received {
  if (own === undefined) return { kind: "not_taken", reason: "This gateway has no callback settings." };
  if (own.token === "") return { kind: "not_configured", reason: "The callback settings have no token." };
  const tokens = callback.query.getAll("token");
  if (tokens.length !== 1 || !constantTimeEqual(tokens[0] ?? "", own.token)) {
    return { kind: "forbidden", reason: "The token is missing or wrong." };
  }
  if (callback.method !== "GET" && callback.method !== "POST") {
    return { kind: "malformed", reason: "Callbacks are GET or POST." };
  }
  const document = documentOf(callback);
  if (document === undefined) return { kind: "malformed", reason: "The callback is not readable." };
  const found = own.items === undefined ? document : readPath(document, own.items);
  const reports = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const receipts: Receipt[] = [];
  let understood = reports.length === 0 && Array.isArray(found);
  for (const report of reports) {
    const word = textAt(report, own.status);
    if (word === null) continue;
    understood = true;
    const receipt = receiptOf(report, word, own, secrets);
    if (receipt !== null) receipts.push(receipt);
  }
  if (!understood)
    return { kind: "malformed", reason: cleanText(`The callback has no ${own.status}.`, secrets()) };
  return { kind: "received", receipts, inbound: [] };
}

/** A form or query becomes an object of its first values, so that `$.id` reads it as it does JSON. */
function documentOf(callback: CallbackRequest): Json | undefined {
  const text = callback.method === "GET" ? "" : callback.body.toString("utf8").trim();
  if (text === "") return fieldsOf(callback.query);
  const type = callback.headers["content-type"] ?? "";
  if (/[/+]json\b/i.test(type) || text.startsWith("{") || text.startsWith("[")) return parseJson(text);
  return fieldsOf(new URLSearchParams(text));
}

function fieldsOf(parameters: URLSearchParams): Json {
  const fields: { [name: string]: Json } = Object.create(null);
  for (const [name, value] of parameters) fields[name] ??= value;
  return fields;
}

function receiptOf(
  report: Json,
  word: string,
  own: HttpApiCallback,
  secrets: () => readonly string[],
): Receipt | null {
  const status = statusOf(word, own);
  const reference = own.reference === undefined ? null : referenceFrom(textAt(report, own.reference));
  const id = own.id === undefined ? null : textAt(report, own.id);
  const messageId = id !== null && /^[\w-]{1,64}$/.test(id) ? id : null;
  if (status === null || (reference === null && messageId === null)) return null;
  const receipt: Receipt = { status, reference };
  if (messageId !== null) receipt.messageId = messageId;
  const error = own.error === undefined ? null : textAt(report, own.error);
  if (error !== null && (status === "undelivered" || status === "failed")) {
    const reason = cleanText(error, secrets());
    if (reason !== "") receipt.reason = reason;
    if (/^[\w.:-]{1,64}$/.test(reason)) receipt.code = reason;
  }
  return receipt;
}

const outcomes = ["delivered", "undelivered", "failed", "sent"] as const satisfies readonly ReceiptStatus[];

function statusOf(word: string, own: HttpApiCallback): ReceiptStatus | null {
  return outcomes.find((status) => own[status].some((named) => String(named) === word)) ?? null;
}
