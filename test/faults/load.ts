// How a run is loaded: what clients do, and how badly webhook endpoints answer meanwhile.

import { type Installation, senders } from "./installation.ts";
import type { HookSettings } from "./webhook-sink.ts";

/**
 * What first posts to webhook endpoints meet. A second one comes five seconds later: after the first few events
 * that is over before the run is, and costs it nothing.
 */
export const early: HookSettings = { faults: { "500": 0.3, reset: 0.3 }, atMost: 8 };
export const throughout: HookSettings = { faults: { "500": 0.01, reset: 0.01 }, atMost: 1000 };
/** A stalled post is given up after 15 s. */
export const stalling: HookSettings = { faults: { "500": 0.02, reset: 0.02, stall: 0.005 }, atMost: 1000 };

export const hooksFor = (strikes: number) => (strikes === 1 ? early : throughout);

/** The share of requests that carry an idempotency key. */
export const keyed = 0.4;

/** Load until `stop` is called; `stop` waits for what is under way. */
export function startLoad(
  installation: Installation,
  bases: () => readonly string[],
  seed: number,
  { atMost = 2000, restMs = 40 }: { atMost?: number; restMs?: number } = {},
) {
  const controller = new AbortController();
  installation.hearBack();
  const done = installation.recorder.load({
    bases,
    senders,
    connections: 8,
    signal: controller.signal,
    atMost,
    restMs,
    keyed,
    seed,
  });
  return {
    /** No new requests, without waiting for what is under way. */
    quiet: () => controller.abort(),
    async stop() {
      controller.abort();
      await done;
    },
  };
}

/** Short runs have lighter load: every message costs its events, and a look at its timeline. */
export const restMs = (strikes: number) => (strikes === 1 ? 200 : 40);
