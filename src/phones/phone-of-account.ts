// A gateway of an Android phone's other SIM names the phone. A phone that the account does not have would never fetch its messages.

import type { Issue } from "#contract/issue.ts";
import type { GatewayFields } from "#contract/manage/gateways.ts";
import type { Core } from "#core/core.ts";
import { android, androidSettings } from "#gateways/sms/android/android.ts";
import { openSettings } from "#store/gateways/gateways.ts";
import { readPulledGateways } from "#store/phones/phones.ts";

/** One wording for phones of other accounts and for ids without a phone, so that it does not tell which ids other accounts use. */
const notOfAccount: Issue = {
  path: ["settings", "phone"],
  message: "is no phone of this account: it is the `device.id` of the link of one of its gateways",
};

/** The issue of a gateway that names a phone which the account does not have. `before`: its stored fields; null: it is new. */
export async function phoneIssues(
  { kind, settings: { phone } }: GatewayFields,
  { database }: Pick<Core, "database">,
  { accountId }: { accountId: string | null },
  before: GatewayFields | null,
): Promise<Issue[]> {
  // A phone that was named before may be gone by now, which is no fault of this change.
  if (kind !== android.kind || phone === undefined || phone === before?.settings.phone) return [];
  const own = accountId === null ? [] : await database.run(readPulledGateways, { accountId, kind });
  return own.some(({ id }) => id === phone) ? [] : [notOfAccount];
}

/** The gateway of another SIM that sends through the phone that is linked to this one; null: no gateway does. */
export async function findOtherSim(
  { database, sealer }: Pick<Core, "database" | "sealer">,
  accountId: string,
  identifier: string,
): Promise<string | null> {
  const own = await database.run(readPulledGateways, { accountId, kind: android.kind });
  const owner = own.find((gateway) => gateway.identifier === identifier);
  if (owner === undefined) return null;
  for (const gateway of own) {
    try {
      const { phone } = androidSettings.parse(openSettings(sealer, gateway));
      if (phone === owner.id) return gateway.identifier;
    } catch {}
  }
  return null;
}
