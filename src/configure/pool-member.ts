// The members of a pool. Their settings are checked by the schema of their provider and sealed as a whole; they can be
// changed in part, and their secrets are never returned.

import { forwardedOperations, modelsField } from "#contract/ai/operations.ts";
import type { Issue } from "#contract/issue.ts";
import { maxMembers } from "#contract/limits.ts";
import { type MemberFields, memberFields, memberRules } from "#contract/manage/pools/members.ts";
import { findProvider, providers } from "#providers/registry.ts";
import type { Database } from "#store/database.ts";
import { memberSettingsContext, readPools, removeMember, saveMember } from "#store/pools/pools.ts";
import type { PoolMembersTable } from "#store/schema/pools.ts";
import { type ConfigureDeps, defineResource } from "./resource.ts";

/** A pool of an account. */
export interface PoolRef {
  accountId: string;
  poolId: string;
}

function check(fields: MemberFields): Issue[] {
  const provider = findProvider(fields.kind);
  if (!provider) return [];
  const issues: Issue[] = [];
  const refuse = (field: keyof MemberFields) =>
    issues.push({ path: [field], message: `must be empty: providers of kind ${fields.kind} have none` });
  const forwarded = forwardedOperations.filter((operation) => fields[modelsField(operation)].length > 0);
  if (fields.models.length + fields.embedding_models.length + forwarded.length === 0)
    issues.push({ path: ["models"], message: "must name at least one" });
  const models = new Set(
    [
      fields.models,
      fields.embedding_models,
      ...forwardedOperations.map((operation) => fields[modelsField(operation)]),
    ].flat(),
  );
  for (const [alias, model] of Object.entries(fields.aliases)) {
    const path = ["aliases", alias];
    if (models.has(alias)) issues.push({ path, message: "is one of the member's models" });
    if (!models.has(model)) issues.push({ path, message: `stands for ${model}, no model of the member` });
  }
  if (fields.embedding_models.length > 0 && !provider.embeds) refuse("embedding_models");
  for (const operation of forwarded)
    if (!provider.forwards.includes(operation)) refuse(modelsField(operation));
  return issues;
}

async function find(database: Database, { accountId, poolId }: PoolRef, id: string) {
  const [pool] = await database.run(readPools, { accountId, id: poolId });
  return pool?.members.find((member) => member.id === id) ?? null;
}

export const members = defineResource({
  noun: "member",
  idPrefix: "mem",
  fields: memberFields,
  rules: memberRules,
  kinds: {
    find: ({ kind }) => findProvider(kind) ?? null,
    unknown: () => {
      const names = providers.map(({ kind }) => kind).join(", ");
      return { path: ["kind"], message: `is no kind of provider; there are: ${names}` };
    },
    context: memberSettingsContext,
  },
  check,
  columns: ({ name, kind }, { accountId, poolId }: PoolRef, _: PoolMembersTable | null) => ({
    account_id: accountId,
    pool_id: poolId,
    name,
    kind,
  }),
  fieldsOf: ({ name, kind }) => ({ name, kind }),
  find,
  save: saveMember,
  taken: ["name_taken", { path: ["name"], message: "is taken" }],
  issues: {
    too_many: {
      path: ["name"],
      message: `is one too many: a pool has ${maxMembers} members at most`,
    },
  },
});

/** Removes a member. False if the pool has no such member. */
export async function deleteMember(deps: ConfigureDeps, poolRef: PoolRef, id: string): Promise<boolean> {
  return await deps.database.run(removeMember, { ...poolRef, id, at: deps.clock.now() });
}
