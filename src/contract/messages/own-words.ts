// The caller's own `reference` and `metadata` of a message. They are not sent to providers, and are returned in replies, look-ups and
// events.

import { z } from "zod";
import { exceeds, type Fields, isObject, isSendable, trimOrNull } from "#contract/normalise.ts";
import type { Rule } from "#contract/wording.ts";
import { callerReference } from "./fields.ts";

type Metadata = Readonly<Record<string, string>>;

/** A field is undefined if it has an issue. */
export interface OwnWords {
  reference: string | null | undefined;
  metadata: Metadata | null | undefined;
}

const maxNames = 10;
const maxNameLength = 40;
const maxValueLength = 200;

const isName = (name: string) => name !== "" && isSendable(name) && !exceeds(name, maxNameLength);
const isValue = (value: unknown): value is string =>
  typeof value === "string" && isSendable(value) && !exceeds(value, maxValueLength);

function isMetadata(value: unknown): value is Metadata {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= maxNames && entries.every(([name, text]) => isName(name) && isValue(text));
}

/** The fields of a contact's schema. */
export const ownWordsShape = {
  reference: callerReference.schema
    .nullish()
    .describe("Your own reference for the message, such as an order number. Look-ups and events return it.")
    .meta({ maxLength: 200, examples: ["order-4711"] }),
  metadata: z
    .unknown()
    .check((field) => {
      const { value: input } = field;
      if (input === null || input === undefined || isMetadata(input)) return;
      if (isObject(input))
        field.issues.push({
          code: "custom",
          params: { rule: "metadata" } satisfies { rule: Rule["rule"] },
          input,
        });
      else field.issues.push({ code: "invalid_type", expected: "object", input });
    })
    .optional()
    .describe(
      "Up to ten values of your own: names of at most 40 characters, texts of at most 200. Look-ups and events return them.",
    )
    .meta({
      type: ["object", "null"],
      maxProperties: maxNames,
      additionalProperties: { type: "string", maxLength: maxValueLength },
      examples: [{ customer: "c-17" }],
    }),
};

/** The fields in the form that the rules expect. A form cannot contain an empty object, so an empty list counts as one. */
export const normalisedOwnWords = ({ reference, metadata }: Fields) => ({
  reference: trimOrNull(reference),
  metadata: isEmpty(metadata) ? null : trimOrNull(metadata),
});

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

const noOwnWords = { reference: null, metadata: null } as const;

/** The same for a contact without issues. Null if it needs the complete check. */
export function plainOwnWords(
  fields: Fields,
): { reference: string | null; metadata: Metadata | null } | null {
  if (fields.reference === undefined && fields.metadata === undefined) return noOwnWords;
  const { reference, metadata } = normalisedOwnWords(fields);
  if (reference !== null && !(typeof reference === "string" && callerReference.fits(reference))) return null;
  return metadata === null || isMetadata(metadata) ? { reference, metadata } : null;
}
