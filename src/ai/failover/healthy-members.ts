// Which members are well, and whether one is left besides the one that is asked.

import type { Candidate, Choice } from "#ai/pools/pool.ts";

/** Whether nothing speaks against asking it: it is not open, does not rest, and has the model as far as is known. */
export function isHealthy<Member extends Candidate>({ member, model }: Choice<Member>, now: number): boolean {
  return member.health.availability(now, model).kind === "up" && !member.health.isModelMissing(model, now);
}

/** Whether a member that is well, and not `out`, is left besides this one. */
export function hasHealthyAlternative<Member extends Candidate>(
  choices: readonly Choice<Member>[],
  out: readonly Choice<Member>[],
  choice: Choice<Member>,
  now: number,
): boolean {
  return choices.some((other) => other !== choice && !out.includes(other) && isHealthy(other, now));
}
