// Claude on Vertex AI: Anthropic's own messages, with the model in the address and the version in the body. Links to images and files are
// refused there ("URL sources are not supported"), so another member receives them. Source:
// cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude, …/claude/count-tokens, its users' reports, and for betas
// (a header) and thoughts (the same as Anthropic's) platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, …/extended-thinking

import { isObject } from "#contract/normalise.ts";
import { foldedMessage } from "#providers/anthropic/fold.ts";
import { forwardedAnswer, forwardedBody, forwardedStream } from "#providers/anthropic/native.ts";
import { anthropicBody } from "#providers/anthropic/request.ts";
import { anthropicUrl, sealedThinking } from "#providers/anthropic/sealed-thinking.ts";
import { unfoldedMessage } from "#providers/anthropic/unfold.ts";
import type {
  ChatRequest,
  NativeApi,
  NativeRequest,
  PreparedRequest,
  VendorRequest,
} from "#providers/provider.ts";
import { fieldsIn, parseJson } from "#providers/translate/json.ts";

const version = "vertex-2023-10-16";

/** Whether a model is Claude, with or without its publisher in front of the name. */
export const isClaude = (model: string): boolean =>
  /^(?:publishers\/anthropic\/models\/.|claude\b)/.test(model);

/** A model's name without its publisher, which precedes it in the list of models. */
export const ownName = (model: string): string =>
  /^publishers\/(?:google|anthropic)\/models\/(.+)$/s.exec(model)?.[1] ?? model;

export function claudeBody(
  request: ChatRequest,
):
  | { kind: "body"; body: object; adapted: readonly string[] }
  | Extract<PreparedRequest, { kind: "unsupported_parameter" }> {
  const translated = anthropicBody(request, undefined, "");
  if (translated.kind === "unsupported_parameter") return translated;
  const { model: _model, ...body } = translated.body;
  if (linksIn(body.messages))
    return refusedLinks("Claude on Vertex AI fetches no URL: pictures and files are bytes in a `data:` URL.");
  return { kind: "body", body: { anthropic_version: version, ...body }, adapted: translated.adapted };
}

const refusedLinks = (message: string) =>
  ({ kind: "unsupported_parameter", param: "messages", message }) as const;

const linksIn = (messages: unknown) => fieldsIn(messages).some(({ content }) => hasLink(content));

/**
 * Messages for Claude as its clients send them. `posted`: the request to a method of Anthropic's models. `baseUrl`: that of a proxy; absent
 * for Google's own, whose thoughts Anthropic's own models can open too.
 */
export function claudeApi(
  posted: (model: string, method: string, body: string, request: NativeRequest) => VendorRequest,
  baseUrl = anthropicUrl,
): NativeApi {
  const named = JSON.stringify(version);
  return {
    prepare: (request) => {
      if (linksIn(request.body.messages))
        return refusedLinks('Claude on Vertex AI fetches no URL: a `source` of type "base64" is needed.');
      const method = request.stream ? "streamRawPredict" : "rawPredict";
      const body = forwardedBody(request, { model: undefined, anthropic_version: named });
      return { kind: "request", request: posted(request.model, method, body, request) };
    },
    answer: forwardedAnswer,
    stream: forwardedStream,
    fold: foldedMessage,
    unfold: unfoldedMessage,
    sealed: sealedThinking(baseUrl, "claude-"),
    countTokens: (request) => {
      const model = JSON.stringify(ownName(request.model));
      return posted(
        "count-tokens",
        "rawPredict",
        forwardedBody(request, { model, anthropic_version: named }),
        request,
      );
    },
  };
}

/** Whether a block, or one inside a tool result, is a link. */
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
