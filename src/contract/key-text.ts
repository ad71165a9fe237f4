// The texts of keys that people choose, for example because applications already have them. Generated keys have 256 random bits.

import { z } from "zod";

const minLength = 20;
/** From here on a key is not judged: files that were written before shorter keys were allowed must go on working. */
const unjudgedLength = 32;
/** Bits, as `guessBits` estimates them: 20 random letters and digits have about 80, a LiteLLM key has about 105. */
const minBits = 64;

/** Shannon entropy of the items, bits in all. */
function entropyOf(items: readonly (string | number)[]): number {
  const counts = new Map<string | number, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / items.length), 0);
}

/** An upper bound of the work to guess a text, bits: by its characters, and by the steps between them, of which a sequence repeats one. */
export function guessBits(text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, at) => code - codes[at]!);
  return Math.min(entropyOf(codes), entropyOf(steps));
}

const isHardToGuess = (text: string) =>
  text.length < minLength || text.length >= unjudgedLength || guessBits(text) >= minBits;

/** A key of at least 20 characters, which is hard to guess. */
export const keyText = () =>
  z
    .string()
    .min(minLength, `must have at least ${minLength} characters`)
    .max(512)
    .refine(isHardToGuess, "is too easy to guess");
