// Lists as numbered texts, and numbers as answers to them.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListContent } from "#gateways/message.ts";
import { listText, pollOf, rowChosen, sentList } from "#gateways/whatsapp/linked/lists.ts";

const row = (id: string, title: string, description: string | null = null) => ({ id, title, description });
const list: ListContent = {
  kind: "list",
  text: "When shall we deliver?",
  header: "Your order",
  footer: "Shop",
  button: "Choose",
  sections: [
    { title: "Today", rows: [row("a", "Morning", "8 to 12"), row("b", "Evening")] },
    { title: "Tomorrow", rows: [row("c", "Noon")] },
  ],
};

test("rows are numbered through all sections", () => {
  assert.equal(
    listText(list),
    [
      "*Your order*",
      "When shall we deliver?",
      "*Today*\n1. Morning – 8 to 12\n2. Evening",
      "*Tomorrow*\n3. Noon",
      "_Shop_",
      "Reply with a number.",
    ].join("\n\n"),
  );
  const plain = { ...list, header: null, footer: null, sections: [{ title: null, rows: [row("a", "One")] }] };
  assert.equal(listText(plain), "When shall we deliver?\n\n1. One\n\nReply with a number.");
});

const now = 1_000_000;
const sent = sentList(list, "3EB0A", now);

test("a number chooses its row for a day, and later when it quotes the list", () => {
  const noon = { type: "list", id: "c", title: "Noon", description: null };
  assert.deepEqual(rowChosen(sent, " 3 ", null, now + 1), noon);
  const day = 86_400_000;
  assert.equal(rowChosen(sent, "3", null, now + day + 1), null);
  assert.deepEqual(rowChosen(sent, "3", "3EB0A", now + 2 * day), noon);
});

test("other texts, other numbers and answers to other messages choose nothing", () => {
  for (const text of ["4", "0", "3 please", "three", ""])
    assert.equal(rowChosen(sent, text, null, now), null);
  assert.equal(rowChosen(sent, "1", "3EB0B", now), null);
  assert.equal(rowChosen(null, "1", null, now), null);
});

test("a list is a poll when a poll holds all that it says", () => {
  const rows = [row("a", "Morning", "8 to 12"), row("b", "Evening")];
  const short: ListContent = { ...list, sections: [{ title: "Today", rows }] };
  assert.deepEqual(pollOf(short), {
    kind: "poll",
    question: "Your order\nWhen shall we deliver?\nToday\nShop",
    options: [
      { id: "a", title: "Morning", text: "Morning – 8 to 12" },
      { id: "b", title: "Evening", text: "Evening" },
    ],
  });
  const withRows = (...more: typeof rows) => pollOf({ ...short, sections: [{ title: null, rows: more }] });
  assert.equal(pollOf(list), null, "sections");
  assert.equal(pollOf({ ...short, text: "x".repeat(256) }), null, "a long question");
  assert.equal(withRows(row("a", "One")), null, "one option");
  assert.equal(withRows(row("a", "One"), row("b", "One")), null, "options that look alike");
  assert.equal(withRows(row("a", "One"), row("b", "Two", "x".repeat(100))), null, "a long option");
  assert.equal(withRows(...Array.from({ length: 13 }, (_, i) => row(`${i}`, `${i}`))), null, "13 options");
  assert.equal(withRows(...Array.from({ length: 12 }, (_, i) => row(`${i}`, `${i}`)))?.options.length, 12);
});
