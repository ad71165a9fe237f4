// What definitions of environment variables share.

import { z } from "zod";

/** A whole number in digits, within bounds. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

/** For the reference page: what a variable is for, an example, and its form where it is more than text. */
export const text = (purpose: string, example: string, form = "text") => ({
  description: purpose,
  examples: [example],
  form,
});
