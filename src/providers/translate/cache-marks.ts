// Marks after which a prompt is cached (`cache_control`), at vendors that have none.

import type { Conversation } from "./conversation.ts";
import type { FunctionTool } from "./request-fields.ts";

/** The name of the marks that a request loses if they cannot be sent; empty if it has none. */
export function unmarked({ system, turns }: Conversation, tools: readonly FunctionTool[]): readonly string[] {
  const parts = turns.flatMap((turn) =>
    turn.role === "tool" ? turn.results.flatMap((result) => result.parts) : turn.parts,
  );
  const isMarked = [...system, ...parts, ...tools].some(({ cacheControl }) => cacheControl !== undefined);
  return isMarked ? ["cache_control"] : [];
}
