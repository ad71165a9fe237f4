// Opens a webhook endpoint's lane in the process that owns it.

import { Lane } from "#queue/lane.ts";
import type { ClaimedLane, OpenLane } from "#queue/lanes.ts";
import { findEndpoint } from "#store/webhooks/endpoints.ts";
import { type PostParts, postWork } from "./post.ts";

/** So many posts at once keep a slow endpoint busy, and a dead one from taking more than its share of sockets. */
const concurrency = 8;

/** Starts an endpoint's lane; null when there is no active endpoint of this id. */
export async function openEndpointLane(
  parts: PostParts & { longestWaitMs: number },
  state: ClaimedLane,
): Promise<OpenLane | null> {
  const { database, clock, random, log, longestWaitMs } = parts;
  const endpoint = await database.run(findEndpoint, state.id);
  // Removed or disabled since the lane was looked at.
  if (!endpoint || endpoint.active === 0) return null;
  return new Lane({
    work: postWork(parts, endpoint.id, state.fence),
    rules: {
      perSecond: null,
      concurrency,
      jitterMs: 0,
      perDay: null,
      sendingWindow: () => ({ open: true }),
      // Only asked for a daily cap.
      day: (now) => ({ name: "", endsAt: now }),
    },
    state: {
      id: state.id,
      fence: state.fence,
      pauses: 0,
      pausedUntil: null,
      pausedSince: null,
      pausedMs: 0,
      day: null,
      dayCount: 0,
    },
    clock,
    fraction: random.fraction,
    log,
    maxWaitMs: longestWaitMs,
    known: state.known,
  });
}
