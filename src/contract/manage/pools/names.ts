// The names of pools, of their members, and of models.

import { z } from "zod";

/** Names of pools and members appear in headers and responses, so they are restricted. */
export const poolName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$/,
    "must be 1 to 100 letters, digits or one of . _ : / @ + -, beginning with a letter or digit",
  );

export const modelName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters without spaces");

export const modelList = z
  .array(modelName)
  .max(500)
  .refine((names) => new Set(names).size === names.length, "names a model twice");
