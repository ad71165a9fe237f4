// Plays one attack on a stage and judges it: what the attack itself counted, whether the process lives, what it held,
// and how the well-behaved client fared meanwhile.

import { cpuSeconds, memoryMib, resetPeak } from "../process-memory.ts";
import { type Attack, countsText, type Size, tally, within } from "./attack.ts";
import { secrets } from "./installation.ts";
import { type PeerProcess, startPeerProcess } from "./peer-process.ts";
import type { ProbeOrder, ProbeResult } from "./probe-process.ts";
import type { Stage } from "./stage.ts";

/** The process may hold this much under any attack. */
export const maxMib = 600;
/** Single sends of a well-behaved client stay under this, p99. */
export const maxSendMs = 250;

export interface Played {
  attack: Attack;
  engine: string;
  inputs: number;
  seen: string;
  /** Null: it could not be measured. */
  probe: ProbeResult | null;
  peakMib: number | null;
  /** What the process worked meanwhile, for the probe as well; unlike times, hardly a matter of who else works here. */
  cpuSeconds: number | null;
  tookMs: number;
  /** What broke; empty: it held. */
  broke: string[];
  /** Nothing broke but the times of the well-behaved client: a busy machine does that as well. */
  onlySlow: boolean;
}

export interface Bounds {
  /** Single sends, p99. */
  sendP99Ms: number;
  /** What the process may work while it is attacked, seconds of processor time. */
  cpuSeconds: number;
}

/** A probe on a stage, running from now on. */
export async function startProbe(base: string, everyMs: number) {
  const child: PeerProcess<object> = await startPeerProcess("./probe-process.ts");
  child.send({ start: { base, apiKey: secrets.ourKey, everyMs } satisfies ProbeOrder });
  return async (): Promise<ProbeResult | null> => {
    const result = await within(150_000, child.ask<ProbeResult>("stop"), null);
    await child.close();
    return result;
  };
}

export interface PlayOptions {
  size: Size;
  bounds: Bounds;
  everyMs: number;
  /** The probe runs at least this long. */
  minMs: number;
  /** An attack that is not over by then is given up and has broken. */
  limitMs: number;
}

export async function play(attack: Attack, stage: Stage, options: PlayOptions): Promise<Played> {
  const { size, bounds, everyMs, minMs, limitMs } = options;
  resetPeak(stage.server.pid);
  const cpuBefore = cpuSeconds(stage.server.pid);
  const stopProbe = await startProbe(stage.base, everyMs);
  const started = performance.now();
  const broke: string[] = [];
  const gaveUp = null;
  const work = attack.run(stage, size).catch((error: unknown) => {
    const it = tally();
    it.fault(
      `the attack itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return it;
  });
  const counted = await within(limitMs, work, gaveUp);
  // A process that is stopped for so long would hold the probe up as well.
  if (counted === gaveUp) await stage.server.kill();
  const left = minMs - (performance.now() - started);
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  // Before the probe is stopped: that waits for a process that is stopped.
  const probe = await stopProbe();
  const tookMs = performance.now() - started;
  const peakMib = stage.ended() === null ? memoryMib(stage.server.pid, "VmHWM") : null;
  const cpuAfter = cpuSeconds(stage.server.pid);
  if (counted === gaveUp) broke.push(`not over after ${limitMs / 1000} s`);
  else {
    broke.push(...counted.faults);
    if (counted.faultCount > counted.faults.length)
      broke.push(`and ${counted.faultCount - counted.faults.length} more`);
  }
  const end = stage.ended();
  if (end !== null && counted !== gaveUp) broke.push(`the process ended (${end})`);
  const worked = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
  if (worked !== null && worked > bounds.cpuSeconds) broke.push(`${worked.toFixed(1)} s of processor time`);
  const slow: string[] = [];
  if (attack.judged !== false) {
    if (peakMib !== null && peakMib > maxMib) broke.push(`peak RSS ${Math.round(peakMib)} MiB`);
    if (probe === null) broke.push("the probe got no answers at all");
    else {
      const { sends } = probe;
      if (sends.p99 > bounds.sendP99Ms && attack.fillsWriter !== true)
        slow.push(`single sends: p99 ${Math.round(sends.p99)} ms, over ${Math.round(bounds.sendP99Ms)} ms`);
      const others = { ...sends.others };
      if (end === null && Object.keys(others).length > 0)
        broke.push(`single sends were answered ${countsText(new Map(Object.entries(others)))}`);
    }
  }
  return {
    attack,
    engine: stage.engine,
    inputs: counted === gaveUp ? 0 : counted.inputs,
    seen: counted === gaveUp ? "nothing in time" : countsText(counted.counts),
    probe,
    peakMib,
    cpuSeconds: worked,
    tookMs,
    broke: [...broke, ...slow],
    onlySlow: broke.length === 0 && slow.length > 0,
  };
}
