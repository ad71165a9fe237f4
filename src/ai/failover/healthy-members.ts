// Which members are healthy, and whether a healthy one is left besides the current one.

import type { Candidate, Choice } from "#ai/pools/pool.ts";

/** Whether the member is up for this model: circuit closed, no cooldown, model not known to be missing. */
export function isHealthy<Member extends Candidate>({ member, model }: Choice<Member>, now: number): boolean {
  return member.health.availability(now, model).kind === "up" && !member.health.isModelMissing(model, now);
}

/** Whether a healthy member other than this one, and not `excluded`, is left. */
export function hasHealthyAlternative<Member extends Candidate>(
  choices: readonly Choice<Member>[],
  out: readonly Choice<Member>[],
  choice: Choice<Member>,
  now: number,
): boolean {
  return choices.some((other) => other !== choice && !out.includes(other) && isHealthy(other, now));
}
