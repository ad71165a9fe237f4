// Runs a command of `trunkline`.

import { printErrors, type Terminal } from "./terminal.ts";

/** Whether the words start the service itself, which keeps running. */
export const isServe = (words: readonly string[]): boolean =>
  words.length === 0 || (words.length === 1 && words[0] === "serve");

/** Runs a command. Returns the exit code: 0 for success, 1 for a failure, 2 for invalid arguments. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Loading the argument parser takes 10 ms, which a start does not need.
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
