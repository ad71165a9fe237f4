// The types of webhook events: what an endpoint can subscribe to, with the shape of each and an example.

import { eventCatalogue } from "#contract/events/catalogue.ts";
import { eventTypesReply } from "#contract/manage/webhooks.ts";
import { endpoint } from "#http/endpoint.ts";
import { schemaOf } from "#http/routes/manage/gateways/kinds.ts";

export const listEventTypesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/event-types",
  name: "listEventTypes",
  tag: "Webhooks",
  summary: "List the types of webhook events",
  description:
    "What an endpoint's `events` can name, and the test event, which is posted when its owner asks for it. The same is in the `webhooks` of this document.",
  scope: "self",
  replies: { 200: eventTypesReply },
})(async () => ({
  message: "Event types found.",
  data: eventCatalogue.map(({ type, title, description, data, example }) => ({
    type,
    title,
    description,
    schema: schemaOf(data),
    example: { ...example, data: { ...example.data } },
  })),
  next_cursor: null,
}));
