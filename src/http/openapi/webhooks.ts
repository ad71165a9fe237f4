// The `webhooks` of the OpenAPI document: what is posted to an account's endpoints, one entry per type, from the catalogue of events. Each
// body is a separate component, so that generated clients have its type.

import { z } from "zod";
import { instant } from "#contract/envelope.ts";
import { type CataloguedEvent, eventCatalogue } from "#contract/events/catalogue.ts";
import { type Json, schemaOf } from "./schemas.ts";

/** `message.delivered` is `MessageDeliveredEvent`. */
const nameOf = (type: string) =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;

const bodyOf = ({ type, data }: CataloguedEvent) =>
  z
    .object({
      type: z.literal(type),
      timestamp: instant.describe("When it happened (ISO 8601, UTC)."),
      data,
    })
    .meta({ id: nameOf(type) });

/** Made once: making a schema with a name registers it. */
const bodies = eventCatalogue.map((event) => ({ event, body: bodyOf(event) }));

/** The headers of a post, by the Standard Webhooks scheme. */
export const webhookHeaders: Record<string, Json> = Object.fromEntries(
  [
    ["webhook-id", "The event's id, the same on every try: drop one that was processed."],
    [
      "webhook-timestamp",
      "When this try was signed, in seconds since 1970. Refuse one that is over 5 minutes old.",
    ],
    [
      "webhook-signature",
      "`v1,` and the HMAC-SHA256 in base64 of `{webhook-id}.{webhook-timestamp}.{body}` under the endpoint's secret (its base64 after `whsec_`); several after spaces while a secret is being rotated, of which one has to fit.",
    ],
  ].map(([name = "", description]) => [
    name,
    { name, in: "header", required: true, description, schema: { type: "string" } },
  ]),
);

/** What a receiver may answer. */
export const webhookResponses: Record<string, Json> = {
  EventTaken: { description: "The event was taken. Answer within 15 s, and work later." },
  EndpointGone: {
    description:
      "The endpoint is gone: it is disabled. Every status but 2XX and 410 is tried again: 8 tries over about 28 hours.",
  },
};

/** The entries of the document's `webhooks`, by event type. */
export function webhookEntries(): Record<string, Json> {
  const entries = bodies.map(({ event: { type, title, description, example }, body }) => {
    const post: Json = {
      operationId: `receive${nameOf(type)}`,
      tags: ["Webhooks"],
      // The signature proves who posts it.
      security: [],
      summary: title,
      description,
      parameters: Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(body), example } } },
      responses: {
        "2XX": { $ref: "#/components/responses/EventTaken" },
        410: { $ref: "#/components/responses/EndpointGone" },
      },
    };
    return [type, { post }];
  });
  return Object.fromEntries(entries);
}
