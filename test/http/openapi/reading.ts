// The OpenAPI document as its tests read it.

import { openapiDocument } from "#http/openapi/document.ts";

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: object;
}
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, Reply>;
}
export interface Reply {
  $ref?: string;
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: object }>;
}
export interface Document {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: Record<string, Record<string, Record<string, unknown>>>;
}

export const document = JSON.parse(JSON.stringify(openapiDocument())) as Document;
// Parameters that are written once are followed.
for (const methods of [...Object.values(document.paths), ...Object.values(document.webhooks)])
  for (const operation of Object.values<Operation>(methods))
    operation.parameters?.forEach((each, at, list) => {
      const name = (each as unknown as { $ref?: string }).$ref?.split("/").at(-1);
      if (name !== undefined) list[at] = document.components.parameters![name] as unknown as Parameter;
    });
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** What is posted to an account's endpoints, by event type. */
export const webhooks = Object.entries(document.webhooks).map(([type, { post: operation }]) => ({
  type,
  operation,
}));

/** A reply with its reference followed. */
export function resolved(reply: Reply | undefined): Reply | undefined {
  const name = reply?.$ref?.split("/").at(-1);
  return name === undefined ? reply : (document.components.responses?.[name] as Reply | undefined);
}

export function everyObject(value: unknown, visit: (object: Record<string, unknown>) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>);
  for (const child of Object.values(value)) everyObject(child, visit);
}
