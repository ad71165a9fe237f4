// Delivery receipts: by their optional parameters first, then by their text (SMPP 3.4, appendix B), whose fields come in
// any order, in any case, and with some missing. Times in it have no zone, so they are not used.

import type { ReceiptStatus } from "#gateways/outcome.ts";
import { type Delivery, type Tlvs, tag } from "./pdu.ts";
import { fromUcs2 } from "./text.ts";

/** How the SMSC formats one message id in different places. */
export type IdFormat = "as-is" | "hex" | "dec" | "lenient";

/** A receipt as the SMSC sends it. `status` is null if it says nothing new. */
interface ReadReceipt {
  id: string;
  status: ReceiptStatus | null;
  /** A state that no table lists. Null for a listed one, or no state. */
  unknownWord: string | null;
  /** The SMSC's own words, for the record. */
  code: string | null;
}

/** Part of `esm_class`: the kind of report; 0 is a message. */
const reportBits = 0x3c;

/** `message_state` (5.2.28; 0 and 9 by SMPP 5.0) with its word in texts. */
const states: readonly (readonly [word: string, status: ReceiptStatus | null])[] = [
  ["SCHEDULED", null],
  ["ENROUTE", "sent"],
  ["DELIVRD", "delivered"],
  ["EXPIRED", "undelivered"],
  ["DELETED", "failed"],
  ["UNDELIV", "undelivered"],
  ["ACCEPTD", "sent"],
  ["UNKNOWN", null],
  ["REJECTD", "undelivered"],
  ["SKIPPED", "failed"],
];

/** A refusal after the SMSC accepted the message is `undelivered`: it stays charged. */
const words: ReadonlyMap<string, ReceiptStatus | null> = new Map([
  ...states,
  ["DELIVERED", "delivered"],
  ["UNDELIVERABLE", "undelivered"],
  ["ACCEPTED", "sent"],
  ["REJECTED", "undelivered"],
  ["BUFFERED", "sent"],
  ["BUFFERD", "sent"],
  ["FAILED", "failed"],
]);

/** Whether a delivery reports on a message of ours. Some SMSCs send receipts with an `esm_class` of 0. */
export function isReceipt({ esmClass, text, tlvs }: Delivery): boolean {
  if ((esmClass & reportBits) !== 0) return true;
  if (tlvs.has(tag.receiptedMessageId)) return true;
  const { id, stat } = fieldsOf(text);
  return charactersOf(text).slice(0, 3).toLowerCase() === "id:" && id !== "" && stat !== "";
}

/** Where an SMSC writes which message a receipt is about, and how it ended. */
type ReceiptSource = "auto" | "text" | "tlv";

const noTlvs: Tlvs = new Map();

/** Null if it names no message, so it can be about none. */
export function readReceipt(delivery: Delivery, from: ReceiptSource = "auto"): ReadReceipt | null {
  const fields = from === "tlv" ? { id: "", stat: "", err: "" } : fieldsOf(delivery.text);
  const tlvs = from === "text" ? noTlvs : delivery.tlvs;
  const id = textOf(tlvs, tag.receiptedMessageId) || fields.id;
  if (id === "" || id.length > 255) return null;
  const state = tlvs.get(tag.messageState)?.[0];
  const byState = state === undefined ? undefined : states[state];
  const byWord = words.get(fields.stat);
  const word = byState?.[0] ?? fields.stat;
  const isKnown = byState !== undefined || byWord !== undefined;
  const unlisted = fields.stat || (state === undefined ? null : `message_state ${state}`);
  const error = networkError(tlvs) ?? (/^0*$/.test(fields.err) ? null : fields.err);
  const code = [word, error].filter((part) => part !== null && part !== "").join(".");
  return {
    id,
    status: byState?.[1] ?? byWord ?? null,
    unknownWord: isKnown ? null : unlisted,
    code: /^[\w.:-]{1,64}$/.test(code) ? code : null,
  };
}

/** An id in the one format in which answers and receipts are compared. Ids exceed 2^53. */
export function canonicalId(id: string, format: IdFormat): string {
  const trimmed = id.trim();
  if (format === "hex" && /^[0-9a-f]{1,64}$/i.test(trimmed)) return BigInt(`0x${trimmed}`).toString();
  if (format === "dec" && /^[0-9]{1,64}$/.test(trimmed)) return BigInt(trimmed).toString();
  if (format === "lenient") return trimmed.toLowerCase().replace(/^0+(?=.)/, "");
  return trimmed;
}

const textOf = (tlvs: Tlvs, id: number) =>
  (tlvs.get(id)?.toString("latin1") ?? "").replaceAll("\0", "").trim();

/** `network_error_code`: a network type and a number. */
function networkError(tlvs: Tlvs): string | null {
  const value = tlvs.get(tag.networkErrorCode);
  if (value?.length !== 3) return null;
  const code = value.readUInt16BE(1);
  return code === 0 ? null : `${value[0]}-${code}`;
}

/** The fields before `text:`, which repeats the message and may contain anything. The first of a name counts. */
function fieldsOf(text: Buffer): { id: string; stat: string; err: string } {
  const all = charactersOf(text);
  const end = all.toLowerCase().indexOf("text:");
  const line = end < 0 ? all : all.slice(0, end);
  return {
    id: fieldOf(line, "id:"),
    stat: fieldOf(line, "stat:").toUpperCase(),
    err: fieldOf(line, "err:"),
  };
}

/**
 * The first 500 characters. Some SMSCs write receipts in UCS-2, whose first octet is zero for each of a receipt's characters, so
 * the octets tell it: `data_coding` says it of receipts in ASCII too.
 */
function charactersOf(text: Buffer): string {
  const isUcs2 = text.length > 1 && text[0] === 0 && text[1] !== 0;
  return isUcs2 ? fromUcs2(text.subarray(0, 1000)) : text.toString("latin1", 0, Math.min(text.length, 500));
}

function fieldOf(line: string, name: string): string {
  const lower = line.toLowerCase();
  for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
    // A name begins the text or follows a blank: `id:` is no part of another word.
    if (at > 0 && !/\s/.test(line[at - 1] ?? "")) continue;
    const rest = line.slice(at + name.length).trimStart();
    const value = rest.slice(0, rest.search(/\s|$/));
    // An empty field is followed by the next one's name.
    return /^[a-z]+:/i.test(value) ? "" : value;
  }
  return "";
}
