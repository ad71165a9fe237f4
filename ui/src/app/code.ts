// Code that is loaded when it is first needed.

import { ApiError, call } from "#ui/api/client.ts";
import { isAway } from "#ui/api/freshness.ts";

const againMs = 1_000;

let answer: Promise<void> | null = null;

/** Resolves once the service answers, also with an error. */
async function answered(): Promise<void> {
  for (;;) {
    try {
      await call("getSession", {});
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !isAway(error.status)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/**
 * Loads code. While the service does not answer, it waits: the page before stays, with what was typed in it. Throws if the service answers
 * and the code does not come, as after an upgrade. The router would reload the document for the browser's own error, so it is another one.
 */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    answer ??= answered().finally(() => {
      answer = null;
    });
    await answer;
  }
  return await load().catch((error: unknown) => {
    throw new Error(`Its code does not come: ${error instanceof Error ? error.message : String(error)}`);
  });
}
