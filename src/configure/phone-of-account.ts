// A gateway of an Android phone's other SIM names the phone. A phone that the account does not have would never fetch its messages.

import type { Issue } from "#contract/issue.ts";
import { android } from "#gateways/sms/android/android.ts";
import { readPulledGateways } from "#store/phones/phones.ts";
import type { GatewayInput } from "./gateway.ts";
import type { ConfigureDeps } from "./resource.ts";

/** One wording for phones of other accounts and for ids without a phone, so that it does not tell which ids other accounts use. */
const notOfAccount: Issue = {
  path: ["settings", "phone"],
  message: "is no phone of this account: it is the `device.id` of the link of one of its gateways",
};

/** The issue of a gateway that names a phone which the account does not have. */
export async function phoneIssues(
  { database }: Pick<ConfigureDeps, "database">,
  accountId: string,
  { kind, settings }: Pick<GatewayInput, "kind" | "settings">,
): Promise<Issue[]> {
  if (kind !== android.kind || settings.phone === undefined) return [];
  const own = await database.run(readPulledGateways, { accountId, kind });
  return own.some(({ id }) => id === settings.phone) ? [] : [notOfAccount];
}
