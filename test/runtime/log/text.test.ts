// Lines of the log for people.

import assert from "node:assert/strict";
import test from "node:test";
import { stripVTControlCharacters } from "node:util";
import { createLog } from "#runtime/log/log.ts";
import { textOfLines } from "#runtime/log/text.ts";

const plain = (text: string) => stripVTControlCharacters(text);

test("a line is the time, the level, the sentence and the fields", () => {
  const line = JSON.stringify({
    level: "info",
    time: "2026-11-26T10:11:12.345Z",
    event: "http.request",
    method: "POST",
    status: 200,
    account: null,
    note: "two words",
    msg: "A request was answered.",
  });
  assert.match(
    plain(textOfLines(`${line}\n`)),
    /^\d\d:\d\d:\d\d info {2}A request was answered\. event=http\.request method=POST status=200 account=null note="two words"\n$/,
  );
});

test("an error is its message among the fields and its stack below", () => {
  const written: string[] = [];
  const log = createLog({
    level: "info",
    text: true,
    destination: { write: (line) => void written.push(line) },
  });
  log.error({ event: "x.failed", error: new Error("broken pipe") }, "It failed.");
  const [first = "", ...stack] = plain(written.join("")).trimEnd().split("\n");
  assert.match(first, /error It failed\. event=x\.failed error="broken pipe"$/);
  assert.ok(stack.length > 1 && stack.every((line) => line.startsWith("    ")));
});

test("what drives a terminal stays escaped", () => {
  const written: string[] = [];
  const log = createLog({
    level: "info",
    text: true,
    destination: { write: (line) => void written.push(line) },
  });
  log.info({ event: "x", name: "\u001b[31mred\u202e" }, "A name\u001b[2J came.");
  const text = written.join("");
  assert.match(text, /A name\\u001b\[2J came\./);
  assert.ok(!/[\u0000-\u0009\u000b-\u001f\u202e]/.test(text.replaceAll("\n", "")), JSON.stringify(text));
});
