// What operators do to gateways beside changing them: delete, pause and resume.

import {
  type DeleteGatewayResult,
  deleteGateway as deleteRow,
  pauseByOperator,
  resumeByOperator,
} from "#store/gateways/actions.ts";
import { signalGatewayChange } from "./gateway.ts";
import type { ConfigureDeps } from "./resource.ts";
import { findSpreadWith } from "./spread-members.ts";

/** A send that was accepted while the gateway was switched off is stored by then. */
const quietMs = 60_000;

/** Deletes a gateway that was never used and is switched off for a minute. `memberOf`: the spread that names it. */
export async function deleteGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<DeleteGatewayResult | { memberOf: string }> {
  const memberOf = await findSpreadWith(deps, accountId, identifier);
  if (memberOf !== null) return { memberOf };
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
  if (found) signalPause(deps);
  return found;
}

/** To the owner of the lane, and to what moves messages from and to gateways that are paused. */
function signalPause({ signals }: ConfigureDeps): void {
  signals.emit("lanesChanged");
  signals.emit("pausesChanged");
}

/** Ends every pause of a gateway, so that it is tried at once. False: the account has no such gateway. */
export async function resumeGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<boolean> {
  const found = await deps.database.run(resumeByOperator, { accountId, identifier, at: deps.clock.now() });
  if (found) signalPause(deps);
  return found;
}
