// The backlog of the gateways' lanes, for the metrics.

import type { Core } from "#core/core.ts";
import { priorities } from "#queue/priority.ts";
import type { GatewayLoad } from "#runtime/metrics.ts";
import { countWaiting } from "#store/lanes/lanes.ts";

export async function readLoad({
  clock,
  database,
}: Pick<Core, "clock" | "database">): Promise<GatewayLoad[]> {
  const now = clock.now();
  const counts = await database.run(countWaiting, { priorities, now });
  return counts.map(({ identifier, waiting, oldest, paused, connected }) => ({
    gateway: identifier,
    waiting,
    oldestSeconds: oldest === null ? 0 : Math.max(0, now - oldest) / 1_000,
    paused: paused === 1,
    connected: connected === null ? null : connected === 1,
  }));
}
