// OpenAI's Responses API for clients that speak it themselves: requests and answers are forwarded and read only as far as the gateway
// needs. Source: platform.openai.com/docs/api-reference/responses-streaming

import { membersOf, withMembers } from "#contract/json-text.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame } from "#providers/failure/vendor-failure.ts";
import type {
  Chunk,
  Failure,
  NativeRequest,
  ParsedAnswer,
  SealedReasoning,
  StreamPiece,
  StreamReader,
  Usage,
  VendorEvent,
} from "#providers/provider.ts";
import { fieldsIn, parseExactly, parseJson, textOf } from "#providers/translate/json.ts";
import { isPacked } from "#providers/translate/reasoning-details.ts";
import { untilEnd } from "#providers/translate/stream-reader.ts";
import { openaiFailure } from "./failure.ts";
import { readUsage } from "./stream.ts";

/** Thoughts that only the member that produced them could look up, if it had stored them. */
const isUnsealed = (item: unknown) =>
  isObject(item) && item.type === "reasoning" && typeof item.encrypted_content !== "string";

const sealedIn = (items: unknown, types: readonly string[]): string[] =>
  fieldsIn(items).flatMap(({ type, encrypted_content: content }) =>
    types.includes(textOf(type)) && typeof content === "string" && !isPacked(content) ? [content] : [],
  );

/** Whether the sealed reasoning in the request comes from another organization, project or deployment of OpenAI's. */
export const isSealRefusal = ({ error }: Failure): boolean => error.code === "invalid_encrypted_content";

/** Thoughts of another vendor's model, which a translated answer has packed. */
const isPackedItem = (item: unknown) =>
  isObject(item) && item.type === "reasoning" && isPacked(item.encrypted_content);

/** The sealed items in a whole answer, or in an event with an item or with the whole answer. */
function sealedMade(text: string): string[] {
  if (!text.includes('"encrypted_content"')) return [];
  const value = parseJson(text);
  if (!isObject(value)) return [];
  const response = isObject(value.response) ? value.response : value;
  const items = isObject(value.item) && value.type === "response.output_item.done" ? [value.item] : [];
  return sealedIn([...items, ...fieldsIn(response.output)], ["reasoning", "compaction"]);
}

/** Sealed thoughts and compacted conversations. */
export const responsesSealed: SealedReasoning = {
  sharedBy: null,
  field: "input",
  in: ({ input }) => sealedIn(input, ["reasoning"]),
  essential: ({ input }) => sealedIn(input, ["compaction"]),
  made: sealedMade,
  isRefusal: isSealRefusal,
};

/** Parameters for which OpenAI counts tokens: that operation does not know the others. */
const counted: readonly string[] = [
  "model",
  "input",
  "instructions",
  "parallel_tool_calls",
  "personality",
  "reasoning",
  "text",
  "tool_choice",
  "tools",
  "truncation",
];

/** The text of a request for the token count of a request. */
export function countedBody(request: Pick<NativeRequest, "text" | "body" | "model">): string {
  const other = Object.keys(request.body).filter((name) => !counted.includes(name));
  const changes = Object.fromEntries(other.map((name) => [name, undefined]));
  return withMembers(responsesBody({ ...request, stores: false }), changes);
}

/** Items that OpenAI accepts only with their reasoning, as long as they have the ids of its answer. */
const followers: readonly unknown[] = ["message", "function_call", "custom_tool_call"];

/** The items without the reasoning that the member cannot open, and without the ids that would require it. */
function withoutReasoning(items: readonly unknown[], foreign: ReadonlySet<string>): unknown[] {
  let isGone = false;
  return items.flatMap((item) => {
    if (!isObject(item)) return [item];
    if (item.type === "reasoning") {
      const { encrypted_content: seal } = item;
      isGone = typeof seal !== "string" || foreign.has(seal) || isPacked(seal);
      return isGone ? [] : [item];
    }
    if (!isGone || !followers.includes(item.type) || !Object.hasOwn(item, "id")) return [item];
    const { id: _id, ...rest } = item;
    return [rest];
  });
}

const nothing: ReadonlySet<string> = new Set();

/**
 * The client's text for a member: with its model name, without another upstream, and not stored, since the next call may be sent to another
 * member. For the same reason, thoughts that are not sealed in the request are removed, and so are sealed ones in `foreign`. `stores`: the
 * operation stores its answer unless the request says otherwise.
 */
