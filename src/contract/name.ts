// The characters of names: of accounts, plans, pools, members, keys, users, tokens, … Names appear in lists, logs and mails, where a line
// end forges a line and a direction character reverses the text around it: `user<U+202E>gpj.exe` is displayed as `userexe.jpg`. Joiners are
// allowed: emoji and several scripts need them. Every schema with a name uses `nameText`; a test walks the bodies of all routes.

import { z } from "zod";
import { isSendable } from "./normalise.ts";

/** Control characters, halves of surrogate pairs, line and paragraph separators, and direction marks. */
const unfit = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Whether a text may be a name, or a part of one. */
export function isName(text: string): boolean {
  return !unfit.test(text);
}

export const notAName =
  "must not contain control characters, nor characters that change the direction of text";

/** Text for people, of `min` to `max` UTF-16 units: lines and any script, but nothing that cannot be stored. */
export const freeText = (min: number, max: number) =>
  z.string().min(min).max(max).refine(isSendable, "contains characters that cannot be stored");

/** A name of `min` to `max` UTF-16 units; not blank unless it may be empty. */
export const nameText = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine(isName, notAName)
    .refine((text) => min === 0 || !/^\p{Zs}+$/u.test(text), "must not be empty");
