// Selects the members for a request and orders them. Pure: the caller passes health and random numbers in.

import type { MemberHealth } from "#ai/health/health.ts";
import type { ResponseKind } from "#ai/health/response-times.ts";
import { type Affinity, ranked } from "./affinity.ts";

/** The properties of a member that selection needs. */
export interface Candidate {
  id: string;
  name: string;
  /** Lower first; members of equal priority share by weight. */
  priority: number;
  weight: number;
  active: boolean;
  models: readonly string[];
  /** Other names of its models. */
  aliases: Readonly<Record<string, string>>;
  health: MemberHealth;
}

export interface Choice<Member extends Candidate> {
  member: Member;
  /** The model to request from the member. */
  model: string;
  /** The request names a model that this member does not serve: members that do come first. */
  substitute?: true;
}

/** The members that may serve a request. `unknown_model`: the pool is strict, or the key may not use the model. */
type Eligible<Member extends Candidate> =
  | { kind: "choices"; choices: Choice<Member>[] }
  | { kind: "unknown_model" };

export interface ModelRequest {
  /** The model in the request; null if it names none. */
  model: string | null;
  poolName: string;
  /** A model that no member serves is refused, and one that is served is not substituted. */
  strict: boolean;
  /** The key's models; null for all. */
  allowed: readonly string[] | null;
}

/**
 * The members that can serve a request, each with the model to request. No model, the pool's own name and an
 * unknown name select the whole pool. A model name, or an alias of it, selects the members that serve it, and, unless the
 * pool is strict, then the others with their own models. What a key may use, it may use under all of its names.
 */
export function eligibleMembers<Member extends Candidate>(
  members: readonly Member[],
  request: ModelRequest,
  modelsOf: (member: Member) => readonly string[] = (member) => member.models,
): Eligible<Member> {
  const { strict } = request;
  const name = modelNameOf(request);
  const named = name === null ? null : namedMembers(members, name, request, modelsOf);
  if (named === "unusable") return { kind: "unknown_model" };
  const served = named ?? [];
  if (served.length > 0 && strict) return { kind: "choices", choices: served };
  const others: Choice<Member>[] = [];
  for (const member of members) {
    if (!member.active || served.some((choice) => choice.member === member)) continue;
    const first = modelsOf(member).find((model) => isAllowed(member, model, request));
    if (first === undefined) continue;
    others.push(served.length > 0 ? { member, model: first, substitute: true } : { member, model: first });
  }
  return { kind: "choices", choices: [...served, ...others] };
}

/**
 * The members that can embed a request. All of them use one model, because vectors of two models do not mix: the one that is named,
 * otherwise the first model of the first member.
 */
export function embeddingMembers<Member extends Candidate>(
  members: readonly Member[],
  request: ModelRequest,
  modelsOf: (member: Member) => readonly string[],
): Eligible<Member> {
  const name = modelNameOf(request);
  const named = name === null ? null : namedMembers(members, name, request, modelsOf);
  if (named === "unusable") return { kind: "unknown_model" };
  if (named !== null && named.length > 0) return { kind: "choices", choices: named };
  const usable = members.flatMap((member) => {
    const model = modelsOf(member).find((one) => isAllowed(member, one, request));
    return member.active && model !== undefined ? [{ priority: member.priority, model }] : [];
  });
  const [first] = usable.toSorted((a, b) => a.priority - b.priority);
  const choices = first === undefined ? [] : servingMembers(members, first.model, modelsOf);
  return { kind: "choices", choices };
}

/** Whether a member serves the model that the request names. */
export function isServed<Member extends Candidate>(
  members: readonly Member[],
  request: ModelRequest,
  modelsOf: (member: Member) => readonly string[],
): boolean {
  const name = modelNameOf(request);
  return name !== null && servingMembers(members, name, modelsOf).length > 0;
}

const modelNameOf = ({ model, poolName }: ModelRequest) =>
  model !== null && model !== poolName ? model : null;

/** Whether the key may use the member's model, under its own name or an alias of it. */
const isAllowed = (member: Candidate, model: string, { allowed }: Pick<ModelRequest, "allowed">) =>
  allowed === null ||
  allowed.includes(model) ||
  aliasesOf(member, model).some((alias) => allowed.includes(alias));

/**
 * The members that serve the name, with a model that the key may use. A name that no member serves selects the whole pool, unless it is
 * strict; one that the key may not use is refused.
 */
function namedMembers<Member extends Candidate>(
  members: readonly Member[],
  name: string,
  request: Pick<ModelRequest, "strict" | "allowed">,
  modelsOf: (member: Member) => readonly string[],
): Choice<Member>[] | "unusable" {
  const served = servingMembers(members, name, modelsOf);
  if (served.length === 0) return request.strict ? "unusable" : [];
  const usable =
    request.allowed === null || request.allowed.includes(name)
      ? served
      : served.filter(({ member, model }) => isAllowed(member, model, request));
  return usable.length === 0 ? "unusable" : usable;
}

