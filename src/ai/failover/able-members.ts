// Selects the members that can serve a request, based on what they have refused before.

import { lacksTools } from "#ai/failover/adaptations/tools-api.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { undroppable } from "#providers/translate/hints.ts";

/**
 * The choices without those whose model refused a parameter that the request cannot do without. If that leaves none, all of them: the
 * request is then attempted and the caller sees the vendor's own error. `body`: that of a chat completion; null if it is not known.
 */
export function ableMembers(
  choices: readonly Choice<Member>[],
  body: Readonly<Record<string, unknown>> | null,
  params: "adapt" | "strict",
  now: number,
): readonly Choice<Member>[] {
  if (body === null) return choices;
  const lacks = (choice: Choice<Member>) => {
    const { member, model } = choice;
    if (lacksTools(choice, body, now)) return true;
    const refused = member.health.refused.of(model, body, now);
    return refused.length > 0 && undroppable(refused, params).length > 0;
  };
  if (!choices.some(lacks)) return choices;
  const able = choices.filter((choice) => !lacks(choice));
  return able.length > 0 ? able : choices;
}
