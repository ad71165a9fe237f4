// Lists over a linked device. WhatsApp shows no real lists from linked devices, so a list is a numbered text, and the number in the answer
// is mapped back to its row; or it is a poll, whose votes name the row.

import type { ReceivedReply } from "#contract/messages/received/details.ts";
import type { ListContent } from "#gateways/message.ts";
import type { BridgeContent } from "./protocol.ts";

/** A list that was sent to a chat: the latest one receives the answers, unless an answer quotes another. */
export interface SentList {
  /** WhatsApp's id of the message. */
  id: string;
  at: number;
  rows: readonly { id: string; title: string; description: string | null }[];
}

/** A number alone counts as an answer for this long, ms. */
const answerMs = 24 * 3_600_000;

const rowsOf = (list: Pick<ListContent, "sections">) => list.sections.flatMap(({ rows }) => rows);

/** The list as a text, in WhatsApp's markup: asterisks are bold, underscores italic. */
export function listText(list: ListContent): string {
  let number = 0;
  const sections = list.sections.map(({ title, rows }) => {
    const lines = rows.map((row) => {
      number += 1;
      return `${number}. ${row.title}${row.description === null ? "" : ` – ${row.description}`}`;
    });
    return [...(title === null ? [] : [`*${title}*`]), ...lines].join("\n");
  });
  const parts = [
    ...(list.header === null ? [] : [`*${list.header}*`]),
    list.text,
    ...sections,
    ...(list.footer === null ? [] : [`_${list.footer}_`]),
    "Reply with a number.",
  ];
  return parts.join("\n\n");
}

/** The limits of polls in WhatsApp's apps, in characters and options. */
const poll = { question: 255, options: [2, 12], option: 100 } as const;

/** The list as a poll; null if a poll cannot contain all of it. */
export function pollOf(list: ListContent): (BridgeContent & { kind: "poll" }) | null {
  const titles = list.sections.map(({ title }) => title).filter((title) => title !== null);
  if (list.sections.length > 1 && titles.length > 0) return null;
  const parts = [list.header, list.text, ...titles, list.footer];
  const question = parts.filter((part) => part !== null).join("\n");
  const options = rowsOf(list).map(({ id, title, description }) => ({
    id,
    title,
    text: description === null ? title : `${title} – ${description}`,
  }));
  const isDistinct = new Set(options.map(({ text }) => text)).size === options.length;
  const [min, max] = poll.options;
  const fits =
    question.length <= poll.question &&
    options.length >= min &&
    options.length <= max &&
    options.every(({ text }) => text.length <= poll.option);
  return isDistinct && fits ? { kind: "poll", question, options } : null;
}

export const sentList = (list: ListContent, id: string, at: number): SentList => ({
  id,
  at,
  rows: rowsOf(list),
});

/** The row that an answer chooses; null if it is not an answer to the list. `answers`: the id of the message that it quotes. */
export function rowChosen(
  list: SentList | null,
  text: string,
  answers: string | null,
  now: number,
): ReceivedReply | null {
  const number = /^\s*(\d{1,2})\s*$/.exec(text)?.[1];
  if (list === null || number === undefined) return null;
  const isQuoted = answers === list.id;
  if (!isQuoted && (answers !== null || now - list.at > answerMs)) return null;
  const row = list.rows[Number(number) - 1];
  return row === undefined
    ? null
    : { type: "list", id: row.id, title: row.title, description: row.description };
}