export function responsesBody({
  text,
  body,
  model,
  foreign = nothing,
  stores = true,
}: Pick<NativeRequest, "text" | "body" | "model" | "foreign"> & { stores?: boolean }): string {
  const changes: Record<string, string | undefined> = {
    model: JSON.stringify(model),
    base_url: undefined,
    api_base: undefined,
  };
  // Only operations that create a response have this parameter.
  if (!stores) changes.store = undefined;
  else if (body.store !== false) changes.store = "false";
  const hasForeign = foreign.size > 0 || (Array.isArray(body.input) && body.input.some(isPackedItem));
  if (hasForeign || (Array.isArray(body.input) && body.input.some(isUnsealed))) {
    const exact = parseExactly(text);
    const input = isObject(exact) && Array.isArray(exact.input) ? exact.input : [];
    changes.input = JSON.stringify(
      hasForeign ? withoutReasoning(input, foreign) : input.filter((item) => !isUnsealed(item)),
    );
  }
  return withMembers(text, changes);
}

function usageIn(response: Fields): Usage | null {
  const { usage } = response;
  if (!isObject(usage)) return null;
  return readUsage({
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: usage.input_tokens_details,
    completion_tokens_details: usage.output_tokens_details,
  });
}

/** An error of this API: next to its type, in the answer, or as in other APIs. */
export function failureIn(value: Fields): Failure {
  const response = isObject(value.response) ? value.response : {};
  const error = [value.error, response.error, value].find(isObject) ?? {};
  return openaiFailure(200, {}, JSON.stringify({ error }), 0);
}

/** A whole answer, unchanged. */
export function responsesAnswer(text: string): ParsedAnswer {
  const value = parseJson(text);
  if (!isObject(value)) return badAnswer("The provider's answer is not JSON, or too large to read.");
  if (isObject(value.error) || value.status === "failed")
    return { kind: "failure", failure: failureIn(value) };
  if (!Array.isArray(value.output)) return badAnswer("The provider's answer has no output.");
  const output = fieldsIn(value.output).length > 0 || value.status === "incomplete";
  return { kind: "answer", text, output, usage: usageIn(value) };
}

/**
 * Items whose beginning is output: calls. A message is output once it has text; reasoning, which may take minutes of silence, is output
 * only through its summary.
 */
const isCall = (item: unknown) => isObject(item) && item.type !== "message" && item.type !== "reasoning";
const isReasoning = (item: unknown) => isObject(item) && item.type === "reasoning";

/** Reads the events of a stream as they are passed on. */
export function responsesStream(): StreamReader {
  let thinking = false;

  const read = ({ event: name, data }: VendorEvent): StreamPiece[] => {
    if (data.trim() === "" || data.trim() === "[DONE]") return [];
    const value = parseJson(data);
    if (!isObject(value)) return [badFrame("The provider sent a frame that is no event.")];
    const type = textOf(value.type) || (name ?? "");
    if (type === "keepalive") return [];
    if (type === "error" || type === "response.failed" || isObject(value.error))
      return [{ kind: "failure", failure: failureIn(value) }];
    if (!/^[\w.]{1,100}$/.test(type)) return [badFrame("The provider sent a frame that is no event.")];
    const finish = type === "response.completed" || type === "response.incomplete";
    const units = type.endsWith(".delta") ? textOf(value.delta).length : 0;
    const response = isObject(value.response) ? value.response : {};
    if (type === "response.output_item.added") thinking = isReasoning(value.item);
    else if (finish || (type === "response.output_item.done" && isReasoning(value.item))) thinking = false;
    const chunk: StreamPiece = {
      kind: "chunk",
      text: data.includes("\n") ? data.replaceAll("\n", " ") : data,
      event: type,
      output:
        units > 0 ||
        (type === "response.output_item.done" && !isReasoning(value.item)) ||
        (type === "response.output_item.added" && isCall(value.item)) ||
        (finish && (type === "response.incomplete" || fieldsIn(response.output).length > 0)),
      finish,
      usage: finish ? usageIn(response) : null,
      usageOnly: false,
      units,
    };
    return finish ? [chunk, { kind: "done" }] : [chunk];
  };

  return { push: untilEnd(read), thinking: () => thinking };
}

/** The text of an object's member; null if it has none of that name. */
function memberText(text: string, name: string): string | null {
  const member = membersOf(text).find(({ key }) => key === name);
  return member === undefined ? null : text.slice(member.valueStart, member.end);
}

/**
 * The whole answer that the last event of a complete stream repeats, in its original spelling. Some servers leave its items out there: then
 * the items of the preceding events are used.
 */
export function foldedResponse(chunks: readonly Chunk[]): { text: string; usage: Usage | null } {
  const last = chunks.findLast(({ finish }) => finish);
  const response = last === undefined ? null : memberText(last.text, "response");
  if (last === undefined || response === null) return { text: "{}", usage: null };
  const output = memberText(response, "output");
  if (output !== null && !/^\[\s*\]$/.test(output)) return { text: response, usage: last.usage };
  const items = chunks.flatMap(({ event, text }) =>
    event === "response.output_item.done" ? (memberText(text, "item") ?? []) : [],
  );
  return { text: withMembers(response, { output: `[${items.join(",")}]` }), usage: last.usage };
}
