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
  ["reference", ({ reference }) => reference],
  ["metadata", ({ metadata }) => metadata && JSON.stringify(metadata)],
  ["request_id", ({ request_id }) => request_id],
  ["test", ({ test }) => test],
  ["text", textOf],
];

/**
 * Spreadsheets run cells that begin like a formula, and people may have written them. Spreadsheets of other locales also split cells at
 * semicolons or tabs, ignoring quotes inside a line, so that a formula may begin after any of them.
 */
const formulaStart = /(^|[;\t|\r\n])(?=[=+\-@\t\r\0＝＋－＠])/g;

const isPhoneNumber = (text: string): boolean => /^\+\d+$/.test(text);

function cellOf(value: Cell): string {
  if (value === null) return "";
  const text =
    typeof value === "string" && !isPhoneNumber(value)
      ? value.replaceAll(formulaStart, "$1'")
      : String(value);
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(",")}\r\n`;

export const csvHead = lineOf(columns.map(([name]) => name));

export const csvLines = (records: readonly MessageRecord[]): string =>
  records.map((record) => lineOf(columns.map(([, of]) => of(record)))).join("");
