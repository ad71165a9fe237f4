// The link between a gateway and a device: its state, and what a person requests of it. The process that owns the gateway's lane carries
// out requests; every process can report the state.

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

/** The state of the gateway's link, without expired codes. */
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

/** Kinds that a person links a device to, except phones that poll by themselves. */
const linkedKinds = () =>
  adapters.filter(({ connection }) => connection === "linked").map(({ kind }) => kind);

/**
 * Requests an action from the owner of the gateway's lane. `linked`: a device is linked and must not be replaced. `account_full` and
 * `all_full`: the maximum number of devices of the account, or in total, is reached.
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
