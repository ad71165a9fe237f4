// The members of a pool. Their settings are checked by the schema of their provider and sealed as a whole; they can be
// changed in part, and their secrets are never returned.

import { type ForwardedOperation, forwardedOperations, modelsField } from "#contract/ai/operations.ts";
import type { Issue } from "#contract/issue.ts";
import { findProvider, providers } from "#providers/registry.ts";
import type { Outbound } from "#runtime/runtime.ts";
import {
  maxMembers,
  memberSettingsContext,
  readPools,
  removeMember,
  saveMember,
  timeoutsIn,
} from "#store/pools/pools.ts";
import { changeRow, type Overtaken } from "#store/revision.ts";
import type { MemberTimeouts, PoolMembersTable } from "#store/schema/pools.ts";
import type { Sealer } from "#store/seal.ts";
import { millionths } from "./budget-input.ts";
import { omitUndefined, type Refusal, taken } from "./changes.ts";
import type { ConfigureDeps } from "./gateway.ts";
import type { MemberChanges, MemberInput } from "./pool-input.ts";
import { maskIssues, mergeSettings, parseSettings, type SettingsChange } from "./settings-change.ts";

export type SaveMemberResult = { kind: "saved"; id: string } | Refusal;

/** A pool of an account. */
export interface PoolRef {
  accountId: string;
  poolId: string;
}

type ParseResult =
  /** `settings`: by the schema of its kind. */
  { kind: "parsed"; settings: unknown } | { kind: "invalid"; issues: Issue[] };

/** Checks a member; the issues have paths inside it. */
function parseMember(
  outbound: Outbound,
  input: MemberInput,
  change: SettingsChange | null = null,
): ParseResult {
  const provider = findProvider(input.kind);
  if (!provider) {
    const names = providers.map(({ kind }) => kind).join(", ");
    const message = `is no kind of provider; there are: ${names}`;
    return { kind: "invalid", issues: [{ path: ["kind"], message }] };
  }
  const issues: Issue[] = [];
  const isIdle = forwardedOperations.every((operation) => input[modelsField(operation)].length === 0);
  if (isIdle && input.models.length + input.embedding_models.length === 0)
    issues.push({ path: ["models"], message: "must name at least one" });
  if (input.embedding_models.length > 0 && !provider.embeds)
    issues.push({
      path: ["embedding_models"],
      message: `must be empty: providers of kind ${input.kind} have none`,
    });
  for (const operation of forwardedOperations)
    if (input[modelsField(operation)].length > 0 && !provider.forwards.includes(operation))
      issues.push({
        path: [modelsField(operation)],
        message: `must be empty: providers of kind ${input.kind} have none`,
      });
  const { parsed, issues: faults } = parseSettings(provider, outbound, input.settings, change);
  issues.push(...faults);
  return issues.length > 0 ? { kind: "invalid", issues } : { kind: "parsed", settings: parsed };
}

/** All issues of a member, with paths inside it. */
export function memberIssues(outbound: Outbound, input: MemberInput): Issue[] {
  const result = parseMember(outbound, input);
  return result.kind === "invalid" ? result.issues : [];
}

/** The lists of the operations that have models. */
function forwardedModels(input: MemberInput): Partial<Record<ForwardedOperation, string[]>> {
  const lists = forwardedOperations.map((operation) => [operation, input[modelsField(operation)]] as const);
  return Object.fromEntries(lists.filter(([, models]) => models.length > 0));
}

function rowOf(
  { clock, sealer }: Pick<ConfigureDeps, "clock" | "sealer">,
  poolRef: PoolRef,
  input: MemberInput,
  settings: unknown,
  identity: Pick<PoolMembersTable, "id" | "revision" | "created_at">,
): PoolMembersTable {
  const { timeouts, price } = input;
  const stored: MemberTimeouts = {
    connectMs: timeouts.connect_ms,
    headersMs: timeouts.headers_ms,
    firstTokenMs: timeouts.first_token_ms,
    idleMs: timeouts.idle_ms,
    thinkingMs: timeouts.thinking_ms,
    totalMs: timeouts.total_ms,
  };
  return {
    ...identity,
    pool_id: poolRef.poolId,
    account_id: poolRef.accountId,
    name: input.name,
    kind: input.kind,
    active: input.active ? 1 : 0,
    models: JSON.stringify(input.models),
    embedding_models: JSON.stringify(input.embedding_models),
    forwarded_models: JSON.stringify(forwardedModels(input)),
    context_tokens: input.context_tokens ?? null,
    priority: input.priority,
    weight: input.weight,
    settings: sealer.seal(JSON.stringify(settings), memberSettingsContext(identity.id)),
    timeouts: JSON.stringify(stored),
    input_price: price ? Math.round(price.input * millionths) : null,
    output_price: price ? Math.round(price.output * millionths) : null,
    updated_at: clock.now(),
  };
}

