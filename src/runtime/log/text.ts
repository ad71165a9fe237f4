// Lines of the log for people at a terminal. Programs get JSON.

import { styleText } from "node:util";
import { escapeControls } from "./escape-controls.ts";

const colours = { debug: "gray", info: "blue", warn: "yellow", error: "red" } as const;

/** On one line. */
const escaped = (text: string) => escapeControls(text).replaceAll("\n", "\\n");

/** A stack trace is printed on lines of its own, not among the fields. */
function stackOf(fields: Record<string, unknown>): string {
  for (const value of Object.values(fields)) {
    if (typeof value === "object" && value !== null && "stack" in value && typeof value.stack === "string")
      return value.stack
        .split("\n")
        .map((line) => `\n    ${escaped(line)}`)
        .join("");
  }
  return "";
}

function shown(value: unknown): string {
  if (typeof value === "string")
    return /^[\w./:@{}+-]+$/.test(value) ? value : escaped(JSON.stringify(value));
  if (typeof value === "object" && value !== null && "message" in value)
    return escaped(JSON.stringify(value.message));
  return escaped(JSON.stringify(value));
}

/** One or more JSON lines of the log as text: the local time, the level, the sentence, and then the fields. */
export function textOfLines(lines: string): string {
  return lines
    .split("\n")
    .map((line) => (line === "" ? "" : textOfLine(line)))
    .join("\n");
}

function textOfLine(line: string): string {
  const { level, time, msg, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at = new Date(String(time)).toTimeString().slice(0, 8);
  const colour = colours[level as keyof typeof colours] ?? "blue";
  const pairs = Object.entries({ event, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${shown(value)}`);
  const word = styleText(colour, String(level).padEnd(5));
  return `${styleText("dim", at)} ${word} ${escaped(String(msg))} ${styleText("dim", pairs.join(" "))}${stackOf(fields)}`;
}
