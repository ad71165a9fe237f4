// Every text of a fault run carries a marker that no other text has: `#run.seq#`. Losses and duplicates
// are counted on markers, never on ids, because ids are made by what is being tested.

const pattern = /#([a-z0-9]+\.\d+)#/;
const directive = /\[sim:([a-z0-9-]+)( always)?\]/;

/** The text of a message; `fault` asks the provider simulator for a fault on this very message. */
export function markedText(marker: string, fault?: string): string {
  return fault === undefined ? `Hello #${marker}#` : `Hello #${marker}# [sim:${fault}]`;
}

/** The marker inside a text or a raw body; null when it has no marker. */
export function markerIn(text: string): string | null {
  return pattern.exec(text)?.[1] ?? null;
}

/** The fault asked for inside a body. Unless `always`, it strikes the first transmission only. */
export function faultIn(text: string): { name: string; always: boolean } | null {
  const match = directive.exec(text);
  return match?.[1] === undefined ? null : { name: match[1], always: match[2] !== undefined };
}

/** Seeded numbers in [0, 1) (mulberry32): the same seed makes the same run as far as the machine allows. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
