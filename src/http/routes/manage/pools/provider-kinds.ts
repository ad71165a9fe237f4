// The kinds of AI providers with the JSON schemas of their settings, from which the dashboard makes its forms.

import { providerKindsReply } from "#contract/manage/pools/members.ts";
import { endpoint } from "#http/endpoint.ts";
import { schemaOf } from "#http/routes/manage/gateways/kinds.ts";
import { providers } from "#providers/registry.ts";

export const listProviderKindsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/provider-kinds",
  name: "listProviderKinds",
  tag: "Pools",
  summary: "List the kinds of AI providers and their settings",
  scope: "self",
  replies: { 200: providerKindsReply },
})(async () => ({
  message: "Kinds found.",
  data: providers.map(({ kind, title, summary, embeds, settings }) => ({
    kind,
    title,
    summary,
    embeddings: embeds,
    settings: schemaOf(settings),
  })),
  next_cursor: null,
}));
