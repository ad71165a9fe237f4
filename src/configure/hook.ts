// Hooks of an account. The SHA-256 of a hook's key is stored; the text of a generated key is shown once.

import { type HookFields, hookAttention, hookFields, hookRules } from "#contract/hooks/hooks.ts";
import type { Issue } from "#contract/issue.ts";
import { maxHooks } from "#contract/limits.ts";
import type { Core } from "#core/core.ts";
import { hashSecret, newSecret } from "#runtime/secret.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import {
  findHookByName,
  findHookHolder,
  type HookRow,
  readHooks,
  rotateHookKey,
  saveHook,
} from "#store/hooks/hooks.ts";
import { retryOvertaken } from "#store/revision.ts";
import { changedElsewhere, type Refusal } from "./changes.ts";
import { maskedKey } from "./pool-key.ts";
import { type ConfigureDeps, defineResource } from "./resource.ts";

type HookDeps = ConfigureDeps & Pick<Core, "random">;

interface Of {
  accountId: string;
  /** In the provisioning file: the gateways that the file names for the account. */
  coming?: readonly { identifier: string; channel: string }[];
}

/** A mail has a subject, and every message a text: of the hook itself or of its preset. */
function templateIssues({ preset, channel, subject, message }: HookFields): Issue[] {
  if (preset !== null) return [];
  const issues: Issue[] = [];
  if (message === null) issues.push({ path: ["message"], message: "is required without a preset" });
  if (channel === "email" && subject === null)
    issues.push({ path: ["subject"], message: "is required for email without a preset" });
  return issues;
}

/** The same message for gateways of other accounts and for names without a gateway, so that it does not reveal which names others use. */
async function gatewayIssues(
  { gateway_identifier, channel }: HookFields,
  { database }: Pick<ConfigureDeps, "database">,
  { accountId, coming = [] }: Of,
  before: HookFields | null,
): Promise<Issue[]> {
  if (gateway_identifier === null) return [];
  // A gateway that was deleted since may stay.
  if (before?.gateway_identifier === gateway_identifier && before.channel === channel) return [];
  const account = await database.run(findAccount, accountId);
  const known = [...coming, ...(account?.gateways ?? [])];
  return known.some((gateway) => gateway.identifier === gateway_identifier && gateway.channel === channel)
    ? []
    : [{ path: ["gateway_identifier"], message: `is no ${channel} gateway of the account` }];
}

const keyTaken: Issue = { path: ["key"], message: "is used by another hook" };

export const hooks = defineResource({
  noun: "hook",
  idPrefix: "hook",
  fields: hookFields,
  rules: hookRules,
  columns: ({ name, key, active, attention }, { accountId }: Of, existing: HookRow | null) => ({
    account_id: accountId,
    name,
    alerts: active && attention !== null ? (1 as const) : (0 as const),
    last_received_at: existing?.last_received_at ?? null,
    last_outcome: existing?.last_outcome ?? null,
    ...keyColumns(key, existing),
  }),
  fieldsOf: ({ name }) => ({ name }),
  // The preset alone switches it on.
  settled: (fields) =>
    fields.preset === "attention" && fields.attention === null
      ? { ...fields, attention: hookAttention.parse({}) }
      : fields,
  check: async (fields, deps, of, before) => [
    ...templateIssues(fields),
    ...(await gatewayIssues(fields, deps, of, before)),
  ],
  find: async (database, { accountId }, id) => (await database.run(readHooks, { accountId, id }))[0] ?? null,
  save: saveHook,
  taken: ["name_taken", { path: ["name"], message: "is taken" }],
  issues: {
    key_taken: keyTaken,
    too_many: {
      path: ["name"],
      message: `is one too many: an account has ${maxHooks} hooks at most`,
    },
  },
});

function keyColumns(text: string | undefined, existing: HookRow | null): Pick<HookRow, "hash" | "hint"> {
  if (text !== undefined) return { hash: hashSecret(text), hint: maskedKey(text) };
  if (existing === null) throw new Error("A new hook has a key.");
  return { hash: existing.hash, hint: existing.hint };
}

const newKey = ({ random }: Pick<HookDeps, "random">) => `tlh_${newSecret(random)}`;

/** The secret with which senders sign what they post to a hook. It is made of its key's hash and the master key, so nothing is stored. */
export const hookSecret = (sealer: Core["sealer"], { hash }: Pick<HookRow, "hash">): string =>
  sealer.mac("hook signature", hash).toString("base64url");

/** `key`: the generated one; null if the request contained the key. `secret`: null if the hook existed. */
type SaveHookResult = { kind: "saved"; id: string; key: string | null; secret: string | null } | Refusal;

export async function createHook(
  deps: HookDeps,
  accountId: string,
  fields: HookFields,
): Promise<SaveHookResult> {
  const key = fields.key === undefined ? newKey(deps) : null;
  const text = fields.key ?? key!;
  const saved = await hooks.create(deps, { accountId }, { ...fields, key: text });
  if (saved.kind !== "saved") return saved;
  return { ...saved, key, secret: hookSecret(deps.sealer, { hash: hashSecret(text) }) };
}

/** Gives a hook another key, which is returned with its secret; the previous ones stop working at once. Null if the account has no such hook. */
export async function rotateHook(
  deps: HookDeps,
  accountId: string,
  id: string,
): Promise<{ key: string; secret: string } | null> {
  const key = newKey(deps);
  const text = { hash: hashSecret(key), hint: maskedKey(key) };
  const rotated = await deps.database.run(rotateHookKey, { accountId, id, at: deps.clock.now(), ...text });
  return rotated ? { key, secret: hookSecret(deps.sealer, text) } : null;
}

/** All issues of a hook of the provisioning file. `accountId` null: the account does not exist yet. */
export async function hookIssues(
  { database }: Pick<HookDeps, "database">,
  accountId: string | null,
  input: HookFields,
  coming: NonNullable<Of["coming"]>,
): Promise<Issue[]> {
  const issues = [
    ...templateIssues(input),
    ...(await gatewayIssues(input, { database }, { accountId: accountId ?? "", coming }, null)),
  ];
  if (input.key === undefined) return issues;
  const holder = await database.run(findHookHolder, hashSecret(input.key));
  const isOwn = holder?.account_id === accountId && holder?.name === input.name;
  return holder === null || isOwn ? issues : [...issues, keyTaken];
}

/** Creates the account's hook of this name, or changes it to match the provisioning file. */
export async function upsertHook(
  deps: HookDeps,
  accountId: string,
  input: HookFields,
): Promise<Extract<SaveHookResult, { kind: "saved" | "invalid" }>> {
  const result = await retryOvertaken(async () => {
    const existing = await deps.database.run(findHookByName, { accountId, name: input.name });
    const key = existing === null && input.key === undefined ? newKey(deps) : null;
    const fields = key === null ? input : { ...input, key };
    const stored = await hooks.put(deps, { accountId }, fields, existing);
    if (stored.kind === "saved") {
      const text = existing === null ? (fields.key ?? null) : null;
      const secret = text === null ? null : hookSecret(deps.sealer, { hash: hashSecret(text) });
      return { ...stored, key, secret };
    }
    return stored.kind === "invalid" ? stored : "overtaken";
  });
  return result.kind === "overtaken" ? changedElsewhere("name") : result;
}
