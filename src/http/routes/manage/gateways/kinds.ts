// The kinds of gateways with the JSON schemas of their settings, from which the dashboard makes its forms.

import { z } from "zod";
import { hasCheck } from "#configure/check-gateway.ts";
import { gatewayKindsReply } from "#contract/manage/gateways.ts";
import { adapters } from "#gateways/registry.ts";
import { endpoint } from "#http/endpoint.ts";

/** Making one takes a millisecond, and the schemas are the program's own. */
const made = new WeakMap<z.ZodType, Record<string, unknown>>();

/** The JSON Schema of settings, for a form. JSON Schema marks a secret with `writeOnly`. */
export function schemaOf(settings: z.ZodType): Record<string, unknown> {
  const known = made.get(settings);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(settings, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete jsonSchema.url;
      if (jsonSchema.secret !== true) return;
      delete jsonSchema.secret;
      jsonSchema.writeOnly = true;
    },
  });
  made.set(settings, schema);
  return schema;
}

export const listGatewayKindsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/gateway-kinds",
  name: "listGatewayKinds",
  tag: "Gateways",
  summary: "List the kinds of gateways and their settings",
  scope: "self",
  replies: { 200: gatewayKindsReply },
})(async () => ({
  message: "Kinds found.",
  data: adapters.map((adapter) => {
    const { kind, title, summary, channels, test, connection, settings } = adapter;
    return {
      kind,
      title,
      summary,
      channels: [...channels],
      test,
      checks: hasCheck(adapter),
      links: connection === "linked" || connection === "pulled",
      settings: schemaOf(settings),
    };
  }),
  next_cursor: null,
}));