/** The other names of a member's model. */
export const aliasesOf = ({ aliases }: Pick<Candidate, "aliases">, model: string): string[] =>
  Object.keys(aliases).filter((alias) => aliases[alias] === model);

function hasAny(record: object): boolean {
  for (const _ in record) return true;
  return false;
}

/** The members that serve a model under this name, or under another name that one of them gives to the model of this name. */
function servingMembers<Member extends Candidate>(
  members: readonly Member[],
  name: string,
  modelsOf: (member: Member) => readonly string[],
): Choice<Member>[] {
  const active = members.filter((member) => member.active);
  const serving = active.filter((member) => modelsOf(member).includes(name));
  if (active.every(({ aliases }) => !hasAny(aliases)))
    return serving.map((member) => ({ member, model: name }));
  const names = new Set([name, ...serving.flatMap((member) => aliasesOf(member, name))]);
  return active.flatMap((member) => {
    const models = modelsOf(member);
    for (const one of names) {
      if (models.includes(one)) return [{ member, model: one }];
      const model = Object.hasOwn(member.aliases, one) ? member.aliases[one] : undefined;
      if (model !== undefined && models.includes(model)) return [{ member, model }];
    }
    return [];
  });
}

/** What ties a request to some of the members of a tier. */
export interface Ties<Member extends Candidate> {
  /** Identifies the conversation for session affinity. */
  affinity?: Affinity | null | undefined;
  /** Whether the member made the newest sealed reasoning of the request; absent or null if the maker is not known. */
  isMaker?: ((choice: Choice<Member>) => boolean) | null;
}

/**
 * The order of attempts: those that serve the named model before the others, then by priority tier, within a tier by weight and health,
 * without members that are down. If all are down, the one that is back soonest comes first, because the least bad member is better than
 * none. `random`: random numbers in [0, 1). `kind`: whose response times are compared.
 */
export function order<Member extends Candidate>(
  choices: readonly Choice<Member>[],
  now: number,
  random: () => number,
  kind: ResponseKind = "stream",
  { affinity, isMaker }: Ties<Member> = {},
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
  const tiers = [...new Set(usable.map(tierOf))].sort((a, b) => a - b);
  return tiers.flatMap((tier) => {
    const equals = usable.filter((choice) => tierOf(choice) === tier);
    const among = (some: readonly Choice<Member>[]) => {
      const kept = affinity && some.length > 1 ? ranked(some, affinity()) : null;
      return kept !== null && !isOverrun(kept, now, kind) ? kept : shuffled(some, now, random, kind);
    };
    if (!isMaker || equals.length === 1) return among(equals);
    return [...among(equals.filter(isMaker)), ...among(equals.filter((choice) => !isMaker(choice)))];
  });
}

/** A member that is more expensive than another one of its tier by this factor shares its conversations: a cached prompt saves no more. */
const overrunFactor = 4;

/** Whether the first is so slow, or so busy, that the others of its tier take over some of its calls. */
function isOverrun<Member extends Candidate>(
  [first, ...others]: readonly Choice<Member>[],
  now: number,
  kind: ResponseKind,
): boolean {
  if (first === undefined) return false;
  const cost = first.member.health.cost(now, kind);
  // One that has not answered yet is not evidence of being faster.
  return others.some(
    ({ member: { health } }) => health.isMeasured(kind) && cost > overrunFactor * health.cost(now, kind),
  );
}

/** Substitutes come after every priority, which is 1,000 at most. */
const tierOf = ({ member, substitute }: Choice<Candidate>) => member.priority + (substitute ? 10_000 : 0);

function availabilityOf<Member extends Candidate>({ member, model }: Choice<Member>, now: number) {
  if (member.health.isModelMissing(model, now)) return { kind: "down" as const, until: now + 1e9 };
  return member.health.availability(now, model);
}

/** A member must be faster than another by this factor to take its draw: near-ties are shared by weight only. */
const clearlyFasterFactor = 0.8;

/** Power of two choices: two draws by weight, possibly of the same member; the clearly faster one wins. */
function shuffled<Member extends Candidate>(
  tier: readonly Choice<Member>[],
  now: number,
  random: () => number,
  kind: ResponseKind,
): Choice<Member>[] {
  const left = [...tier];
  const order: Choice<Member>[] = [];
  while (left.length > 0) {
    const first = drawByWeight(left, random);
    const second = left.length > 1 ? drawByWeight(left, random) : first;
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
  random: () => number,
): Choice<Member> {
  let at = random() * from.reduce((sum, { member }) => sum + member.weight, 0);
  for (const choice of from) {
    at -= choice.member.weight;
    if (at < 0) return choice;
  }
  return from.at(-1)!;
}
