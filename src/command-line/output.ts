// What the command line prints: sentences and tables for people, JSON for programs.

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
  process.stderr.write(`${errors.map((error) => `trunkline: ${error}`).join("\n")}\n`);
  process.exit(1);
}

/** Prints a result as the person or the program wants it. */
export function show({ text, data }: Result, { json }: { json?: boolean }): void {
  print(json ? JSON.stringify(data, null, 2) : text);
}
