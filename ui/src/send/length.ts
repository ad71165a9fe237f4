// The length of an SMS, which determines its price, shown while one types.

import { gsmExtension, gsmSeptets, measure } from "#contract/messages/segments.ts";

const letters = new Set([...gsmSeptets, ...gsmExtension].map(([, letter]) => letter));

/** The units that fit without another segment. */
const room = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const;

interface Length {
  segments: number;
  encoding: "gsm7" | "ucs2";
  units: number;
  /** Units that fit into this many segments. */
  fits: number;
  /** The first character outside the GSM alphabet; null if there is none. */
  odd: string | null;
}

/** The length of a text as it is charged. Surrounding blanks do not count. */
export function lengthOf(text: string): Length {
  const { segments, encoding, units } = measure(text.trim());
  const { single, part } = room[encoding];
  const odd = encoding === "gsm7" ? null : ([...text.trim()].find((letter) => !letters.has(letter)) ?? null);
  return { segments, encoding, units, fits: segments === 1 ? single : segments * part, odd };
}