/** A stored member as the input that would create it, with its secrets in plain text. */
export function memberInputOf(sealer: Sealer, member: PoolMembersTable): MemberInput {
  const { input_price: input, output_price: output } = member;
  const timeouts = timeoutsIn(member.timeouts);
  const forwarded = JSON.parse(member.forwarded_models) as ReturnType<typeof forwardedModels>;
  return {
    name: member.name,
    kind: member.kind,
    models: JSON.parse(member.models) as string[],
    embedding_models: JSON.parse(member.embedding_models) as string[],
    image_models: forwarded.image ?? [],
    speech_models: forwarded.speech ?? [],
    transcription_models: forwarded.transcription ?? [],
    moderation_models: forwarded.moderation ?? [],
    rerank_models: forwarded.rerank ?? [],
    context_tokens: member.context_tokens,
    settings: JSON.parse(sealer.unseal(member.settings, memberSettingsContext(member.id))),
    priority: member.priority,
    weight: member.weight,
    active: member.active === 1,
    price:
      input === null || output === null ? null : { input: input / millionths, output: output / millionths },
    timeouts: {
      connect_ms: timeouts.connectMs,
      headers_ms: timeouts.headersMs,
      first_token_ms: timeouts.firstTokenMs,
      idle_ms: timeouts.idleMs,
      thinking_ms: timeouts.thinkingMs,
      total_ms: timeouts.totalMs,
    },
  };
}

const tooMany: Issue = {
  path: ["name"],
  message: `is one too many: a pool has ${maxMembers} members at most`,
};

type StoreResult = SaveMemberResult | "name_taken" | Overtaken;

/** Creates the member, or replaces `existing`. */
export async function upsertMember(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  input: MemberInput,
  existing: PoolMembersTable | null,
  change: SettingsChange | null = null,
): Promise<StoreResult> {
  const parsed = parseMember(deps.outbound, input, change);
  if (parsed.kind === "invalid") return parsed;
  const identity = existing ?? { id: deps.newId("mem"), revision: 0, created_at: deps.clock.now() };
  const { id, revision, created_at } = identity;
  const member = rowOf(deps, poolRef, input, parsed.settings, { id, revision, created_at });
  const outcome = await deps.database.run(saveMember, member);
  switch (outcome) {
    case "saved":
      deps.signals.emit("poolsChanged");
      return { kind: "saved", id };
    case "not_found":
      return { kind: "not_found" };
    case "too_many":
      return { kind: "invalid", issues: [tooMany] };
    case "name_taken":
    case "overtaken":
      return outcome;
  }
}

/** Adds a member to the account's pool. */
export async function createMember(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  input: MemberInput,
): Promise<SaveMemberResult> {
  const masks = maskIssues(input.settings);
  if (masks.length > 0) return { kind: "invalid", issues: masks };
  const result = await upsertMember(deps, poolRef, input, null);
  return typeof result === "string" ? taken("name") : result;
}

/** Changes the fields of `changes`; the others stay. */
export async function updateMember(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  id: string,
  { revision, ...changes }: MemberChanges,
): Promise<SaveMemberResult> {
  const read = async () => {
    const [pool] = await deps.database.run(readPools, { accountId: poolRef.accountId, id: poolRef.poolId });
    return pool?.members.find((member) => member.id === id) ?? null;
  };
  return await changeRow(revision, read, async (member) => {
    const result = await changeMember(deps, poolRef, member, changes);
    return result === "name_taken" ? "overtaken" : result;
  });
}

async function changeMember(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  member: PoolMembersTable,
  changes: Omit<MemberChanges, "revision">,
): Promise<StoreResult> {
  const before = memberInputOf(deps.sealer, member);
  const { settings: given = {}, timeouts = {}, ...rest } = omitUndefined(changes);
  const stored = rest.kind === undefined || rest.kind === before.kind ? before.settings : null;
  const { settings, issues } = mergeSettings(stored, given);
  if (issues.length > 0) return { kind: "invalid", issues };
  const after = {
    ...before,
    ...rest,
    settings,
    timeouts: { ...before.timeouts, ...omitUndefined(timeouts) },
  };
  const change = stored === null ? null : { owner: "member", stored, changes: given };
  return await upsertMember(deps, poolRef, after, member, change);
}

/** Removes a member. False: the pool has no such member. */
export async function deleteMember(deps: ConfigureDeps, poolRef: PoolRef, id: string): Promise<boolean> {
  const removed = await deps.database.run(removeMember, { ...poolRef, id, at: deps.clock.now() });
  if (removed) deps.signals.emit("poolsChanged");
  return removed;
}
