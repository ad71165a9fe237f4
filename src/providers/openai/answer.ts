// Reads whole answers in OpenAI's form as far as the gateway needs: whether they contain output, their usage, and errors. The text itself
// is passed on. Log probabilities and vectors may legitimately exceed the parsing limits; they are passed on without being parsed.

import { listAt, objectAt, valueEnd } from "#contract/json-text.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { badAnswer } from "#providers/failure/vendor-failure.ts";
import type { ParsedAnswer } from "#providers/provider.ts";
import { brokenOff } from "#providers/translate/finish-reasons.ts";
import { parseAnswerExactly, parseJson } from "#providers/translate/json.ts";
import { rightedChoices } from "./called.ts";
import { openaiFailure } from "./failure.ts";
import { hasOutput, readUsage } from "./stream.ts";

/** Maximum number of top-level members, or of choices, in an answer. */
const maxMembers = 1000;
const maxChoices = 1024;
/**
 * UTF-16 units of texts whose log probabilities are skipped: shorter texts are within the parsing limits, and 4,096 tokens with twenty
 * alternatives each fill the longest.
 */
const minSkippedText = 64 * 1024;
const maxSkippedText = 8 * 1024 * 1024;
/** Answers with vectors below this length, UTF-16 units, are parsed whole. */
const maxParsedVectors = 1024 * 1024;
/** Maximum number of brackets and quotes of each kind in an answer with vectors: a dozen for each of a request's 2,048 texts. */
const maxMarks = 200_000;

const messageOf = (choice: Fields): unknown => choice.message;

/** A chat completion of OpenAI's format, from its JSON. */
export const openaiAnswer = (text: string): ParsedAnswer => answerWith(text, messageOf);

/** An answer with choices, from its JSON. `contentOf`: the content of a choice, as a message. */
export function answerWith(text: string, contentOf: (choice: Fields) => unknown): ParsedAnswer {
  const whole = text.includes('"tool_calls"') ? parseAnswerExactly(text) : parseJson(text);
  const value = whole ?? parseJson(withoutLogprobs(text));
  if (!isObject(value)) return badAnswer("The provider's answer is not JSON, or too large to read.");
  if (value.error !== undefined && value.error !== null) {
    return { kind: "failure", failure: openaiFailure(200, {}, text, 0) };
  }
  if (!Array.isArray(value.choices)) return badAnswer("The provider's answer has no choices.");
  const choices = value.choices.filter(isObject);
  // OpenRouter reports errors during generation here.
  const failed = choices.find((choice) => isObject(choice.error));
  if (failed) return { kind: "failure", failure: openaiFailure(200, {}, JSON.stringify(failed), 0) };
  for (const { finish_reason: reason } of choices) {
    const failure = brokenOff(reason);
    if (failure !== null) return { kind: "failure", failure };
  }
  const usage = readUsage(value.usage);
  // Without choices there is no output, even with tokens in the usage.
  const counted = choices.length > 0 && (usage?.completionTokens ?? 0) > 0;
  const output = counted || choices.some((choice) => hasOutput(contentOf(choice), choice.finish_reason));
  const righted = whole === undefined ? null : rightedChoices(choices);
  const read = righted === null ? text : JSON.stringify({ ...value, choices: righted });
  return { kind: "answer", text: read, output, usage };
}

/** An answer of OpenAI's embeddings, from its JSON. */
export function openaiEmbeddings(text: string): ParsedAnswer {
  const value = parseJson(text.length < maxParsedVectors ? text : withoutVectors(text));
  if (!isObject(value) || !Array.isArray(value.data)) {
    return isObject(value) && value.error
      ? { kind: "failure", failure: openaiFailure(200, {}, text, 0) }
      : badAnswer("The provider's answer has no embeddings.");
  }
  return { kind: "answer", text, output: value.data.length > 0, usage: readUsage(value.usage) };
}

/**
 * The text without the `logprobs` of its choices, in one pass: each token may list twenty alternatives, each with its bytes. Empty if there
 * are none.
 */
function withoutLogprobs(body: string): string {
  if (body.length < minSkippedText || body.length > maxSkippedText) return "";
  const text = body.trimStart();
  const left: Part[] = [];
  const choiceEnd = (at: number) => {
    const { members, end } = objectAt(text, at, maxMembers);
    for (const { key, valueStart, end: behind } of members)
      if (key === "logprobs") left.push({ start: valueStart, end: behind });
    return end;
  };
  const top = objectAt(text, 0, maxMembers, (key, at) =>
    key === "choices" ? listAt(text, at, maxChoices, choiceEnd).end : valueEnd(text, at),
  );
  return top.members.length < maxMembers && left.length > 0 ? without(text, left, "null") : "";
}

/** The text without the vectors in the top-level `data`; empty if there are none. */
function withoutVectors(body: string): string {
  if (!isSparse(body)) return "";
  const text = body.trimStart();
  const { members } = objectAt(text, 0, maxMembers);
  const data = members.filter(({ key }) => key === "data");
  if (members.length >= maxMembers || data.length !== 1) return "";
  const [{ valueStart, end } = { valueStart: 0, end: 0 }] = data;
  const some = listAt(text, valueStart, 1).items.length > 0;
  return without(text, [{ start: valueStart, end }], some ? "[null]" : "[]");
}

interface Part {
  start: number;
  end: number;
}

/** Replaces each of the parts, in order. */
function without(text: string, parts: readonly Part[], by: string): string {
  let result = "";
  let copied = 0;
  for (const { start, end } of parts) {
    result += text.slice(copied, start) + by;
    copied = end;
  }
  return result + text.slice(copied);
}

/** Whether the text consists almost entirely of numbers or long strings, which are quick to skip. */
function isSparse(text: string): boolean {
  for (const mark of ["{", "[", '"']) {
    let times = 0;
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      times += 1;
      if (times > maxMarks) return false;
    }
  }
  return true;
}
