// Checks members whose circuit is open: about every two seconds, a request that costs no tokens decides when a probe
// may be sent.

import type { Member, Pool } from "#ai/pools/member.ts";
import { send } from "#ai/sending/send.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";

interface HealthCheckDeps {
  clock: Clock;
  log: Log;
  upstreams: StreamingClient;
  random: () => number;
}

const intervalMs = 2_000;
const timeoutMs = 2_000;

/** Checks members for as long as one of them is open; `start` is called when a circuit opens. */
export function createHealthChecks(
  deps: HealthCheckDeps,
  pools: () => readonly Pool[],
  signal: LightAbortSignal,
): { start(): void; ended(): Promise<void> } {
  const { clock, log } = deps;
  const down = () =>
    pools()
      .flatMap(({ members }) => members)
      .filter(({ active, health }) => active && health.isOpen);
  const interval = new Interval({
    clock,
    log,
    signal,
    // Jitter keeps several processes from checking at the same moment.
    ms: () => intervalMs * (0.75 + 0.5 * deps.random()),
    // A member whose provider has no check waits for its next request.
    isNeeded: () => down().some(({ provider, settings }) => provider.check(settings) !== null),
    turn: async () => {
      const due = down().filter(({ health }) => health.needsCheck(clock.monotonic()));
      await Promise.all(due.map((member) => checkMember(deps, member, signal)));
    },
    failure: { event: "pool.checks_failed", message: "Members that are down could not be checked." },
  });
  return { start: () => interval.start(), ended: () => interval.ended() };
}

/** Requests the status of a page that costs no tokens, for up to 2 s; a 4xx changes nothing. */
export async function checkMember(
  { clock, upstreams, log }: HealthCheckDeps,
  member: Member,
  signal: LightAbortSignal,
): Promise<void> {
  const request = member.provider.check(member.keys?.settingsFor(clock.monotonic()) ?? member.settings);
  if (request === null) return;
  const way = { connectMs: timeoutMs, headersMs: timeoutMs, signal };
  const result = await send({ clock, upstreams }, request, way);
  // Only the status matters.
  if (result.kind === "answer") result.body.cancel();
  if (signal.aborted) return;
  const found =
    result.kind === "answer"
      ? checkResult(result.status)
      : result.kind === "denied"
        ? checkResult(result.failure.status)
        : "down";
  log.debug(
    { event: "pool.member_checked", member: member.name, found },
    "A member that is down was checked.",
  );
  if (found !== "nothing") member.health.checked(clock.monotonic(), found === "well");
}

/** A missing or forbidden page says nothing about completions. */
function checkResult(status: number): "well" | "down" | "nothing" {
  if (status >= 200 && status < 300) return "well";
  return status >= 500 ? "down" : "nothing";
}
