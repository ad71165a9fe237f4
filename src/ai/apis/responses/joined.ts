// Assembles the response from a stream's events.

import { chunksIn, errorIn, objectsIn } from "#ai/stream/recorded.ts";
import { isObject } from "#contract/normalise.ts";
import { foldedResponse } from "#providers/openai/responses.ts";
import { parseJson, textOf } from "#providers/translate/json.ts";

type Fields = Record<string, unknown>;

/** A response that has not ended: its items so far, and the text of the item in progress. */
function cutResponse(values: readonly Fields[]): Fields {
  const begun = values.find(({ response }) => isObject(response))?.response;
  const output = values.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  const lastDone = values.findLastIndex(({ type }) => type === "response.output_item.done");
  const text = values
    .slice(lastDone + 1)
    .map(({ type, delta }) => (type === "response.output_text.delta" ? textOf(delta) : ""))
    .join("");
  const open =
    text === ""
      ? []
      : [
          {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text }],
            status: "in_progress",
          },
        ];
  return { ...(isObject(begun) ? begun : {}), output: [...output, ...open] };
}

/** The response in a stream's text: its last event repeats all of it. */
export function joinedResponse(text: string): unknown {
  const chunks = chunksIn(text);
  if (chunks.some(({ finish }) => finish)) return parseJson(foldedResponse(chunks).text);
  const values = objectsIn(chunks);
  return { ...cutResponse(values), ...errorIn(values) };
}
