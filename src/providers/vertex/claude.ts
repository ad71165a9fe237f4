// Claude on Vertex AI: Anthropic's own messages, whose model is in the address and whose version is in the body. Links to pictures
// and files are refused there ("URL sources are not supported"), so that another member gets them. Source:
// cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude and its users' reports.

import { isObject } from "#contract/normalise.ts";
import { anthropicBody } from "#providers/anthropic/request.ts";
import type { ChatRequest, PreparedRequest } from "#providers/provider.ts";
import { fieldsIn, parseJson } from "#providers/translate/json.ts";

const version = "vertex-2023-10-16";

/** Whether a model is Claude, by its name alone or behind its publisher. */
export const isClaude = (model: string): boolean =>
  /^(?:publishers\/anthropic\/models\/.|claude\b)/.test(model);

export function claudeBody(
  request: ChatRequest,
): { kind: "body"; body: object } | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const translated = anthropicBody(request, undefined, "");
  if (translated.kind === "unsupported_parameter") return translated;
  const { model: _model, ...body } = translated.body;
  if (fieldsIn(body.messages).some(({ content }) => hasLink(content)))
    return {
      kind: "unsupported_parameter",
      param: "messages",
      message: "Claude on Vertex AI fetches no URL: pictures and files are bytes in a `data:` URL.",
    };
  return { kind: "body", body: { anthropic_version: version, ...body } };
}

/** Whether a block, or one inside the result of a tool, is a link. */
const hasLink = (blocks: unknown): boolean =>
  Array.isArray(blocks) &&
  fieldsIn(blocks).some(
    ({ source, content }) => (isObject(source) && source.type === "url") || hasLink(content),
  );

/** Whether an error is in Anthropic's form; Google's own are in another. */
export function isClaudeError(text: string): boolean {
  const value = parseJson(text);
  return isObject(value) && value.type === "error";
}
