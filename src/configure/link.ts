// The link between a gateway and a device: how it is, and what a person asks of it. The process that owns the gateway's lane
// takes what was asked; every process answers how it is.

import type { LinkState } from "#contract/manage/link-state.ts";
import type { Core } from "#core/core.ts";
import { adapters } from "#gateways/registry.ts";
import type { LinkDetails, LinkRequest, Pairing } from "#gateways/session.ts";
import { type LinkLimits, pairingContext, readSession, requestLink } from "#store/gateways/sessions.ts";

export interface Link extends Omit<LinkDetails, "word"> {
  reason: string | null;
  linkedAt: number | null;
  /** When the session last changed its status, epoch ms. */
  changedAt: number | null;
  pairing: Pairing | null;
}

const unlinked: Link = {
  state: "unlinked",
  method: null,
  requestedBy: null,
  device: null,
  limitedUntil: null,
  library: null,
  warnings: [],
  reason: null,
  linkedAt: null,
  changedAt: null,
  pairing: null,
};

/** How the gateway's link is. A code that expired is not among it. */
export async function readLink(
  { clock, database, sealer }: Pick<Core, "clock" | "database" | "sealer">,
  gatewayId: string,
): Promise<Link> {
  const row = await database.run(readSession, gatewayId);
  if (row === null) return unlinked;
  const { reason, linked_at: linkedAt, changed_at: changedAt, details, pairing } = row;
  const asked = row.request === null ? {} : { state: "connecting" as const };
  const base: LinkDetails = details === null ? unlinked : JSON.parse(details);
  const code: Pairing | null =
    pairing === null ? null : JSON.parse(sealer.unseal(pairing, pairingContext(gatewayId)));
  const shown = code !== null && code.expiresAt > clock.now() && row.request === null ? code : null;
  return { ...base, reason, linkedAt, changedAt, ...asked, pairing: shown };
}

/** States in which a device is linked. */
const linkedStates: ReadonlySet<LinkState> = new Set([
  "open",
  "reconnecting",
  "limited",
  "outdated",
  "replaced",
]);

type LinkChange = "asked" | "switched_off" | "linked" | "not_linked" | "account_full" | "all_full";

/** Kinds that a person links a device to, other than phones that ask by themselves. */
const linkedKinds = () =>
  adapters.filter(({ connection }) => connection === "linked").map(({ kind }) => kind);

/**
 * Asks the owner of the gateway's lane for something. `linked`: a device is, and is not to be replaced. `account_full` and
 * `all_full`: there are as many devices of the account, or in all, as there may be.
 */
export async function askForLink(
  core: Pick<Core, "clock" | "database" | "sealer">,
  gateway: { id: string; accountId: string; identifier: string },
  request: LinkRequest,
  maxDevices: Omit<LinkLimits, "kinds">,
): Promise<LinkChange> {
  const { state, device } = await readLink(core, gateway.id);
  const isLinked = linkedStates.has(state) && device !== null;
  if (request.action === "link" && isLinked && !request.replace) return "linked";
  if (request.action === "resume" && device === null) return "not_linked";
  const { accountId, identifier } = gateway;
  return await core.database.run(requestLink, {
    accountId,
    identifier,
    at: core.clock.now(),
    request: JSON.stringify(request),
    limits: request.action === "link" ? { kinds: linkedKinds(), ...maxDevices } : null,
  });
}
