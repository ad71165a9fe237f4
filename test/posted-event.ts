// Holds what is posted to webhook endpoints against the catalogue of events.

import { isDeepStrictEqual } from "node:util";
import { instant } from "#contract/envelope.ts";
import { eventShapes, type PostedType } from "#contract/events/shapes.ts";
import type { OutboundRequest } from "#runtime/runtime.ts";

/** What is wrong with a posted event; null: nothing is, or the request is no event. */
export function eventFault({ headers = {}, body }: OutboundRequest): string | null {
  if (headers["webhook-signature"] === undefined) return null;
  return bodyFault(String(body));
}

/** What is wrong with the body of an event; null: nothing is. A field that the catalogue does not have is a fault too. */
export function bodyFault(body: string): string | null {
  const { type, timestamp, data, ...others } = JSON.parse(body) as Record<string, unknown>;
  if (!Object.hasOwn(eventShapes, String(type))) return `The catalogue has no event ${type}.`;
  if (!instant.safeParse(timestamp).success || Object.keys(others).length > 0)
    return `The event ${type} has another envelope: ${body}`;
  const parsed = eventShapes[type as PostedType].safeParse(data);
  if (!parsed.success)
    return `The event ${type} is not as the catalogue says: ${parsed.error.message} ${body}`;
  // What a schema does not know, its output does not have.
  return isDeepStrictEqual(parsed.data, data)
    ? null
    : `The event ${type} has fields that the catalogue lacks: ${body}`;
}
