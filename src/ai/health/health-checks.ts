// Looks after members that are down: a check that costs no tokens, every two seconds or so, decides when one
// request may be risked on them.

import type { Pool } from "#ai/complete.ts";
import type { Member } from "#ai/pools/member.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock, Log } from "#runtime/runtime.ts";

export interface HealthCheckDeps {
  clock: Clock;
  log: Log;
  upstreams: StreamingClient;
  fraction: () => number;
}

const intervalMs = 2_000;
const timeoutMs = 2_000;

/** Checks members for as long as one of them is down; `look` is called whenever one went down. */
export function createHealthChecks(
  parts: HealthCheckDeps,
  pools: () => readonly Pool[],
  signal: LightAbortSignal,
): { look(): void; ended(): Promise<void> } {
  const { clock } = parts;
  let running: Promise<void> | null = null;
  const down = () =>
    pools()
      .flatMap(({ members }) => members)
      .filter(({ active, health }) => active && health.isOpen);

  async function run(): Promise<void> {
    // Not in the turn of whoever started it: `running` has to be set before it is cleared.
    await Promise.resolve();
    while (!signal.aborted && down().length > 0) {
      // Jitter, so that many processes do not knock together.
      await clock.sleep(intervalMs * (0.75 + 0.5 * parts.fraction()), signal);
      const wanted = down().filter(({ health }) => health.needsCheck(clock.monotonic()));
      await Promise.all(wanted.map((member) => checkMember(parts, member, signal)));
      // Without a check of its own a member waits for its next request.
      if (down().every(({ provider, settings }) => provider.check(settings) === null)) break;
    }
    running = null;
  }
  return {
    look: () => {
      running ??= run();
    },
    ended: async () => {
      await running;
    },
  };
}

/** One check of a member that is down. */
export async function checkMember(
  { clock, upstreams, log }: HealthCheckDeps,
  member: Member,
  signal: LightAbortSignal,
): Promise<void> {
  const request = member.provider.check(member.settings);
  if (request === null) return;
  const result = await upstreams.open({
    ...request,
    connectMs: timeoutMs,
    headersMs: timeoutMs,
    signal,
  });
  // The answer's own words do not matter.
  if (result.kind === "answer") result.body.cancel();
  if (signal.aborted) return;
  const found = result.kind === "answer" ? checkResult(result.status) : "down";
  log.debug({ member: member.name, found }, "a member that is down was checked");
  if (found !== "nothing") member.health.checked(clock.monotonic(), found === "well");
}

/** Where there is no such page, or it is closed to this key, completions may be well or not. */
function checkResult(status: number): "well" | "down" | "nothing" {
  if (status >= 200 && status < 300) return "well";
  return status >= 500 ? "down" : "nothing";
}
