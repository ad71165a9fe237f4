// Finds the column of a foreign list that has the recipients. Every vendor uses its own names (`email`, `Email Address`, `msisdn`, `To`),
// so the contents of a column decide, and its name only breaks ties.

import type { Channel } from "#contract/messages/channel.ts";

/** Rows read to choose a column. */
const sampleRows = 1_000;

const emailLike = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;
/** Seven to fifteen digits with the usual separators. */
const phoneLike = /^\+?[\d\s()./-]{7,30}$/;

const isEmail = (text: string) => emailLike.test(text);
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  return phoneLike.test(text) && digits >= 7 && digits <= 15;
}

const telling = /mail|phone|mobile|cell|msisdn|number|recipient|address|whatsapp|^to$/i;

interface Column {
  at: number;
  /** Empty if the list has no header row. */
  name: string;
  channel: Channel;
  /** Whether the first row is a header. */
  hasNames: boolean;
}

/**
 * The column with the recipients. `named`: a column's name or its number from 1; null for the one with the most recipients. Throws, in
 * words for the operator, if no column has any.
 */
export function chooseColumn(
  rows: readonly string[][],
  named: string | null,
  channel: Channel | null,
): Column {
  const [first = []] = rows;
  const looksRight =
    channel === null
      ? (text: string) => isEmail(text) || isPhone(text)
      : channel === "email"
        ? isEmail
        : isPhone;
  const hasNames = !first.some((cell) => looksRight(cell.trim()));
  const sample = rows.slice(hasNames ? 1 : 0, sampleRows);
  const columns = first.map((cell, at) => {
    const cells = sample.map((row) => row[at]?.trim() ?? "");
    const name = hasNames ? cell.trim() : "";
    return { at, name, emails: cells.filter(isEmail).length, right: cells.filter(looksRight).length };
  });
  const chosen =
    named === null
      ? columns
          .filter(({ right }) => right > 0)
          .toSorted(
            (a, b) => b.right - a.right || Number(telling.test(b.name)) - Number(telling.test(a.name)),
          )[0]
      : (columns.find(({ name }) => name !== "" && name.toLowerCase() === named.toLowerCase()) ??
        columns[Number(named) - 1]);
  if (chosen === undefined) {
    const names = columns.map(({ at, name }) => name || String(at + 1)).join(", ");
    throw new Error(
      named === null
        ? `No column has phone numbers or email addresses. Name one with --column: ${names}.`
        : `There is no column ${named}. There are: ${names}.`,
    );
  }
  return {
    at: chosen.at,
    name: chosen.name,
    channel: channel ?? (chosen.emails * 2 > chosen.right ? "email" : "sms"),
    hasNames,
  };
}
