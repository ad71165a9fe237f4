// What is special about a request, so that a server that fails at one kind of request keeps receiving the others; and which failures may be
// about the request at all if their cause is not known.

import { plainKind } from "#ai/health/failing-kinds.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { isObject } from "#contract/normalise.ts";
import type { Failure } from "#providers/provider.ts";
import { fieldsIn, textOf } from "#providers/translate/json.ts";
import type { AnswerMode, FailoverCall } from "./call.ts";

const partNames: Readonly<Record<string, string>> = {
  image_url: "pictures",
  image: "pictures",
  input_image: "pictures",
  input_audio: "sound",
  audio_url: "sound",
  audio: "sound",
  video_url: "video",
  video: "video",
  input_video: "video",
  file: "files",
  input_file: "files",
  document: "files",
};
/** Parts and items that occur in every conversation, or in one with tools or thoughts. */
const plainParts: readonly string[] = ["", "text", "input_text", "output_text", "message"];
/** Parameters that request another form of answer. */
const formNames: readonly string[] = [
  "response_format",
  "text",
  "output_config",
  "output_format",
  "generationConfig",
  "logprobs",
  "n",
];
const chatModes: readonly AnswerMode[] = ["chat", "stream", "buffered", "folded"];
/** Estimated tokens from which a prompt counts as long, and the factor between two sizes of long prompts. */
const longTokens = 4_096;
const sizeFactor = 4;

/** The request's kind: the names of its special features; empty if it has none. */
export function requestKind({ api, body, mode, promptTokens }: FailoverCall): string {
  const size =
    promptTokens < longTokens
      ? 0
      : 1 + Math.floor(Math.log(promptTokens / longTokens) / Math.log(sizeFactor));
  const names = new Set<string>(size === 0 ? [] : [`size ${size}`]);
  if (!chatModes.includes(mode)) return [mode, ...names].join(", ");
  const { messages, tools } = api.estimated;
  if (Array.isArray(tools) && tools.length > 0) names.add("tools");
  for (const name of formNames) if (Object.hasOwn(body, name)) names.add(name);
  let before = "";
  for (const message of fieldsIn(messages)) {
    const role = textOf(message.role);
    if (role === "tool" || message.tool_calls !== undefined) names.add("tools");
    // Some templates accept turns in only one order.
    const isAgain = role !== "" && role !== "tool" && role === before;
    if (isAgain || role === "developer" || (role === "assistant" && before === "")) names.add("roles");
    before = role === "system" || role === "" ? "" : role;
    for (const name of partsOf(message)) names.add(name);
  }
  if (before === "assistant") names.add("roles");
  return names.size === 0 ? plainKind : [...names].sort().join(", ");
}

function* partsOf({ type, content, parts }: Record<string, unknown>): Generator<string> {
  const all = [{ type }, ...fieldsIn(content), ...fieldsIn(parts)];
  for (const part of all) {
    const name = textOf(part.type);
    if (plainParts.includes(name)) continue;
    yield Object.hasOwn(partNames, name) ? (partNames[name] ?? "parts") : "parts";
    if (Array.isArray(part.content))
      for (const inner of fieldsIn(part.content)) yield* partsOf({ type: inner.type });
  }
  if (isObject(content)) yield "parts";
}

/** Codes of failures that the gateway itself inferred, not the vendor; a reset is not among them. */
export const ownCodes: readonly string[] = [
  "upstream_unreachable",
  "upstream_timeout",
  "url_not_allowed",
  "bad_upstream_answer",
  "empty_answer",
  "malformed_frame",
];

/** Statuses with which a running server answers a single request; 200: an error inside an answer. */
const statuses: readonly number[] = [200, 424, 500, 501];

/** Errors inside an answer that concern the whole server. */
const ofServer = /^5(?:0[2-9]|[1-9]\d)$|overload|unavailable/i;

/** Whether the error that the server itself answered may be limited to this kind of request or this model. */
const isOfRequest = ({ kind, status, error }: Failure): boolean =>
  kind === "upstream_error" &&
  statuses.includes(status) &&
  !ofServer.test(error.code ?? "") &&
  !ofServer.test(error.type) &&
  error.code !== "upstream_cut" &&
  !ownCodes.includes(error.code ?? "");

/**
 * Records the failure for the request's kind at its model and does not count it against the member. False if it does say something about
 * the member, because the request has no special features or because it has failed at other models too.
 */
export function failedAtKind(
  { member, model }: Choice<Member>,
  call: FailoverCall,
  failure: Failure,
  isRepeat: boolean,
  now: number,
): boolean {
  const { failing, isOpen } = member.health;
  if (isOpen || !isOfRequest(failure)) return false;
  const kind = requestKind(call);
  if (kind === plainKind && member.models.length === 1) return false;
  if (!isRepeat) failing.failed(model, kind, now);
  return kind !== plainKind || failing.failingModels(now) < 2;
}

/** The members in order; those at whose model requests of this kind fail come last. */
export function restingLast(
  ordered: readonly Choice<Member>[],
  call: FailoverCall,
  now: number,
): readonly Choice<Member>[] {
  if (ordered.every(({ member }) => member.health.failing.isEmpty)) return ordered;
  const kind = requestKind(call);
  const rests = ({ member, model }: Choice<Member>) => member.health.failing.isResting(model, kind, now);
  return [...ordered.filter((choice) => !rests(choice)), ...ordered.filter(rests)];
}

/** The member has answered a request of this kind. */
export function answeredKind({ member, model }: Choice<Member>, call: FailoverCall): void {
  const { failing } = member.health;
  if (!failing.isEmpty) failing.answered(model, requestKind(call));
}
