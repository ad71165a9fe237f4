// Checks of `android` and `spread` gateways that their schemas cannot express, because they depend on the account's other gateways: which
// phone a gateway names, which members a spread has, and that both are kept while they are named.

import type { Issue } from "#contract/issue.ts";
import type { GatewayFields } from "#contract/manage/gateways.ts";
import type { Core } from "#core/core.ts";
import { android, androidSettings, findPhoneOwner } from "#gateways/sms/android/android.ts";
import { spread, spreadSettings } from "#gateways/sms/android/spread.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { gatewaysOf } from "./lines.ts";

type ConfigurationDeps = Pick<Core, "database" | "sealer">;
type Known = Pick<GatewayFields, "identifier" | "channel" | "kind">;
type Coming = Known & Pick<GatewayFields, "settings">;

/** The gateway's account, and which other gateways of a provisioning file are created before it. */
export interface GatewayOwner {
  /** Null: the account does not exist yet. */
  accountId: string | null;
  coming?: readonly Coming[] | undefined;
}

/**
 * The issues of a gateway of a phone, of a spread, or of another kind for a gateway that a spread names. `before` has the stored fields;
 * it is null for a new gateway. Gateways of other accounts have the issues of gateways that do not exist.
 */
export async function phoneIssues(
  fields: GatewayFields,
  deps: ConfigurationDeps,
  owner: GatewayOwner,
  before: GatewayFields | null,
): Promise<Issue[]> {
  if (fields.kind === android.kind) return await namedPhoneIssues(fields, deps, owner, before);
  if (fields.kind === spread.kind) return await memberIssues(fields, deps, owner);
  if (before?.kind !== android.kind || owner.accountId === null) return [];
  const holder = await findSpreadWith(deps, owner.accountId, fields.identifier);
  if (holder === null) return [];
  return [{ path: ["kind"], message: `cannot change: spread ${holder} has it as a member` }];
}

/** A phone that the account does not have would never fetch the gateway's messages. */
async function namedPhoneIssues(
  { identifier, kind, settings: { phone } }: GatewayFields,
  deps: ConfigurationDeps,
  { accountId, coming = [] }: GatewayOwner,
  before: GatewayFields | null,
): Promise<Issue[]> {
  // A phone that was named before may no longer exist, which is not an error of this change.
  if (phone === undefined || phone === before?.settings.phone) return [];
  const refused = (message: string) => [{ path: ["settings", "phone"], message }];
  if (phone === identifier) return refused("names the gateway itself: leave it out");
  const fresh = coming.find((one) => one.identifier === phone);
  const own = accountId === null ? [] : await gatewaysOf(deps, { accountId, kind }, androidSettings);
  const stored = findPhoneOwner(
    own.map(({ gateway, settings }) => ({ id: gateway.id, identifier: gateway.identifier, settings })),
    phone as string,
  );
  // What the file says of a gateway is what it will be.
  const owner = fresh ?? (stored && { kind, settings: stored.settings });
  if (owner?.kind !== kind)
    return refused(
      "is no phone of this account: it is the identifier of the gateway to which the phone is linked",
    );
  if (owner.settings.phone === undefined) return [];
  return refused("names another phone itself: the gateway to which the phone is linked is meant");
}

async function memberIssues(
  fields: GatewayFields,
  { database }: ConfigurationDeps,
  { accountId, coming = [] }: GatewayOwner,
): Promise<Issue[]> {
  const settings = spreadSettings.safeParse(fields.settings);
  if (!settings.success) return [];
  const account = accountId === null ? null : await database.run(findAccount, accountId);
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

/** The spread of the account that has the gateway as a member, or null. */
async function findSpreadWith(
  deps: ConfigurationDeps,
  accountId: string,
  identifier: string,
): Promise<string | null> {
  const spreads = await gatewaysOf(deps, { accountId, kind: spread.kind }, spreadSettings);
  return spreads.find(({ settings }) => settings.members.includes(identifier))?.gateway.identifier ?? null;
}

/** What depends on a gateway: the spread that has it as a member, or the gateway of another SIM of the phone that is linked to it. */
export type InUse = { kind: "member" | "phone"; of: string };

/** What depends on a gateway of an account, so that it cannot be deleted, or null. */
export async function findUse(
  deps: ConfigurationDeps,
  accountId: string,
  identifier: string,
): Promise<InUse | null> {
  const holder = await findSpreadWith(deps, accountId, identifier);
  if (holder !== null) return { kind: "member", of: holder };
  const own = await gatewaysOf(deps, { accountId, kind: android.kind }, androidSettings);
  const owner = own.find(({ gateway }) => gateway.identifier === identifier);
  const names = owner && [owner.gateway.id, owner.gateway.identifier];
  const other = own.find(({ settings }) => settings.phone !== undefined && names?.includes(settings.phone));
  return other === undefined ? null : { kind: "phone", of: other.gateway.identifier };
}
