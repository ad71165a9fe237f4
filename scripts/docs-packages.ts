// The types of the client packages (`clients/`), from the OpenAPI document: the components that the channel API and the events use.

import { componentsOf, type Document, generated, nameOf, typeOf } from "./docs-client.ts";

/** The channel API: everything for an account's key. */
const channelPath = /^\/api\/(?:sms|whatsapp|email|get|cancel|reschedule|resolve|received)\//;

/** The names of the packages' components, sorted. */
export function componentNames({ paths, webhooks, components }: Document): string[] {
  const operations = Object.entries(paths)
    .filter(([path]) => channelPath.test(path))
    .flatMap(([, methods]) => Object.values(methods))
    .map(({ requestBody, responses }) => [
      requestBody?.content["application/json"],
      responses["200"]?.content?.["application/json"],
    ]);
  return [...componentsOf([operations, webhooks], components.schemas)].sort();
}

/** The name of each event's component, by its type. */
export const eventNames = ({ webhooks }: Document): [type: string, name: string][] =>
  Object.entries(webhooks).map(([type, { post }]) => [
    type,
    nameOf(post.requestBody.content["application/json"]?.schema.$ref),
  ]);

/** The text of `clients/typescript/src/types.ts`. */
export function packageTypes(document: object): string {
  const whole = document as Document;
  const types = componentNames(whole).map(
    (name) => `export type ${name} = ${typeOf(whole.components.schemas[name] ?? true)};`,
  );
  const events = eventNames(whole).map(([type, name]) => `  ${JSON.stringify(type)}: ${name};`);
  return `${generated}
${types.join("\n")}

/** Every event by its type. */
export interface WebhookEvents {
${events.join("\n")}
}

/** What is posted to a webhook endpoint: \`type\` says which event it is. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];
`;
}
