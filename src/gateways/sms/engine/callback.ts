// Reads the callbacks of SMS vendors: JSON, a form, or the query of a GET. The proof comes first, and determines what is read.

import { createHash } from "node:crypto";
import type {
  AccountUpdate,
  CallbackRequest,
  InboundMessage,
  Receipt,
  Received,
} from "#gateways/callback.ts";
import type { CallbackTools } from "#gateways/connection.ts";
import {
  type Json,
  parseJson,
  readPath,
  referenceFrom,
  type TextReader,
  textAt,
  textOf,
} from "#gateways/json-path.ts";
import { accountFaultUpdate, eventTime, omitUndefined, reasonText } from "#gateways/vendor-event.ts";
import type { Coverage, Proof } from "./proof.ts";
import type { Words } from "./words.ts";

/** A path and the values there that select a report; without values, any value does. */
type Condition = readonly [path: string, ...values: string[]];

export interface SmsCallback<Settings> {
  /** The callback is read if any of them succeeds. */
  proofs: readonly Proof<Settings>[];
  /** Decodes what the proof covers, if the vendor does not write UTF-8; default: `documentOf`. */
  document?(callback: CallbackRequest, covers: Coverage): Json | undefined;
  /** Path of the list, if one callback has several reports; a document that is a list is one itself. */
  items?: string;
  receipt?: {
    when?: Condition;
    /** The vendor's id of the message. */
    reference?: TextReader;
    /** The message's id at Trunkline, where the vendor repeats it. */
    id?: TextReader;
    /** Null if the report is about something else. */
    status: TextReader;
    words: Words;
    code?: TextReader;
    reason?: TextReader;
    at?: TextReader;
    /** For failures that are the account's, such as a lack of credit: they pause the gateway. `code` default: as above. */
    accountFaults?: { codes: readonly string[]; code?: TextReader };
  };
  inbound?: {
    when: Condition;
    /** The vendor's id; undefined if it gives none, and one is derived from the content. */
    id?: TextReader;
    from: TextReader;
    to: TextReader;
    text: TextReader;
    /** Numbers arrive without their plus: it is added to those that are long enough to be international. */
    withoutPlus?: boolean;
    replyTo?: TextReader;
    media?(report: Json): InboundMessage["media"];
    /** Distinguishes messages, if the same text may arrive twice and has no id. */
    at?: TextReader;
  };
  /** A report that a person opted out, which the vendor enforces itself. It has no id, no status and no text. */
  optOut?: { when: Condition; from: TextReader; to: TextReader };
  /** The answer that the vendor expects; default: empty, because some vendors send it to the person who wrote. */
  reply?: { contentType: string; body: string };
}

/**
 * Verifies a callback and reads its reports. A report of another kind than the definition reads is left out; a callback
 * without any report that it reads, and without a condition that says so, is `malformed`. If the URL was made for one
 * message, only reports about that one count. They carry a reference only if the body is signed: the URL proves its
 * message and no other.
 */
export async function receiveSms<Settings>(
  definition: SmsCallback<Settings>,
  callback: CallbackRequest,
  settings: Settings,
  tools: CallbackTools,
): Promise<Received> {
  const proved = await firstProof(definition.proofs, callback, settings, tools);
  if (proved.kind === "answered") return proved.received;
  if (proved.kind !== "proved") return proved;
  if (callback.method !== "GET" && callback.method !== "POST") {
    return { kind: "malformed", reason: "Callbacks are GET or POST." };
  }
  const documentIn = definition.document ?? documentOf;
  const document = "document" in proved ? proved.document : documentIn(callback, proved.covers);
  const messageId = "document" in proved ? undefined : proved.messageId;
  const hasReference = messageId === undefined || ("covers" in proved && proved.covers === "body");
  if (document === undefined) return { kind: "malformed", reason: "The callback is not readable." };
  const found = definition.items === undefined ? document : readPath(document, definition.items);
  const reports = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const received: Extract<Received, { kind: "received" }> = { kind: "received", receipts: [], inbound: [] };
  const unknownWords: string[] = [];
  let understood = reports.length === 0 && Array.isArray(found);
  for (const report of reports) {
    if (definition.inbound !== undefined && matches(report, definition.inbound.when)) {
      understood = true;
      const message = messageId === undefined ? inboundOf(report, definition.inbound) : null;
      if (message !== null) received.inbound.push(message);
      continue;
    }
    const { receipt: rules, optOut } = definition;
    if (optOut !== undefined && matches(report, optOut.when) && textOf(report, rules?.status) === null) {
      understood = true;
      const message = messageId === undefined ? optOutOf(report, optOut, tools.clock.now()) : null;
      if (message !== null) received.inbound.push(message);
      continue;
    }
    if (rules === undefined) continue;
    if (rules.when !== undefined && !matches(report, rules.when)) {
      understood ||= textOf(report, rules.when[0]) !== null;
      continue;
    }
    const word = textOf(report, rules.status);
    if (word === null) continue;
    understood = true;
    const status = rules.words(word);
    if (status === undefined) unknownWords.push(word);
    else if (status !== "ignored") {
      const receipt = receiptOf(report, rules, status, messageId, hasReference);
      if (receipt !== null) received.receipts.push(receipt);
      const update = receipt === null ? null : accountUpdateOf(report, rules, receipt, tools.clock.now());
      // Of many failures in one call, the last is enough.
      if (update !== null) received.accountUpdates = [update];
    }
  }
  if (!understood) {
    const { receipt, inbound } = definition;
    const path = [receipt?.when?.[0] ?? receipt?.status, inbound?.when[0]].find(
      (at) => typeof at === "string",
    );
    return { kind: "malformed", reason: `The callback has no ${path ?? "status"}.` };
  }
  if (unknownWords.length > 0) received.unknownWords = unknownWords;
  if (definition.reply !== undefined) received.reply = definition.reply;
  return received;
}

