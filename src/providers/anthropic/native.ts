// Anthropic's Messages API for clients that speak it themselves: requests and answers are forwarded and read only as far as the gateway
// needs. Source: platform.claude.com/docs/en/build-with-claude/streaming, code.claude.com/docs/en/llm-gateway-protocol

import { withMembers } from "#contract/json-text.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer, badFrame } from "#providers/failure/vendor-failure.ts";
import type { NativeRequest, ParsedAnswer, StreamPiece, StreamReader, Usage } from "#providers/provider.ts";
import { usageOf } from "#providers/translate/completion.ts";
import { brokenOff } from "#providers/translate/finish-reasons.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";
import { countedOf, isEmptyTurn, isThinking, mergeUsage } from "./answer.ts";
import { anthropicError } from "./failure.ts";
import { withoutForeignThinking } from "./sealed-thinking.ts";

/**
 * The client's text with the member's model name, and without fields that choose another upstream. `more`: additional members to set or,
 * with undefined, to remove.
 */
export function forwardedBody(
  { text, model, foreign }: Pick<NativeRequest, "text" | "model" | "foreign">,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const changes = { model: JSON.stringify(model), base_url: undefined, api_base: undefined, ...more };
  return withMembers(withoutForeignThinking(text, foreign), changes);
}

/** The member's headers and the client's. Betas of both are requested; the client's version takes precedence. */
export function forwardedHeaders(
  own: Readonly<Record<string, string>>,
  client: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in own) headers[name.toLowerCase()] = own[name] ?? "";
  const { "anthropic-beta": ownBetas } = headers;
  for (const name in client)
    if (name === "anthropic-version" || headers[name] === undefined) headers[name] = client[name] ?? "";
  const betas = [client["anthropic-beta"], ownBetas].filter((names) => names !== undefined);
  if (betas.length > 0) headers["anthropic-beta"] = [...new Set(betas.flatMap(listed))].join(",");
  return headers;
}

const listed = (names: string) =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

function reported(usage: Fields): Usage | null {
  const counted = countedOf(usage);
  return counted && usageOf(counted);
}

/** A whole message, unchanged. */
export function forwardedAnswer(text: string): ParsedAnswer {
  const value = parseJson(text);
  if (!isObject(value)) return badAnswer("Anthropic's answer is not a JSON object.");
  if (value.type === "error" || isObject(value.error))
    return { kind: "failure", failure: anthropicError(200, value, null) };
  if (!Array.isArray(value.content)) return badAnswer("Anthropic's answer has no content.");
  const reason = textOf(value.stop_reason);
  if (reason === "") return badAnswer("Anthropic's answer has no stop reason.");
  const broken = brokenOff(reason);
  if (broken !== null) return { kind: "failure", failure: broken };
  const output =
    fieldsIn(value.content).length > 0 || reason !== "end_turn" || isEmptyTurn(reason, value.usage);
  return { kind: "answer", text, output, usage: reported(mergeUsage({}, value.usage)) };
}

/** Number of units of text, thoughts or arguments in a delta. */
function unitsOf(delta: Fields): number {
  return textOf(delta.text).length + textOf(delta.thinking).length + textOf(delta.partial_json).length;
}

/** Reads the events of a stream as they are passed on. Nothing is read after an error or the end. */
export function forwardedStream(): StreamReader {
  let usage: Fields = {};
  let started = false;
  let finished = false;
  let over = false;
  /** A thinking block is open, during which the model may be silent for minutes. */
  let thinking = false;
  let thought = false;

  const read = (name: string | null, data: string): StreamPiece[] => {
    const value = parseJson(data);
    const type = isObject(value) && typeof value.type === "string" ? value.type : (name ?? "");
    // The client gets pings from the gateway: the vendor's may be sent before there is any output.
    if (type === "ping") return [];
    if (type === "error" || (isObject(value) && isObject(value.error)))
      return [{ kind: "failure", failure: anthropicError(200, value, null) }];
    if (!isObject(value) || !/^\w{1,64}$/.test(type))
      return [badFrame("Anthropic sent a frame that is no event.")];
    if (type === "message_stop")
      return finished ? [{ kind: "done" }] : [badFrame("Anthropic's stream ended without a stop reason.")];
    if (!started && type !== "message_start")
      return [badFrame("Anthropic's stream did not begin with its message.")];
    started = true;
    const message = isObject(value.message) ? value.message : {};
    const delta = isObject(value.delta) ? value.delta : {};
    const block = isObject(value.content_block) ? value.content_block : {};
    const counted = type === "message_start" ? message.usage : value.usage;
    if (counted !== undefined) usage = mergeUsage(usage, counted);
    const reason = type === "message_delta" ? textOf(delta.stop_reason) : "";
    const broken = brokenOff(reason);
    if (broken !== null) return [{ kind: "failure", failure: broken }];
    const finish = reason !== "";
    if (finish) finished = true;
    const units = unitsOf(delta);
    if (type === "content_block_start") thinking = isThinking(block);
    else if (type === "content_block_stop" || finish) thinking = false;
    thought ||= thinking;
    return [
      {
        kind: "chunk",
        text: data.includes("\n") ? data.replaceAll("\n", " ") : data,
        event: type,
        output:
          units > 0 ||
          (finish && (reason !== "end_turn" || thought || isEmptyTurn(reason, value.usage))) ||
          (type === "content_block_start" && block.type !== "text" && !thinking),
        finish,
        usage: counted === undefined ? null : reported(usage),
        usageOnly: false,
        units,
      },
    ];
  };

  return {
    push: ({ event, data }) => {
      if (over || data.trim() === "") return [];
      const pieces = read(event, data);
      if (pieces.some(({ kind }) => kind !== "chunk")) over = true;
      return pieces;
    },
    thinking: () => thinking,
  };
}
