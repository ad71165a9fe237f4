// Whom to ask, and in which order. Pure: the health of the members and chance come in.

import type { MemberHealth } from "#ai/health/health.ts";
import type { ResponseKind } from "#ai/health/response-times.ts";

/** A member of a pool, as choosing needs it. */
export interface Candidate {
  id: string;
  name: string;
  /** Lower first; equal ones share by weight. */
  priority: number;
  weight: number;
  active: boolean;
  models: readonly string[];
  health: MemberHealth;
}

export interface Choice<Member extends Candidate> {
  member: Member;
  /** What to ask it for. */
  model: string;
}

/** What a request may be served by. `unknown_model`: the pool is strict, or the key may not use it. */
export type Eligible<Member extends Candidate> =
  | { kind: "choices"; choices: Choice<Member>[] }
  | { kind: "unknown_model" };

/**
 * The members that can serve a request, with the model to ask each for. No model, the pool's own name and an
 * unknown name mean the whole pool; a name that members serve means those. `allowed`: the key's models; null: all.
 * `modelsOf`: those that count, for completions or for embeddings.
 */
export function eligibleMembers<Member extends Candidate>(
  members: readonly Member[],
  asked: { model: string | null; poolName: string; strict: boolean; allowed: readonly string[] | null },
  modelsOf: (member: Member) => readonly string[] = (member) => member.models,
): Eligible<Member> {
  const { model, poolName, strict, allowed } = asked;
  const named = model !== null && model !== poolName ? model : null;
  const choices: Choice<Member>[] = [];
  if (named !== null) {
    for (const member of members)
      if (member.active && modelsOf(member).includes(named)) choices.push({ member, model: named });
    const known = choices.length > 0;
    if (known ? allowed !== null && !allowed.includes(named) : strict) return { kind: "unknown_model" };
    if (known) return { kind: "choices", choices };
  }
  for (const member of members) {
    if (!member.active) continue;
    const first = modelsOf(member).find((one) => allowed === null || allowed.includes(one));
    if (first !== undefined) choices.push({ member, model: first });
  }
  return { kind: "choices", choices };
}

/**
 * The order in which to ask: tier by tier, within a tier by weight and health, those that are down left out.
 * All down: those that will be back soonest first, since asking the least bad one beats asking nobody.
 * `fraction`: random numbers in [0, 1). `kind`: what is asked for, whose times are compared.
 */
export function order<Member extends Candidate>(
  choices: readonly Choice<Member>[],
  now: number,
  fraction: () => number,
  kind: ResponseKind = "stream",
): readonly Choice<Member>[] {
  if (choices.length <= 1) return choices;
  const standing = choices.map((choice) => ({ choice, stands: availabilityOf(choice, now) }));
  const usable = standing.filter(({ stands }) => stands.kind !== "down").map(({ choice }) => choice);
  if (usable.length === 0) {
    const until = new Map(
      standing.map(({ choice, stands }) => [choice, stands.kind === "down" ? stands.until : 0]),
    );
    return choices.toSorted((a, b) => until.get(a)! - until.get(b)!);
  }
  const tiers = [...new Set(usable.map(({ member }) => member.priority))].sort((a, b) => a - b);
  return tiers.flatMap((tier) =>
    shuffled(
      usable.filter(({ member }) => member.priority === tier),
      now,
      fraction,
      kind,
    ),
  );
}

function availabilityOf<Member extends Candidate>({ member, model }: Choice<Member>, now: number) {
  if (member.health.isModelMissing(model, now)) return { kind: "down" as const, until: now + 1e9 };
  return member.health.availability(now, model);
}

/** A member has to be this much quicker than another to take a draw from it: near-ties share by weight alone. */
const clearlyFasterFactor = 0.8;

/** Power of two choices: two are drawn by weight, perhaps the same twice, and the clearly quicker one wins. */
function shuffled<Member extends Candidate>(
  tier: readonly Choice<Member>[],
  now: number,
  fraction: () => number,
  kind: ResponseKind,
): Choice<Member>[] {
  const left = [...tier];
  const order: Choice<Member>[] = [];
  while (left.length > 0) {
    const one = drawByWeight(left, fraction);
    const other = left.length > 1 ? drawByWeight(left, fraction) : one;
    const cheaper =
      other.member.health.cost(now, kind) < clearlyFasterFactor * one.member.health.cost(now, kind);
    const next = cheaper ? other : one;
    order.push(next);
    left.splice(left.indexOf(next), 1);
  }
  return order;
}

function drawByWeight<Member extends Candidate>(
  from: readonly Choice<Member>[],
  fraction: () => number,
): Choice<Member> {
  let at = fraction() * from.reduce((sum, { member }) => sum + member.weight, 0);
  for (const choice of from) {
    at -= choice.member.weight;
    if (at < 0) return choice;
  }
  return from.at(-1)!;
}
