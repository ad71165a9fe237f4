// The runtime of a real process. Tests compose another one from the same parts.

import { createLog, type LogLevel } from "#runtime/log/log.ts";
import type { AllowList } from "#runtime/net/address.ts";
import { createDns } from "#runtime/net/dns.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { systemClock } from "./clock.ts";
import { systemRandom } from "./random.ts";
import type { Runtime } from "./runtime.ts";

interface SystemRuntimeOptions {
  logLevel: LogLevel;
  /** Lines for people instead of JSON. Default: JSON. */
  logText?: boolean;
  /** From `readAllowList`. */
  outboundAllow: AllowList;
  /** For fault tests: a crash point's name, or `name:N` for its Nth hit in this process, from 1. */
  crashAt?: string;
}

export function systemRuntime({
  logLevel,
  logText = false,
  outboundAllow,
  crashAt,
}: SystemRuntimeOptions): Runtime {
  const log = createLog({ level: logLevel, text: logText });
  return {
    clock: systemClock(),
    random: systemRandom(),
    outbound: createOutbound({ allow: outboundAllow, log }),
    upstreams: createStreamingClient({ allow: outboundAllow }),
    dns: createDns(),
    log,
    crashPoint: crashAt === undefined ? () => {} : crashPoints(crashAt),
  };
}

function crashPoints(crashAt: string): (name: string) => void {
  const [, target, count = "1"] = /^(.+?)(?::(\d+))?$/.exec(crashAt) ?? [];
  let left = Number(count);
  return (name) => {
    if (name !== target) return;
    left -= 1;
    if (left !== 0) return;
    process.kill(process.pid, "SIGKILL");
    // The signal may take a moment to arrive; nothing after this line may happen.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
