// Embeddings of more texts than a vendor accepts in one request: several requests to the member, one after another, and one answer in the
// order of the texts. OpenAI's clients send up to 2,048 in one request.

import { objectAt } from "#contract/json-text.ts";
import type { ChatRequest, Usage } from "#providers/provider.ts";
import { parseJson } from "#providers/translate/json.ts";

interface Whole {
  kind: "answer";
  text: string;
  usage: Usage | null;
}

/** The request split into parts of at most `max` texts. Null if it fits into one. */
export function embeddingParts(request: ChatRequest, max: number | undefined): ChatRequest[] | null {
  const { input } = request.body;
  if (max === undefined || !Array.isArray(input) || input.length <= max) return null;
  const parts: ChatRequest[] = [];
  for (let first = 0; first < input.length; first += max) {
    const body = { ...request.body, input: input.slice(first, first + max) };
    parts.push({ ...request, text: JSON.stringify(body), body });
  }
  return parts;
}

/** Requests each part in turn. The first failure is the result. */
export async function askParts<Result extends { kind: string }>(
  parts: readonly ChatRequest[],
  ask: (part: ChatRequest) => Promise<Result | Whole>,
): Promise<Result | Whole> {
  const answers: Whole[] = [];
  for (const part of parts) {
    const result = await ask(part);
    if (!isWhole(result)) return result;
    answers.push(result);
  }
  return joined(answers);
}

const isWhole = (result: { kind: string }): result is Whole => result.kind === "answer";

/** Maximum number of members of an answer, and of one of its embeddings. */
const maxMembers = 100;

/** One answer. Vectors are copied as text: printing their numbers again would take seconds. */
function joined(answers: readonly Whole[]): Whole {
  const [first] = answers;
  if (first === undefined) throw new Error("There are no parts to join.");
  const lists: string[] = [];
  let index = 0;
  for (const { text } of answers) {
    const list = memberOf(text, "data").slice(1, -1);
    // Each embedding begins with its index within the part.
    lists.push(list.replaceAll(/"index":\d{1,6},"embedding":/g, () => `"index":${index++},"embedding":`));
  }
  const usages = answers.map(({ usage }) => usage);
  const usage = usages.every((one) => one !== null) ? sumOf(usages) : null;
  const counted =
    usage === null
      ? ""
      : `,"usage":{"prompt_tokens":${usage.promptTokens},"total_tokens":${usage.totalTokens}}`;
  const model = JSON.stringify(parseJson(memberOf(first.text, "model")));
  return {
    kind: "answer",
    text: `{"object":"list","data":[${lists.join(",")}],"model":${model}${counted}}`,
    usage,
  };
}

function memberOf(text: string, key: string): string {
  const found = objectAt(text, 0, maxMembers).members.find((member) => member.key === key);
  return found === undefined ? "" : text.slice(found.valueStart, found.end);
}

const sumOf = (usages: readonly Usage[]): Usage => ({
  promptTokens: usages.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
  completionTokens: 0,
  totalTokens: usages.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
});
