// Selects the members for a request and orders them. Pure: health and random numbers come in.

import type { MemberHealth } from "#ai/health/health.ts";
import type { ResponseKind } from "#ai/health/response-times.ts";

/** What selection needs to know of a member. */
export interface Candidate {
  id: string;
  name: string;
  /** Lower first; members of equal priority share by weight. */
  priority: number;
  weight: number;
  active: boolean;
  models: readonly string[];
  health: MemberHealth;
}

export interface Choice<Member extends Candidate> {
  member: Member;
  /** The model to request from the member. */
  model: string;
}

/**
 * The members that may serve a request. `unknown_model`: the pool is strict, or the key may not use the
 * model.
 */
export type Eligible<Member extends Candidate> =
  | { kind: "choices"; choices: Choice<Member>[] }
  | { kind: "unknown_model" };

/**
 * The members that can serve a request, each with the model to request. No model, the pool's own name and an
 * unknown name select the whole pool; a model name selects the members that serve it. `allowed`: the key's
 * models; null: all. `modelsOf`: the member's models for completions or for embeddings.
 */
export function eligibleMembers<Member extends Candidate>(
  members: readonly Member[],
  request: { model: string | null; poolName: string; strict: boolean; allowed: readonly string[] | null },
  modelsOf: (member: Member) => readonly string[] = (member) => member.models,
): Eligible<Member> {
  const { model, poolName, strict, allowed } = request;
  const modelName = model !== null && model !== poolName ? model : null;
  const choices: Choice<Member>[] = [];
  if (modelName !== null) {
    for (const member of members)
      if (member.active && modelsOf(member).includes(modelName)) choices.push({ member, model: modelName });
    const known = choices.length > 0;
    if (known ? allowed !== null && !allowed.includes(modelName) : strict) return { kind: "unknown_model" };
    if (known) return { kind: "choices", choices };
  }
  for (const member of members) {
    if (!member.active) continue;
    const first = modelsOf(member).find((name) => allowed === null || allowed.includes(name));
    if (first !== undefined) choices.push({ member, model: first });
  }
  return { kind: "choices", choices };
}

/**
 * The order of attempts: by priority tier, within a tier by weight and health, without members that are down.
 * If all are down, the one that is back soonest comes first, because the least bad member beats none.
 * `fraction`: random numbers in [0, 1). `kind`: whose response times are compared.
 */
export function order<Member extends Candidate>(
  choices: readonly Choice<Member>[],
  now: number,
  fraction: () => number,
  kind: ResponseKind = "stream",
): readonly Choice<Member>[] {
  if (choices.length <= 1) return choices;
  const rated = choices.map((choice) => ({ choice, availability: availabilityOf(choice, now) }));
  const usable = rated.filter(({ availability }) => availability.kind !== "down").map(({ choice }) => choice);
  if (usable.length === 0) {
    const until = new Map(
      rated.map(({ choice, availability }) => [
        choice,
        availability.kind === "down" ? availability.until : 0,
      ]),
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

/** A member must be this much faster than another to take its draw: near-ties share by weight alone. */
const clearlyFasterFactor = 0.8;

/** Power of two choices: two draws by weight, perhaps of one member; the clearly faster one wins. */
function shuffled<Member extends Candidate>(
  tier: readonly Choice<Member>[],
  now: number,
  fraction: () => number,
  kind: ResponseKind,
): Choice<Member>[] {
  const left = [...tier];
  const order: Choice<Member>[] = [];
  while (left.length > 0) {
    const first = drawByWeight(left, fraction);
    const second = left.length > 1 ? drawByWeight(left, fraction) : first;
    const isFaster =
      second.member.health.cost(now, kind) < clearlyFasterFactor * first.member.health.cost(now, kind);
    const next = isFaster ? second : first;
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
