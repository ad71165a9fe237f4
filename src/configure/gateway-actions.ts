// Actions of operators on gateways besides changing them: delete, pause and resume.

import { findUse, type InUse } from "#phones/configuration.ts";
import { priorities } from "#queue/priority.ts";
import { pauseByOperator, resumeByOperator } from "#store/gateways/actions.ts";
import { type DeleteGatewayResult, deleteGateway as deleteRow } from "#store/gateways/delete.ts";
import type { ConfigureDeps } from "./resource.ts";

/** Messages that wait or are being sent are counted up to this number. */
const maxCounted = 1_000;

/**
 * Deletes a gateway immediately if no message waits on it or is being sent; otherwise it accepts no new ones from now on, and is deleted
 * when the last one has ended (`deleteDrained`).
 */
export async function deleteGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<DeleteGatewayResult | InUse> {
  const use = await findUse(deps, accountId, identifier);
  if (use !== null) return use;
  const at = deps.clock.now();
  const input = { accountId, identifier, at, priorities, countTo: maxCounted };
  return await deps.database.run(deleteRow, input);
}

/** The reason of a pause by an operator. */
export const pausedByHand = "Paused by hand.";

/** Pauses a gateway until it is resumed. Pausing twice changes nothing. `by`: the caller. False if the account has no such gateway. */
export async function pauseGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
  by: string | null,
): Promise<boolean> {
  const pause = { accountId, identifier, at: deps.clock.now(), reason: pausedByHand, by };
  return await deps.database.run(pauseByOperator, pause);
}

/** Ends every pause of a gateway, so that it is tried immediately. False if the account has no such gateway. */
export async function resumeGateway(
  deps: ConfigureDeps,
  accountId: string,
  identifier: string,
): Promise<boolean> {
  return await deps.database.run(resumeByOperator, { accountId, identifier, at: deps.clock.now() });
}
