// OpenAI's embeddings on Vertex AI: `:predict` for text-only models, and `:embedContent` for Gemini models after the first, which accept
// one content per request. Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api,
// /docs/embeddings/get-text-embeddings (limits), and the addresses and bodies of @google/genai 3.1.0

import { isObject } from "#contract/normalise.ts";
import {
  type EmbeddingsShape,
  embeddedIn,
  geminiEmbeddingsAnswer,
  itemsOf,
  memberOf,
  tokenCount,
  tokensOfAnswer,
} from "#providers/gemini/embeddings.ts";
import type { ChatRequest, ParsedAnswer, PreparedRequest } from "#providers/provider.ts";
import { parseJson } from "#providers/translate/json.ts";
import { requestFields } from "#providers/translate/request-fields.ts";

type EmbeddingsRequest = Omit<ChatRequest, "stream">;

/** Maximum number of texts in a request, as documented by Google. */
const maxTexts = 250;
/** It is called with `:predict` like the models before Gemini, with one text at a time. */
const firstOfGemini = "gemini-embedding-001";

const isEmbedContent = (name: string) => name.includes("gemini") && name !== firstOfGemini;

/**
 * The method and the body for the texts. `name`: the model's, without its publisher. Extensions, by Google's names: `task_type`, `title`,
 * `auto_truncate` (Google truncates text that is too long by default).
 */
export function vertexEmbeddingsBody(
  { body }: EmbeddingsRequest,
  name: string,
):
  | { kind: "body"; method: "predict" | "embedContent"; body: object }
  | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const fields = requestFields(body, "Vertex AI");
  const { texts, length } = embeddedIn(fields);
  const max = isEmbedContent(name) || name === firstOfGemini ? 1 : maxTexts;
  if (texts.length > max)
    fields.issue(
      "input",
      `Vertex AI embeds at most ${max} text${max === 1 ? "" : "s"} in a request to this model.`,
    );
  const text = (param: string) => {
    const value = fields.take(param);
    return value === undefined || typeof value === "string"
      ? value
      : fields.issue(param, `\`${param}\` must be a text.`);
  };
  const [task, title] = [text("task_type"), text("title")];
  const cuts = fields.take("auto_truncate");
  if (cuts !== undefined && typeof cuts !== "boolean")
    fields.issue("auto_truncate", "`auto_truncate` must be true or false.");
  const issue = fields.firstIssue();
  if (issue !== null) return issue;
  const more = { ...length, ...(cuts === undefined ? {} : { autoTruncate: cuts }) };
  const titled = title === undefined ? {} : { title };
  if (isEmbedContent(name)) {
    const config = { ...(task === undefined ? {} : { taskType: task }), ...titled, ...more };
    return {
      kind: "body",
      method: "embedContent",
      body: {
        content: { role: "user", parts: [{ text: texts[0] }] },
        ...(Object.keys(config).length === 0 ? {} : { embedContentConfig: config }),
      },
    };
  }
  const about = { ...(task === undefined ? {} : { task_type: task }), ...titled };
  return {
    kind: "body",
    method: "predict",
    body: {
      instances: texts.map((content) => ({ content, ...about })),
      ...(Object.keys(more).length === 0 ? {} : { parameters: more }),
    },
  };
}

/** Each prediction counts its own tokens. */
const predictions: EmbeddingsShape = {
  vectors: (memberAt, max) =>
    itemsOf(memberAt("predictions") ?? "", max).map((prediction) => memberOf(prediction, "embeddings") ?? ""),
  tokens: (memberAt) => {
    const list = memberAt("predictions") ?? "";
    const counts = itemsOf(list, maxTexts).map((prediction) => {
      const statistics = parseJson(
        memberOf(memberOf(prediction, "embeddings") ?? "", "statistics") ?? "null",
      );
      return isObject(statistics) ? tokenCount(statistics.token_count) : null;
    });
    return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
  },
};

const content: EmbeddingsShape = {
  vectors: (memberAt) => [memberAt("embedding") ?? ""],
  tokens: tokensOfAnswer,
};

/** `name`: the model's, without its publisher. */
export const vertexEmbeddingsAnswer = (
  text: string,
  request: EmbeddingsRequest,
  name: string,
): ParsedAnswer => geminiEmbeddingsAnswer(text, request, isEmbedContent(name) ? content : predictions);
