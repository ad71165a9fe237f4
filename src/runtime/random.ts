// Randomness from the operating system. Small requests are served from a pool (a call into OpenSSL costs about a microsecond for every
// size), and a byte that was handed out is wiped from the pool.

import { randomBytes, randomFillSync } from "node:crypto";
import type { Random } from "./runtime.ts";

const poolBytes = 4096;
/** Longer requests use the system directly. */
const maxPooledBytes = 256;

export function systemRandom(): Random {
  const pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return {
    bytes(count) {
      if (count > maxPooledBytes) return randomBytes(count);
      if (used + count > poolBytes) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = pool.slice(used, used + count);
      pool.fill(0, used, used + count);
      used += count;
      return bytes;
    },
    // Jitter needs no unpredictability.
    random: () => Math.random(),
  };
}

/** Integers from 1 to 2³²-1 that are the same for the same seed (xorshift32, Marsaglia 2003): for simulations, never for secrets. */
export function xorshift32(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
