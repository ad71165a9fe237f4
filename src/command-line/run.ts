// Runs a command of `trunkline`.

import { printErrors, type Terminal } from "./terminal.ts";

/** Whether the words ask for the service itself, which goes on. */
export const isServe = (words: readonly string[]): boolean =>
  words.length === 0 || (words.length === 1 && words[0] === "serve");

/** Runs the command that the words name. Returns the exit code: 0 done, 1 failed, 2 the words are wrong. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Loading the reader of words takes 10 ms, which a start does not need.
    if (isServe(words)) {
      const { serve } = await import("./serve.ts");
      await serve(terminal);
      return 0;
    }
    const { runWords } = await import("./program.ts");
    return await runWords(words, terminal);
  } catch (error) {
    printErrors(terminal, error);
    return 1;
  }
}
