// What the command line prints: sentences and tables for people, JSON for programs.

import { styleText } from "node:util";
import { escapeControls } from "#runtime/log/escape-controls.ts";

/** What a command found out or did. */
export interface Result {
  /** For people. */
  text: string;
  /** For programs, with `--json`. */
  data: unknown;
}

export const print = (text: string) => process.stdout.write(`${text}\n`);

/** Errors in the operator's hands: named one by one, then the end. */
export function fail(errors: readonly string[]): never {
  process.stderr.write(`${errors.map((error) => `trunkline: ${escapeControls(error)}`).join("\n")}\n`);
  process.exit(1);
}

/** Prints a result as the person or the program wants it. */
export function show({ text, data }: Result, { json }: { json?: boolean }): void {
  print(json ? JSON.stringify(data, null, 2) : text);
}

/** Rows in columns, under a row of names. Colours only on a terminal. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [styleText("dim", line(names)), ...rows.map(line)].join("\n");
}

/** A state in its colour, on a terminal. */
export function coloured(word: string): string {
  const [, colour] = colours.find(([words]) => words.includes(word)) ?? [];
  return colour === undefined ? word : styleText(colour, word);
}

const colours: readonly (readonly [string[], "green" | "yellow" | "red"])[] = [
  [["delivered", "read", "ok"], "green"],
  [["unknown", "warning"], "yellow"],
  [["failed", "undelivered", "expired", "error"], "red"],
];

/** What others wrote, on one line: its control characters move no cursor and change no colour. */
export const plain = (text: string) => escapeControls(text).replaceAll("\n", " ");
