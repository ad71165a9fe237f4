// Reads the delivery reports of an `http-api` provider: JSON, a form, or the query of a GET. Only the token in the URL
// authenticates the provider, so it is compared first, and in constant time.

import type { CallbackRequest, Receipt, Received } from "#gateways/callback.ts";
import { type Json, parseJson, readPath, referenceFrom, textAt } from "#gateways/json-path.ts";
import type { ReceiptStatus } from "#gateways/outcome.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { cleanText } from "#settings/redact.ts";
import type { HttpApiCallback } from "./settings.ts";

/**
 * The receipts of a callback with the right `token` (exactly one, in the query): of its single report, of a list, or of
 * the list at `items`. A report with a status that the settings do not name, or without a reference, gives no receipt.
 * `malformed`: unreadable, or without any report that has a status.
 */
export function receiveHttpApi(
  callback: CallbackRequest,
  settings: HttpApiCallback | undefined,
  secrets: () => readonly string[],
): Received {
  if (settings === undefined) return { kind: "not_taken", reason: "This gateway has no callback settings." };
  if (settings.token === "")
    return { kind: "not_configured", reason: "The callback settings have no token." };
  const tokens = callback.query.getAll("token");
  if (tokens.length !== 1 || !constantTimeEqual(tokens[0] ?? "", settings.token)) {
    return { kind: "forbidden", reason: "The token is missing or wrong." };
  }
  if (callback.method !== "GET" && callback.method !== "POST") {
    return { kind: "malformed", reason: "Callbacks are GET or POST." };
  }
  const document = documentOf(callback);
  if (document === undefined) return { kind: "malformed", reason: "The callback is not readable." };
  const found = settings.items === undefined ? document : readPath(document, settings.items);
  const reports = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const receipts: Receipt[] = [];
  let understood = reports.length === 0 && Array.isArray(found);
  for (const report of reports) {
    const word = textAt(report, settings.status);
    if (word === null) continue;
    understood = true;
    const receipt = receiptOf(report, word, settings, secrets);
    if (receipt !== null) receipts.push(receipt);
  }
  if (!understood)
    return { kind: "malformed", reason: cleanText(`The callback has no ${settings.status}.`, secrets()) };
  return { kind: "received", receipts, inbound: [] };
}

/** A form or query as an object of its first values, so that paths such as `$.id` work as in JSON. */
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
  settings: HttpApiCallback,
  secrets: () => readonly string[],
): Receipt | null {
  const status = statusOf(word, settings);
  const reference =
    settings.reference === undefined ? null : referenceFrom(textAt(report, settings.reference));
  const id = settings.id === undefined ? null : textAt(report, settings.id);
  const messageId = id !== null && /^[\w-]{1,64}$/.test(id) ? id : null;
  if (status === null || (reference === null && messageId === null)) return null;
  const receipt: Receipt = { status, reference };
  if (messageId !== null) receipt.messageId = messageId;
  const error = settings.error === undefined ? null : textAt(report, settings.error);
  if (error !== null && (status === "undelivered" || status === "failed")) {
    const reason = cleanText(error, secrets());
    if (reason !== "") receipt.reason = reason;
    if (/^[\w.:-]{1,64}$/.test(reason)) receipt.code = reason;
  }
  return receipt;
}

const outcomes = ["delivered", "undelivered", "failed", "sent"] as const satisfies readonly ReceiptStatus[];

function statusOf(word: string, settings: HttpApiCallback): ReceiptStatus | null {
  return outcomes.find((status) => settings[status].some((named) => String(named) === word)) ?? null;
}
