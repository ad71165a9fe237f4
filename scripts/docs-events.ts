// The reference page of webhook events: for each, when it is posted, its fields, and an example.

import { z } from "zod";
import { eventCatalogue } from "#contract/events/catalogue.ts";
import { code, payload, table } from "./docs-tables.ts";

/** Fields of a message's record that only a look-up shows. */
const notInEvents = ["events"];

/** The fields of an event's data; if it has several shapes, first those that all have. */
function fieldsOf(data: z.ZodType): string {
  if (!(data instanceof z.ZodDiscriminatedUnion)) return payload(data, notInEvents);
  const shapes = data.options as z.ZodObject[];
  const namesOf = ({ shape }: z.ZodObject) => Object.keys(shape);
  const [first, ...others] = shapes;
  if (first === undefined) return "";
  // Each has the word that distinguishes it, with a value of its own.
  const shared = namesOf(first).filter(
    (name) => name !== "channel" && others.every((each) => name in each.shape),
  );
  const own = (each: z.ZodObject) => namesOf(each).filter((name) => !shared.includes(name));
  const channelOf = (each: z.ZodObject) => code([...(each.shape.channel as z.ZodLiteral<string>).values][0]);
  return [
    `On every channel:\n\n${payload(first, [...own(first), ...notInEvents])}`,
    ...shapes.map((each) => `On ${channelOf(each)} also:\n\n${payload(each, [...shared, ...notInEvents])}`),
  ].join("\n\n");
}

/** The whole page. `mark`: the line that marks it as generated. */
export function eventsPage(mark: string): string {
  const firstOf = new Map<z.ZodType, string>();
  const sections = eventCatalogue.map(({ type, description, data, example }) => {
    const first = firstOf.get(data);
    if (first === undefined) firstOf.set(data, type);
    const shown =
      first === undefined ? fieldsOf(data) : `\`data\` has the fields of [${first}](#${anchor(first)}).`;
    return `## ${type}

${description}

${shown}

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`
`;
  });
  const rows = eventCatalogue.map(({ type, title }) => [`[${code(type)}](#${anchor(type)})`, title]);
  return `# Webhook events

${mark}

What is posted to the [webhook endpoints](../webhooks.md) of an account: \`{ "type", "timestamp", "data" }\`. Each section says when an event is
posted, which fields its \`data\` has, and shows one that a run posted. Fields may be added; none is renamed or removed.

${table(["Event", "What happened"], rows)}

${sections.join("\n")}`;
}

/** The anchor that Markdown renderers make of a heading. */
const anchor = (type: string) => type.replaceAll(".", "");
