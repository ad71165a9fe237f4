// Translates a chat completion to an answer of OpenAI's Responses API: its items, usage and envelope.

import { AnswerThoughts } from "#ai/apis/answer-thoughts.ts";
import type { AnswerRules } from "#ai/apis/api-request.ts";
import { type AnswerPicture, type Counts, callIds, readChat } from "#ai/apis/chat-answer.ts";
import type { ToolName, ToolNames } from "#ai/apis/tool-names.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { parseExactly, textOf } from "#providers/translate/json.ts";
import { packed, sealOf } from "#providers/translate/reasoning-details.ts";
import { hasMaker, isUnsealed } from "#providers/translate/unsealed-thoughts.ts";

/** What the answer depends on besides the completion. */
export interface ResponseRules extends Pick<AnswerRules, "model" | "created" | "maker"> {
  /** The id of this answer; also the stem of item ids and of ids for calls whose vendor gave no id that other vendors accept. */
  stem: string;
  names: ToolNames;
  /** The request; the answer repeats parts of it. */
  body: Fields;
  /** It ran in the background. */
  background?: boolean;
}

type Picture = Exclude<AnswerPicture, { url: string }>;

export type Item = { type: string; id: string } & Record<string, unknown>;

export const callIdsOf = (stem: string) => callIds("call_", stem);

/**
 * A custom tool's input, from the arguments of the function that replaced it. Models that were trained on the tool choose their own name
 * for its only parameter (`patch`), or write only the text as JSON.
 */
function customInput(text: string): string {
  const value = parseExactly(text);
  if (typeof value === "string") return value;
  if (!isObject(value)) return text;
  const values = Object.values(value);
  const [only] = values;
  if (values.length === 1 && typeof only === "string") return only;
  return typeof value.input === "string" ? value.input : text;
}

/** The item of a call. `text`: its arguments. */
export function callItem(
  { kind, name, namespace }: ToolName,
  callId: string,
  itemId: string,
  text: string,
  status: "in_progress" | "completed",
): Item {
  const where = namespace === null || namespace === "functions" ? {} : { namespace };
  switch (kind) {
    case "function":
      return {
        type: "function_call",
        id: `fc_${itemId}`,
        call_id: callId,
        name,
        ...where,
        arguments: text,
        status,
      };
    case "custom":
      return {
        type: "custom_tool_call",
        id: `ctc_${itemId}`,
        call_id: callId,
        name,
        ...where,
        input: text === "" ? "" : customInput(text),
        status,
      };
    case "tool_search": {
      const value = text === "" ? {} : parseExactly(text);
      return {
        type: "tool_search_call",
        id: `tsc_${itemId}`,
        call_id: callId,
        execution: "client",
        arguments: isObject(value) ? value : {},
        status,
      };
    }
  }
}

export function messageItem(itemId: string, content: readonly object[], status: string): Item {
  return { type: "message", id: `msg_${itemId}`, role: "assistant", status, content };
}

/** `details`: signed and sealed thoughts, for the client to send back. */
export function reasoningItem(itemId: string, text: string, details: readonly Fields[] = []): Item {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  const seal = details.length === 0 ? {} : { encrypted_content: packed(details) };
  return { type: "reasoning", id: `rs_${itemId}`, summary, ...seal };
}

/**
 * The thoughts that the client has to send back: if it requested them, and if the item shows the thoughts anyway, since their maker refuses
 * a conversation without them.
 */
export function includedDetails({ include }: Fields, details: readonly Fields[]): readonly Fields[] {
  if (details.some(isUnsealed)) return details;
  const isIncluded = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  const isReturned = details.some((detail) => sealOf(detail) !== "" || hasMaker(detail));
  return isIncluded && isReturned ? details : [];
}

/** The item of an image, in the form of OpenAI's image tool; `picture` is null while it is incomplete. */
export function pictureItem(itemId: string, picture: Picture | null): Item {
  return {
    type: "image_generation_call",
    id: `ig_${itemId}`,
    status: picture === null ? "in_progress" : "completed",
    ...(picture === null ? {} : { output_format: picture.mediaType.replace("image/", "") }),
    result: picture?.base64 ?? null,
  };
}

/** An image that its vendor sent as a link has no item: it becomes text. */
export const linkText = (pictures: readonly AnswerPicture[]): string =>
  pictures.flatMap((picture) => ("url" in picture ? [`![picture](${picture.url})`] : [])).join("\n");

/** `logprobs`: those of its tokens. */
export const textPart = (text: string, logprobs: readonly Fields[] = []) => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs,
});
export const refusalPart = (refusal: string) => ({ type: "refusal", refusal });

function responseUsage({ input, output, cached, reasoning }: Counts): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The reason why an answer is incomplete, or an unknown reason. Null if it is complete. */
function incompleteReason(finish: string | null): string | null {
  if (finish === "length") return "max_output_tokens";
  return finish === "stop" || finish === "tool_calls" ? null : finish;
}

/** The envelope around the items. Nothing is stored to build on later, so `store` is false, even if the request asked for it. */
export function envelope(
  { stem, model, created, body, background = false }: Omit<ResponseRules, "names">,
  status: string,
  output: readonly Item[],
  more: Fields = {},
): Fields {
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  return {
    id: `resp_${stem}`,
    object: "response",
    created_at: created,
    status,
    background,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: body.max_output_tokens ?? null,
    model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    store: false,
    temperature: body.temperature ?? null,
    text: isObject(body.text) ? body.text : { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: [],
    top_p: body.top_p ?? null,
    truncation: textOf(body.truncation) || "disabled",
    usage: null,
    metadata: isObject(body.metadata) ? body.metadata : {},
    ...more,
  };
}

/** The fields that the end of an answer adds to its envelope. */
export function ending(finish: string | null, counts: Counts | null): { status: string; more: Fields } {
  const reason = incompleteReason(finish);
  return {
    status: reason === null ? "completed" : "incomplete",
    more: {
      incomplete_details: reason === null ? null : { reason },
      usage: counts === null ? null : responseUsage(counts),
    },
  };
}

/** Returns a Responses API answer as JSON, from the JSON of a chat completion. */
export function responseOf(text: string, rules: ResponseRules): string {
  const chat = readChat(text);
  const { text: content, reasoning, refusal, pictures, calls, finish, counts } = chat;
  const { stem, names, body, maker } = rules;
  const thoughts = new AnswerThoughts(maker);
  thoughts.add(chat);
  const idOf = callIdsOf(stem);
  const output: Item[] = [];
  const included = includedDetails(body, thoughts.take());
  const visibleText = [content, linkText(pictures)].filter((part) => part !== "").join("\n");
  if (reasoning !== "" || included.length > 0) output.push(reasoningItem(`${stem}_0`, reasoning, included));
  if (visibleText !== "" || refusal !== "") {
    const parts = [
      ...(visibleText === "" ? [] : [textPart(visibleText, chat.logprobs)]),
      ...(refusal === "" ? [] : [refusalPart(refusal)]),
    ];
    output.push(messageItem(`${stem}_${output.length}`, parts, "completed"));
  }
  for (const picture of pictures)
    if ("base64" in picture) output.push(pictureItem(`${stem}_${output.length}`, picture));
  for (const call of calls) {
    const itemId = `${stem}_${output.length}`;
    output.push(callItem(names.find(call.name), idOf(call.id), itemId, call.arguments, "completed"));
  }
  const { status, more } = ending(finish, counts);
  return JSON.stringify(envelope(rules, status, output, more));
}
