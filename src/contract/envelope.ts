// What the replies and lists of all families share: the envelope around the data, and the query and the reply of a page. Every schema with
// an `id` is a component of the OpenAPI document under that name, so names are unique.

import { z } from "zod";

/** A time on the wire: ISO 8601 in UTC, with milliseconds. */
export const instant = z.iso.datetime({ precision: 3 });

/** A time in a query, with its offset. */
export const timeParam = z.iso.datetime({
  offset: true,
  error: "must be a time such as 2026-11-21T13:00:00Z",
});

/** How often the configuration of a resource was changed. */
export const revision = z
  .int()
  .describe("Increased by each change. A PATCH with an outdated revision is refused.");

/** The field of a PATCH body with which a caller ensures that the change is based on the current revision. */
export const seenRevision = z
  .int()
  .min(1)
  .optional()
  .describe(
    "The revision on which the change is based. If it is outdated, the answer is 409 `conflict`. Without it, the change applies to the stored resource.",
  );

/** An object whose fields depend on something else, such as the settings of a kind. */
export const anyFields = z.record(z.string(), z.unknown());

const envelope = {
  success: z.literal(true),
  message: z.string().describe("What happened, in words."),
};

/** The reply that contains one thing. */
export function reply<Data extends z.ZodType>(id: string, data: Data) {
  return z.object({ ...envelope, data }).meta({ id });
}

/** The reply that contains a list. A list that is always complete has no further page. */
export const page = <Item extends z.ZodType>(id: string, item: Item, cursorNote = "") =>
  z.object(pageFields(item, cursorNote)).meta({ id });

/** A record with fields that only this reply has, such as a secret that is shown once. Its component refers to that of the record. */
export const extended = <Item extends z.ZodType, Shape extends z.ZodRawShape>(
  id: string,
  item: Item,
  more: Shape,
) => z.intersection(item, z.object(more)).meta({ id });

/** The fields of a page, for a list that has more. */
export const pageFields = <Item extends z.ZodType>(item: Item, cursorNote = "") => ({
  ...envelope,
  data: z.array(item),
  next_cursor: z
    .string()
    .nullable()
    .describe(`The \`cursor\` of the next page; null on the last page.${cursorNote}`),
});

/** The number of items in a page. */
export const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(200)
  .default(50)
  .describe("The maximum number of items in the page.");

/** Where a page begins. Each list has its own format. */
export const cursorNote = "A `next_cursor` of the same list, to get its next page.";

/** The cursor of a list whose cursors are ids. */
export const idCursor = z
  .string()
  .regex(/^[a-z0-9_]{1,64}$/, "is not a cursor")
  .optional()
  .describe(cursorNote);

/** An id in a path. The handler answers 404 for any other text. */
export function idParam(description: string) {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe(description);
}