/** The first proof that succeeds; otherwise the most useful refusal: one that can be fixed or retried, then `forbidden`. */
async function firstProof<Settings>(
  proofs: readonly Proof<Settings>[],
  callback: CallbackRequest,
  settings: Settings,
  tools: CallbackTools,
) {
  let refusal: Exclude<Awaited<ReturnType<Proof<Settings>>>, { kind: "proved" | "answered" }> | null = null;
  for (const proof of proofs) {
    const proved = await proof(callback, settings, tools);
    if (proved.kind === "proved" || proved.kind === "answered") return proved;
    if (refusal === null || refusal.kind === "forbidden") refusal = proved;
  }
  return refusal ?? { kind: "not_taken" as const, reason: "This gateway takes no callbacks." };
}

function matches(report: Json, [path, ...values]: Condition): boolean {
  const value = textAt(report, path);
  return value !== null && (values.length === 0 || values.includes(value));
}

/**
 * A form or query as an object of its first values, so that paths such as `$.id` work as in JSON. The query is read if the proof covers it,
 * for a GET and for a call without a body. Someone who saw one signed body could write any query beside it.
 */
export function documentOf(callback: CallbackRequest, covers: Coverage): Json | undefined {
  const isQuery = covers === "call" && callback.method === "GET";
  const text = isQuery ? "" : callback.body.toString("utf8").trim();
  if (text === "") return covers === "call" ? fieldsOf(callback.query) : undefined;
  const type = callback.headers["content-type"] ?? "";
  if (/[/+]json\b/i.test(type) || text.startsWith("{") || text.startsWith("[")) return parseJson(text);
  return fieldsOf(new URLSearchParams(text));
}

function fieldsOf(parameters: URLSearchParams): Json {
  const fields: { [name: string]: Json } = Object.create(null);
  for (const [name, value] of parameters) fields[name] ??= value;
  return fields;
}

function receiptOf<Settings>(
  report: Json,
  rules: NonNullable<SmsCallback<Settings>["receipt"]>,
  status: Receipt["status"],
  provenId: string | undefined,
  hasReference: boolean,
): Receipt | null {
  const id = textOf(report, rules.id);
  const readId = id !== null && /^[\w-]{1,64}$/.test(id) ? id : undefined;
  if (provenId !== undefined && readId !== undefined && readId !== provenId) return null;
  const messageId = provenId ?? readId;
  const reference = hasReference ? referenceFrom(textOf(report, rules.reference)) : null;
  if (reference === null && messageId === undefined) return null;
  const isFailure = status === "undelivered" || status === "failed";
  const code = isFailure ? textOf(report, rules.code)?.trim() : undefined;
  return omitUndefined<Receipt>({
    status,
    reference,
    messageId,
    reason: isFailure ? reasonText(textOf(report, rules.reason)) : undefined,
    code: code !== undefined && /^[\w.:-]{1,64}$/.test(code) ? code : undefined,
    at: eventTime(textOf(report, rules.at)),
  });
}

/** What the failure of a message says about the account; null if nothing. */
function accountUpdateOf<Settings>(
  report: Json,
  { accountFaults, code: ownCode }: NonNullable<SmsCallback<Settings>["receipt"]>,
  { status, code, reason, at }: Receipt,
  now: number,
): AccountUpdate | null {
  if (accountFaults === undefined || (status !== "undelivered" && status !== "failed")) return null;
  const read = textOf(report, accountFaults.code ?? ownCode)?.trim() ?? "";
  return accountFaults.codes.includes(read) ? accountFaultUpdate(code ?? read, reason, at ?? now) : null;
}

/** A person may opt out, in, and out again, so only a second report within a minute is a repetition. */
function optOutOf<Settings>(
  report: Json,
  rules: NonNullable<SmsCallback<Settings>["optOut"]>,
  now: number,
): InboundMessage | null {
  const minute = String(Math.floor(now / 60_000));
  const message = inboundOf(report, { ...rules, text: () => "", at: () => minute });
  return message === null ? null : { ...message, optedOut: true };
}

/** Null without a sender. NUL is dropped: PostgreSQL cannot store it in a text. */
function inboundOf<Settings>(
  report: Json,
  rules: NonNullable<SmsCallback<Settings>["inbound"]>,
): InboundMessage | null {
  const text = (reader: TextReader) => (textOf(report, reader) ?? "").replaceAll("\0", "").toWellFormed();
  const number = (reader: TextReader) =>
    rules.withoutPlus ? text(reader).replace(/^(?=\d{8,15}$)/, "+") : text(reader);
  const from = number(rules.from);
  if (from === "") return null;
  const [to, message] = [number(rules.to), text(rules.text)];
  const reference =
    referenceFrom(textOf(report, rules.id)) ??
    createHash("sha256")
      .update(JSON.stringify([from, to, message, textOf(report, rules.at)]))
      .digest("base64url");
  const replyTo = referenceFrom(textOf(report, rules.replyTo)) ?? undefined;
  return omitUndefined<InboundMessage>({
    reference,
    from,
    to,
    message,
    media: rules.media?.(report) ?? [],
    replyTo,
  });
}
