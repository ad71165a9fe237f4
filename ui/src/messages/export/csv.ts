// Messages as CSV (RFC 4180), for spreadsheets.

import type { MessageRecord } from "#ui/api/schema.ts";
import { recipientOf, textOf } from "#ui/messages/words.ts";

type Cell = string | number | boolean | null;

const columns: readonly (readonly [name: string, of: (record: MessageRecord) => Cell])[] = [
  ["id", ({ id }) => id],
  ["channel", ({ channel }) => channel],
  ["recipient", recipientOf],
  ["status", ({ status }) => status],
  ["gateway", ({ gateway_identifier }) => gateway_identifier],
  ["accepted_at", ({ created_at }) => created_at],
  ["scheduled_for", ({ scheduled_for }) => scheduled_for],
  ["sent_at", ({ sent_at }) => sent_at],
  ["delivered_at", ({ delivered_at }) => delivered_at],
  ["read_at", ({ read_at }) => read_at],
  ["attempts", ({ attempts }) => attempts],
  ["error_code", ({ error }) => error?.code ?? null],
  ["error_message", ({ error }) => error?.message ?? null],
  ["provider_reference", ({ provider_reference }) => provider_reference],
  ["request_id", ({ request_id }) => request_id],
  ["test", ({ test }) => test],
  ["text", textOf],
];

/** Spreadsheets run what begins like a formula, and people may have written it. A phone number is not one. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text) && !/^\+\d+$/.test(text);

function cellOf(value: Cell): string {
  if (value === null) return "";
  const text = typeof value === "string" && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(",")}\r\n`;

export const csvHead = lineOf(columns.map(([name]) => name));

export const csvLines = (records: readonly MessageRecord[]): string =>
  records.map((record) => lineOf(columns.map(([, of]) => of(record)))).join("");
