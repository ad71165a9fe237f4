// Time-sortable ids: `prefix_` and 26 characters of lower-case Crockford base32, 48 bits of milliseconds and 80 random bits (the layout of
// ULID, https://github.com/ulid/spec). Within one process, ids sort in the order of their creation: within a millisecond, and while the
// clock is behind the last id, the random part is incremented instead of drawn anew. Indexes and cursors rely on that.

import type { Clock, Random } from "./runtime.ts";

interface Ids {
  /** One new id. `prefix` is letters and digits without the underscore, e.g. `msg`. */
  (prefix: string): string;
  /** `count` new ids in rising order, from one reading of the clock. */
  many(prefix: string, count: number): string[];
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const shape = /^[a-z][a-z0-9]*_([0-7][0-9a-hjkmnp-tv-z]{9})[0-9a-hjkmnp-tv-z]{16}$/;
const latest = 2 ** 48 - 1;

/** Every pair of digits, so that 20 bits are two look-ups. */
const pairs: string[] = [];
for (const high of alphabet) for (const low of alphabet) pairs.push(high + low);

const limb = 2 ** 20;
const encodeLimb = (value: number) => pairs[value >>> 10]! + pairs[value & 1023]!;

/** 50 bits (the top two are zero) in ten digits. */
function encodeTime(ms: number): string {
  const high = Math.floor(ms / 2 ** 40);
  const middle = Math.floor(ms / 2 ** 20) % limb;
  return pairs[high]! + encodeLimb(middle) + encodeLimb(ms % limb);
}

/** Makes ids from a clock and randomness. One per process: two makers do not know each other's order. */
export function createIds(clock: Clock, random: Random): Ids {
  let time = -1;
  // The 80 random bits as four limbs of 20, so that incrementing is integer arithmetic; `head` is the text of everything but the last limb,
  // which changes a thousand times less often.
  let [a, b, c, d] = [0, 0, 0, 0];
  let head = "";

  function draw(): void {
    const bytes = random.bytes(10);
    const limbAt = (i: number) => ((bytes[i]! << 12) | (bytes[i + 1]! << 4) | (bytes[i + 2]! >>> 4)) >>> 0;
    a = limbAt(0);
    b = ((bytes[2]! & 15) << 16) | (bytes[3]! << 8) | bytes[4]!;
    c = limbAt(5);
    d = ((bytes[7]! & 15) << 16) | (bytes[8]! << 8) | bytes[9]!;
  }

  function spell(): void {
    head = encodeTime(time) + encodeLimb(a) + encodeLimb(b) + encodeLimb(c);
  }

  /** Increments the random part. If all 80 bits overflow, the next millisecond is used with new randomness. */
  function count(): void {
    d += 1;
    if (d < limb) return;
    d = 0;
    c += 1;
    if (c === limb) {
      c = 0;
      b += 1;
    }
    if (b === limb) {
      b = 0;
      a += 1;
    }
    if (a === limb) {
      if (time === latest) throw new Error("The ids of this clock are used up (48 bits of milliseconds).");
      time += 1;
      draw();
    }
    spell();
  }

  function step(now: number): void {
    if (now > time) {
      time = now;
      draw();
      spell();
    } else {
      count();
    }
  }

  const look = () => Math.min(latest, Math.max(0, Math.floor(clock.now())));
  const text = () => head + pairs[d >>> 10]! + pairs[d & 1023]!;

  const next = (prefix: string): string => {
    step(look());
    return `${prefix}_${text()}`;
  };
  const many = (prefix: string, howMany: number): string[] => {
    const now = look();
    const start = `${prefix}_`;
    const ids = new Array<string>(howMany);
    for (let i = 0; i < howMany; i++) {
      step(now);
      ids[i] = start + text();
    }
    return ids;
  };
  return Object.assign(next, { many });
}

/** The epoch milliseconds inside an id, or null for text that is not an id. */
export function idTime(id: string): number | null {
  const digits = shape.exec(id)?.[1];
  if (digits === undefined) return null;
  let time = 0;
  for (const digit of digits) time = time * 32 + alphabet.indexOf(digit);
  return time;
}

/** The lowest id with this prefix that can have been made at this time (epoch ms): ids made before it sort below, later ones do not. */
export function idAt(prefix: string, ms: number): string {
  const time = Math.min(latest, Math.max(0, Math.floor(ms)));
  return `${prefix}_${encodeTime(time)}${alphabet[0]!.repeat(16)}`;
}
