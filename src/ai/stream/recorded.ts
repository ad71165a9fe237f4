// Reads a stream of server-sent events as its client received it, to join it to one answer. A stream that was interrupted, or whose client
// disconnected, is read up to that point.

import { isObject } from "#contract/normalise.ts";
import type { Chunk } from "#providers/provider.ts";
import { parseJson } from "#providers/translate/json.ts";

type Fields = Record<string, unknown>;

/** The events of a stream; a truncated one is left out. */
function eventsOf(text: string): { event: string; data: string }[] {
  const events: { event: string; data: string }[] = [];
  let event = "";
  let data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n") });
      event = "";
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line.startsWith("event:")) event = line.slice(6).trim();
  }
  return events;
}

/** The last event of a stream in the Responses API. */
const finishing: readonly string[] = ["response.completed", "response.incomplete", "response.failed"];

const chunkOf = ({ event, data }: { event: string; data: string }): Chunk => ({
  kind: "chunk",
  text: data,
  event,
  output: false,
  finish: finishing.includes(event),
  usage: null,
  usageOnly: false,
  units: 0,
});

/** The chunks of a stream's text, as `fold` of a format reads them. */
export const chunksIn = (text: string): Chunk[] => eventsOf(text).map(chunkOf);

/** The objects in the events. */
export const objectsIn = (chunks: readonly { text: string }[]): Fields[] =>
  chunks.map(({ text }) => parseJson(text)).filter(isObject);

/** The error that ended a stream, as a field `error`; no field if there was none. */
export function errorIn(values: readonly Fields[]): Fields {
  const last = values.findLast(({ error, type }) => isObject(error) || type === "error");
  if (last === undefined) return {};
  return { error: isObject(last.error) ? last.error : last };
}
