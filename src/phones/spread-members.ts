// What the schema cannot say of a spread: its members are gateways of phones of the same account, and a gateway stays one while a spread
// names it.

import type { Issue } from "#contract/issue.ts";
import type { GatewayFields } from "#contract/manage/gateways.ts";
import type { Core } from "#core/core.ts";
import { android } from "#gateways/sms/android/android.ts";
import { spread, spreadSettings } from "#gateways/sms/android/spread.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { openSettings } from "#store/gateways/gateways.ts";
import { readPulledGateways } from "#store/phones/phones.ts";

type Known = Pick<GatewayFields, "identifier" | "channel" | "kind">;
type SpreadDeps = Pick<Core, "database" | "sealer">;

/** Whose gateway it is, and which others of a provisioning file are made before it. */
export interface GatewayOwner {
  /** Null: the account does not exist yet. */
  accountId: string | null;
  coming?: readonly Known[] | undefined;
}

/**
 * The issues of a spread's members, or of another kind for a gateway that a spread names. `before`: the stored fields; null: it is
 * new. One wording for gateways of other accounts and for names without a gateway, so that it does not tell which names others use.
 */
export async function spreadIssues(
  fields: GatewayFields,
  deps: SpreadDeps,
  { accountId, coming = [] }: GatewayOwner,
  before: GatewayFields | null,
): Promise<Issue[]> {
  if (fields.kind !== spread.kind) {
    if (before?.kind !== android.kind || fields.kind === android.kind || accountId === null) return [];
    const holder = await findSpreadWith(deps, accountId, fields.identifier);
    return holder === null
      ? []
      : [{ path: ["kind"], message: `cannot change: spread ${holder} has it as a member` }];
  }
  const settings = spreadSettings.safeParse(fields.settings);
  if (!settings.success) return [];
  const account = accountId === null ? null : await deps.database.run(findAccount, accountId);
  const known = new Map<string, Known>();
  for (const gateway of [...(account?.gateways ?? []), ...coming]) known.set(gateway.identifier, gateway);
  return settings.data.members.flatMap((identifier, index) => {
    const message = refusal(fields, identifier, known.get(identifier));
    return message === null ? [] : [{ path: ["settings", "members", index], message }];
  });
}

function refusal(of: Known, identifier: string, member: Known | undefined): string | null {
  if (identifier === of.identifier || member?.kind === spread.kind)
    return "is a spread: its members are gateways of phones";
  if (member === undefined) return "is no gateway of this account";
  if (member.channel !== of.channel) return `sends ${member.channel}, and a spread sends ${of.channel}`;
  return member.kind === android.kind
    ? null
    : `is of kind ${member.kind}: members are of kind ${android.kind}`;
}

/** The spread of the account that has the gateway as a member; null: none has. One whose settings cannot be read has none. */
export async function findSpreadWith(
  { database, sealer }: SpreadDeps,
  accountId: string,
  identifier: string,
): Promise<string | null> {
  for (const gateway of await database.run(readPulledGateways, { accountId, kind: spread.kind })) {
    try {
      const { members } = spreadSettings.parse(openSettings(sealer, gateway));
      if (members.includes(identifier)) return gateway.identifier;
    } catch {}
  }
  return null;
}
