// Opens a webhook endpoint's lane in the process that owns it.

import { Lane } from "#queue/lane.ts";
import type { ClaimedLane, OpenLane } from "#queue/open-lane.ts";
import { findEndpoint } from "#store/webhooks/endpoints.ts";
import { type PostDeps, postWork } from "./post.ts";

/** Enough concurrent posts to keep a slow endpoint busy, and few enough that a dead one does not use up the sockets. */
const concurrency = 8;

/** Starts an endpoint's lane; null if no active endpoint has this id. */
export async function openEndpointLane(
  deps: PostDeps & { maxWaitMs: number },
  state: ClaimedLane,
): Promise<OpenLane | null> {
  const { database, clock, random, log, maxWaitMs } = deps;
  const endpoint = await database.run(findEndpoint, state.id);
  // Removed or disabled since the lane was looked at.
  if (!endpoint || endpoint.active === 0) return null;
  return new Lane({
    work: postWork(deps, endpoint.id, state.fence),
    rules: { concurrency },
    state: { id: state.id, fence: state.fence },
    clock,
    random: random.random,
    log,
    maxWaitMs,
    interrupted: state.interrupted,
  });
}
