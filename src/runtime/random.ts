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
