// Writes a whole response as the stream that was requested: some servers with a Responses API do not stream there. Source:
// platform.openai.com/docs/api-reference/responses-streaming

import { type Fields, isObject } from "#contract/normalise.ts";
import { fieldsIn, parseAnswerExactly, textOf } from "#providers/translate/json.ts";

/** An event without its `sequence_number`. */
type Event = { type: string } & Fields;

/** A text that is sent as deltas: the types of its events begin with `type`, and the last one has the whole text as `field`. */
const grown = (type: string, field: string, text: string, place: Fields): Event[] =>
  text === ""
    ? []
    : [
        { type: `${type}.delta`, ...place, delta: text },
        { type: `${type}.done`, ...place, [field]: text },
      ];

/** A part of a message, or of the summary or text of a reasoning item. */
function partEvents(part: Fields, place: Fields, of: "content_part" | "reasoning_summary_part"): Event[] {
  const isRefusal = part.type === "refusal";
  const field = isRefusal ? "refusal" : "text";
  const names: Readonly<Record<string, string>> = {
    output_text: "response.output_text",
    refusal: "response.refusal",
    reasoning_text: "response.reasoning_text",
    summary_text: "response.reasoning_summary_text",
  };
  const type = Object.hasOwn(names, textOf(part.type)) ? names[textOf(part.type)] : undefined;
  const text = textOf(part[field]);
  return [
    { type: `response.${of}.added`, ...place, part: type === undefined ? part : { ...part, [field]: "" } },
    ...(type === undefined ? [] : grown(type, field, text, place)),
    { type: `response.${of}.done`, ...place, part },
  ];
}

/** The item without its texts, and the events of the texts. */
function itemEvents(item: Fields, output_index: number): { begin: Fields; events: Event[] } {
  const place = { item_id: textOf(item.id), output_index };
  const unfinished = item.status === undefined ? {} : { status: "in_progress" };
  const parts = (name: "content" | "summary") =>
    fieldsIn(item[name]).flatMap((part, index) =>
      name === "content"
        ? partEvents(part, { ...place, content_index: index }, "content_part")
        : partEvents(part, { ...place, summary_index: index }, "reasoning_summary_part"),
    );
  if (item.type === "message" || item.type === "reasoning") {
    const emptied = Object.fromEntries(
      (["content", "summary"] as const).filter((name) => Array.isArray(item[name])).map((name) => [name, []]),
    );
    const events = [...parts("summary"), ...parts("content")];
    return { begin: { ...item, ...emptied, ...unfinished }, events };
  }
  const [type, field] =
    item.type === "custom_tool_call"
      ? ["response.custom_tool_call_input", "input"]
      : ["response.function_call_arguments", "arguments"];
  if (item.type !== "function_call" && item.type !== "custom_tool_call") return { begin: item, events: [] };
  const events = grown(type, field, textOf(item[field]), place);
  return { begin: { ...item, [field]: "", ...unfinished }, events };
}

/** The events of a whole response, with all of its fields and digits. */
export function unfoldedResponse(text: string): string {
  const response = parseAnswerExactly(text);
  if (!isObject(response)) return "";
  const started = { ...response, status: "in_progress", output: [], usage: null };
  const events: Event[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...fieldsIn(response.output).flatMap((item, output_index): Event[] => {
      const { begin, events } = itemEvents(item, output_index);
      return [
        { type: "response.output_item.added", output_index, item: begin },
        ...events,
        { type: "response.output_item.done", output_index, item },
      ];
    }),
    { type: response.status === "incomplete" ? "response.incomplete" : "response.completed", response },
  ];
  return events
    .map(
      ({ type, ...rest }, sequence_number) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`,
    )
    .join("");
}
