// Lists the models of a pool for `GET /models`, without requests to its members.

import type { Clock } from "#runtime/runtime.ts";
import type { Pool } from "./member.ts";
import { allModels } from "./operation-models.ts";
import { aliasesOf } from "./pool.ts";
import type { PoolKey } from "./pool-key.ts";

/** OpenAI's model object. */
export interface ModelEntry {
  id: string;
  object: "model";
  /** Epoch seconds. */
  created: number;
  owned_by: string;
}

/** The pool's own name, then each model of the members that are not down, and its aliases, as far as the key may use them. */
export function listModels(pool: Pool, key: PoolKey, clock: Clock): ModelEntry[] {
  const now = clock.monotonic();
  const created = Math.floor(pool.createdAt / 1000);
  const names = new Map<string, string>([[pool.name, "trunkline"]]);
  for (const member of pool.members) {
    const { active, health, name } = member;
    if (!active || health.availability(now).kind === "down") continue;
    for (const model of allModels(member)) {
      if (health.isModelMissing(model, now) || health.availability(now, model).kind === "down") continue;
      const known = [model, ...aliasesOf(member, model)];
      const isUsable = key.models === null || known.some((one) => key.models?.includes(one));
      if (isUsable) for (const one of known) if (!names.has(one)) names.set(one, name);
    }
  }
  return [...names].map(([id, owned_by]) => ({ id, object: "model", created, owned_by }));
}
