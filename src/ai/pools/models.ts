// Lists the models of a pool without requests to its members.

import type { Clock } from "#runtime/runtime.ts";
import type { Pool } from "./member.ts";
import { allModels, modelsFor } from "./operation-models.ts";
import { aliasesOf } from "./pool.ts";
import type { PoolKey } from "./pool-key.ts";

export interface ListedModel {
  id: string;
  /** Epoch seconds. */
  created: number;
  /** The first member that has it; "trunkline" for the pool's own name. */
  owner: string;
  /** A member answers completions with it. */
  completes: boolean;
  /** A member makes embeddings with it. */
  embeds: boolean;
}

/**
 * The pool's own name, then each model of the members that are not down, and its aliases, as far as the key may use them. `mayAsk`: an
 * additional condition.
 */
export function listModels(
  pool: Pool,
  key: PoolKey,
  clock: Clock,
  mayAsk: (member: Pool["members"][number], model: string) => boolean = () => true,
): ListedModel[] {
  const now = clock.monotonic();
  const created = Math.floor(pool.createdAt / 1000);
  const own = { id: pool.name, created, owner: "trunkline", completes: false, embeds: false };
  const listed = new Map<string, ListedModel>([[own.id, own]]);
  for (const member of pool.members) {
    const { active, health, name: owner } = member;
    if (!active || health.availability(now).kind === "down") continue;
    const completing = modelsFor("chat")(member);
    const embedding = modelsFor("embeddings")(member);
    for (const model of allModels(member)) {
      if (health.isModelMissing(model, now) || health.availability(now, model).kind === "down") continue;
      if (!mayAsk(member, model)) continue;
      const known = [model, ...aliasesOf(member, model)];
      if (key.models !== null && !known.some((one) => key.models?.includes(one))) continue;
      for (const id of known)
        if (!listed.has(id)) listed.set(id, { id, created, owner, completes: false, embeds: false });
      for (const entry of [own, ...known.map((id) => listed.get(id)!)]) {
        entry.completes ||= completing.includes(model);
        entry.embeds ||= embedding.includes(model);
      }
    }
  }
  return [...listed.values()];
}
