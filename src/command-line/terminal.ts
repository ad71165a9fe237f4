// The command line's input and output: its environment, answers at the terminal; sentences and tables for people, JSON for programs.

import type { Readable } from "node:stream";
import { stripVTControlCharacters, styleText } from "node:util";
import { environment } from "#config.ts";
import { escapeControls } from "#runtime/log/escape-controls.ts";

/** The output of a command. */
interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** The terminal, script or test that a command runs in. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The path of the folder that the command was started in. */
  readonly folder: string;
  readonly input: Readable;
  readonly output: Output;
  readonly errors: Output;
  /** Whether `output` shows colours. */
  readonly colours: boolean;
}

/** The terminal of this process. */
export const ownTerminal = (): Terminal => ({
  environment,
  folder: process.cwd(),
  // Opened when it is first read.
  get input() {
    return process.stdin;
  },
  output: process.stdout,
  errors: process.stderr,
  // Node judges by the stream, NO_COLOR and FORCE_COLOR.
  colours: styleText("bold", "x", { stream: process.stdout }) !== "x",
});

/** The result of a command. */
export interface Result {
  /** For people. */
  text: string;
  /** For programs, with `--json`. */
  data: unknown;
}

export function print({ output, colours }: Terminal, text: string): void {
  output.write(`${colours ? text : stripVTControlCharacters(text)}\n`);
}

/** Ends a command with errors that the operator can fix. */
export class Failure extends Error {
  readonly errors: readonly string[];
  constructor(errors: readonly string[]) {
    super(errors.join("\n"));
    this.errors = errors;
  }
}

/** Prints why a command failed, error by error. */
export function printErrors({ errors: output }: Terminal, error: unknown): void {
  const errors =
    error instanceof Failure ? error.errors : [error instanceof Error ? error.message : String(error)];
  for (const each of errors) output.write(`trunkline: ${escapeControls(each)}\n`);
}

/** Prints a result in the requested form. */
export function show(terminal: Terminal, { text, data }: Result, { json }: { json?: boolean }): void {
  if (json) terminal.output.write(`${JSON.stringify(data, null, 2)}\n`);
  else print(terminal, text);
}

const styled = (style: Parameters<typeof styleText>[0], text: string) =>
  styleText(style, text, { validateStream: false });

/** Rows in columns, with a header. */
export function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [styled("dim", line(names)), ...rows.map(line)].join("\n");
}

/** A state in its colour, as wide as `width`. */
export function coloured(word: string, width = 0): string {
  const [, colour] = colours.find(([words]) => words.includes(word)) ?? [];
  const text = word.padEnd(width);
  return colour === undefined ? text : styled(colour, text);
}

const colours: readonly (readonly [string[], "green" | "yellow" | "red"])[] = [
  [["delivered", "read", "ok"], "green"],
  [["unknown", "warning"], "yellow"],
  [["failed", "undelivered", "expired", "error"], "red"],
];

/** Foreign text on one line: its control characters move no cursor and change no colour. */
export const plain = (text: string) => escapeControls(text).replaceAll("\n", " ");
