// The members of a pool. Their settings are checked by the schema of their provider and sealed as a whole; they can be
// changed in part, and their secrets are never returned.

import type { Issue } from "#contract/issue.ts";
import { findProvider, providers } from "#providers/registry.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { maxMembers, memberSettingsContext, removeMember, saveMember } from "#store/pools/pools.ts";
import type { MemberTimeouts, PoolMembersTable } from "#store/schema/pools.ts";
import type { Sealer } from "#store/seal.ts";
import { omitUndefined } from "./changes.ts";
import type { ConfigureDeps } from "./gateway.ts";
import type { MemberChanges, MemberInput } from "./pool-input.ts";
import { maskIssues, mergeSettings } from "./settings-change.ts";

/** Prices and costs are stored in millionths. */
export const millionths = 1_000_000;

export type SaveMemberResult =
  | { kind: "saved"; id: string }
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "not_found" };

/** A pool of an account. */
export interface PoolRef {
  accountId: string;
  poolId: string;
}

/** All issues of a member, with paths inside it. */
export function memberIssues(outbound: Outbound, input: MemberInput): Issue[] {
  const provider = findProvider(input.kind);
  if (!provider) {
    const names = providers.map(({ kind }) => kind).join(", ");
    return [{ path: ["kind"], message: `is no kind of provider; there are: ${names}` }];
  }
  const issues: Issue[] = [];
  if (input.models.length + input.embedding_models.length === 0)
    issues.push({ path: ["models"], message: "must name at least one" });
  if (input.embedding_models.length > 0 && !provider.embeds)
    issues.push({
      path: ["embedding_models"],
      message: `must be empty: providers of kind ${input.kind} have none`,
    });
  const parsed = provider.settings.safeParse(input.settings);
  if (!parsed.success) {
    const settingsIssues = parsed.error.issues.flatMap((issue): Issue[] => {
      const path = [
        "settings",
        ...issue.path.map((part) => (typeof part === "number" ? part : String(part))),
      ];
      if (issue.code === "unrecognized_keys")
        return issue.keys.map((key) => ({ path: [...path, key], message: "is not a field" }));
      return [{ path, message: issue.message }];
    });
    return [...issues, ...settingsIssues];
  }
  const refused = provider.urls(parsed.data).flatMap((url) => outbound.rejectReason(url) ?? []);
  return [...issues, ...refused.map((message) => ({ path: ["settings", "base_url"], message }))];
}

function rowOf(
  { clock, sealer }: Pick<ConfigureDeps, "clock" | "sealer">,
  poolRef: PoolRef,
  input: MemberInput,
  identity: Pick<PoolMembersTable, "id" | "created_at">,
): PoolMembersTable {
  const provider = findProvider(input.kind);
  if (!provider) throw new Error(`No provider is of kind ${input.kind}.`);
  const { timeouts, price } = input;
  const stored: MemberTimeouts = {
    connectMs: timeouts.connect_ms,
    headersMs: timeouts.headers_ms,
    firstTokenMs: timeouts.first_token_ms,
    idleMs: timeouts.idle_ms,
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
    context_tokens: input.context_tokens ?? null,
    priority: input.priority,
    weight: input.weight,
    settings: sealer.seal(
      JSON.stringify(provider.settings.parse(input.settings)),
      memberSettingsContext(identity.id),
    ),
    timeouts: JSON.stringify(stored),
    input_price: price ? Math.round(price.input * millionths) : null,
    output_price: price ? Math.round(price.output * millionths) : null,
    updated_at: clock.now(),
  };
}

/** A stored member as the input that would create it, with its secrets in plain text. */
export function memberInputOf(sealer: Sealer, member: PoolMembersTable): MemberInput {
  const { input_price: input, output_price: output } = member;
  const timeouts = JSON.parse(member.timeouts) as MemberTimeouts;
  return {
    name: member.name,
    kind: member.kind,
    models: JSON.parse(member.models) as string[],
    embedding_models: JSON.parse(member.embedding_models) as string[],
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
      total_ms: timeouts.totalMs,
    },
  };
}

const taken: Issue = { path: ["name"], message: "is taken" };
const tooMany: Issue = {
  path: ["name"],
  message: `is one too many: a pool has ${maxMembers} members at most`,
};

/** Creates the member, or replaces `existing`. */
export async function upsertMember(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  input: MemberInput,
  existing: PoolMembersTable | null,
): Promise<SaveMemberResult> {
  const issues = memberIssues(deps.outbound, input);
  if (issues.length > 0) return { kind: "invalid", issues };
  const id = existing?.id ?? deps.newId("mem");
  const member = rowOf(deps, poolRef, input, { id, created_at: existing?.created_at ?? deps.clock.now() });
  const outcome = await deps.database.run(saveMember, { member, isNew: existing === null });
  if (outcome === "not_found") return { kind: "not_found" };
  if (outcome !== "saved") return { kind: "invalid", issues: [outcome === "name_taken" ? taken : tooMany] };
  deps.signals.emit("poolsChanged");
  return { kind: "saved", id };
}

/** Adds a member to the account's pool. */
export async function createMember(
  deps: ConfigureDeps,
  poolRef: PoolRef,
  input: MemberInput,
): Promise<SaveMemberResult> {
  const masks = maskIssues(input.settings);
  if (masks.length > 0) return { kind: "invalid", issues: masks };
  return await upsertMember(deps, poolRef, input, null);
}

/** Changes the fields of `changes`; the others stay. */
export async function updateMember(
  deps: ConfigureDeps,
  member: PoolMembersTable,
  changes: MemberChanges,
): Promise<SaveMemberResult> {
  const before = memberInputOf(deps.sealer, member);
  const { settings: settingsChanges = {}, timeouts = {}, ...rest } = omitUndefined(changes);
  const kind = rest.kind ?? before.kind;
  const stored = kind === before.kind ? before.settings : null;
  const { settings, issues } = mergeSettings(findProvider(kind), "member", stored, settingsChanges);
  if (issues.length > 0) return { kind: "invalid", issues };
  const after = {
    ...before,
    ...rest,
    settings,
    timeouts: { ...before.timeouts, ...omitUndefined(timeouts) },
  };
  const poolRef = { accountId: member.account_id, poolId: member.pool_id };
  return await upsertMember(deps, poolRef, after, member);
}

/** Removes a member. False: the pool has no such member. */
export async function deleteMember(deps: ConfigureDeps, poolRef: PoolRef, id: string): Promise<boolean> {
  const removed = await deps.database.run(removeMember, { ...poolRef, id, at: deps.clock.now() });
  if (removed) deps.signals.emit("poolsChanged");
  return removed;
}
