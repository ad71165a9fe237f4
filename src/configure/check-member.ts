// The provider and the settings with which a member is checked: stored ones, stored ones with changes, or those of a member that
// is not stored yet. Nothing is stored.

import type { Issue } from "#contract/issue.ts";
import type { CheckMemberInput } from "#contract/manage/pools/check.ts";
import type { Provider } from "#providers/provider.ts";
import { redactSecrets } from "#providers/redact.ts";
import { findProvider } from "#providers/registry.ts";
import { secretsIn } from "#settings/secrets.ts";
import { readPools } from "#store/pools/pools.ts";
import { members, type PoolRef } from "./pool-member.ts";
import type { ConfigureDeps } from "./resource.ts";
import { mergeSettings, parseSettings } from "./settings-change.ts";

type Checkable = Pick<ConfigureDeps, "database" | "outbound" | "sealer">;

/** `provider` masks the secrets of the settings in its failures. Null if the account has no such pool, or the pool no such member. */
export async function memberToCheck(
  { database, outbound, sealer }: Checkable,
  { accountId, poolId }: PoolRef,
  { member: id, kind: kindName, settings: changes }: CheckMemberInput,
): Promise<
  { kind: "ready"; provider: Provider; settings: unknown } | { kind: "invalid"; issues: Issue[] } | null
> {
  const [pool] = await database.run(readPools, { accountId, id: poolId });
  const row = id === null ? null : pool?.members.find((member) => member.id === id);
  if (pool === undefined || row === undefined) return null;
  const before = row && members.fieldsOf(sealer, row);
  const name = kindName ?? before?.kind ?? null;
  if (name === null)
    return { kind: "invalid", issues: [{ path: ["kind"], message: "is required without a member" }] };
  const kind = findProvider(name);
  if (kind === null)
    return { kind: "invalid", issues: [{ path: ["kind"], message: "is no kind of provider" }] };
  const stored = before !== null && before.kind === name ? before.settings : null;
  const merged = mergeSettings(stored, changes);
  if (merged.issues.length > 0) return { kind: "invalid", issues: merged.issues };
  const change = stored === null ? null : { owner: "member", stored, changes };
  const { parsed, issues } = parseSettings(kind, outbound, merged.settings, change);
  if (issues.length > 0) return { kind: "invalid", issues };
  const provider = redactSecrets(kind, secretsIn(kind.settings, parsed));
  return { kind: "ready", provider, settings: parsed };
}
