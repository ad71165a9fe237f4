// What operators do to gateways beside changing them: delete, pause and resume.

import {
  type DeleteGatewayResult,
  deleteGateway as deleteRow,
  pauseByOperator,
  resumeByOperator,
} from "#store/gateways/actions.ts";
import { signalGatewayChange } from "./gateway.ts";
import type { ConfigureDeps } from "./resource.ts";

/** A send that was accepted while the gateway was switched off is stored by then. */
const quietMs = 60_000;

/** Deletes a gateway that was never used and is switched off for a minute. */
export async function deleteGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<DeleteGatewayResult> {
  const quietSince = deps.clock.now() - quietMs;
  const outcome = await deps.database.run(deleteRow, { accountId, identifier, quietSince });
  if (outcome === "deleted") signalGatewayChange(deps.signals);
  return outcome;
}

/** The reason of a pause by an operator. */
export const pausedByHand = "Paused by hand.";

/** Pauses a gateway until it is resumed. Pausing twice changes nothing. False: the account has no such gateway. */
export async function pauseGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<boolean> {
  const pause = { accountId, identifier, at: deps.clock.now(), reason: pausedByHand };
  const found = await deps.database.run(pauseByOperator, pause);
  if (found) deps.signals.emit("lanesChanged");
  return found;
}

/** Ends every pause of a gateway, so that it is tried at once. False: the account has no such gateway. */
export async function resumeGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<boolean> {
  const found = await deps.database.run(resumeByOperator, { accountId, identifier, at: deps.clock.now() });
  if (found) deps.signals.emit("lanesChanged");
  return found;
}
