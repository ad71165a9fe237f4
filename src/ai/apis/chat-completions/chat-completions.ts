// OpenAI's chat completions as a client API. This is also the internal form, so nothing is translated.

import type { AnswerRules, ApiRequest, ChatForm, StreamWriter } from "#ai/apis/api-request.ts";
import type { ClientApiRow } from "#ai/apis/client-api.ts";
import { chunksIn } from "#ai/stream/recorded.ts";
import { errorFrame, rewrite, type ServicePool, SseWriter } from "#ai/stream/sse-writer.ts";
import { type ModelRequest, readChat } from "#contract/ai/chat.ts";
import { chatReply, chatRequest } from "#contract/ai/chat-shapes.ts";
import type { ApiError } from "#providers/provider.ts";
import { fold } from "#providers/translate/fold.ts";
import { parseJson } from "#providers/translate/json.ts";

const noHeaders: ApiRequest["headers"] = {};
const noNames: ReadonlySet<string> = new Set();
const nothing: readonly string[] = [];

/** A chat completion, or another OpenAI request that is not translated: embeddings and the forwarded operations. */
export class ChatCompletionsRequest implements ApiRequest {
  readonly format = "chat_completions";
  readonly headers = noHeaders;
  readonly optional = noNames;
  readonly echoesModel = false;
  readonly #form: ChatForm;
  readonly #includeUsage: boolean;

  constructor({ text, body, includeUsage }: Pick<ModelRequest, "text" | "body" | "includeUsage">) {
    this.#form = { kind: "chat", text, body };
    this.#includeUsage = includeUsage;
  }

  get estimated(): ChatForm["body"] {
    return this.#form.body;
  }

  get parameters(): ChatForm["body"] {
    return this.#form.body;
  }

  chat(): ChatForm {
    return this.#form;
  }

  leftOut(): readonly string[] {
    return nothing;
  }

  answer(text: string, _forwarded: boolean, rules: AnswerRules): string {
    return rewrite(text, rules, rules.served);
  }

  writer({ model, created, served }: AnswerRules): StreamWriter {
    return new SseWriter({ model, created, served, includeUsage: this.#includeUsage });
  }

  failed(error: ApiError, served: ServicePool | null): string {
    return errorFrame(error, served);
  }
}

export const chatCompletions: ClientApiRow = {
  path: "/api/ai/v1/chat/completions",
  operations: [
    {
      path: "/api/ai/v1/chat/completions",
      name: "createChatCompletion",
      summary: "Create a chat completion",
      description:
        "This is OpenAI's operation. The first member of the key's pool that produces output serves the request. All parameters of OpenAI's API are passed on. With `stream: true` the reply is a stream of `chat.completion.chunk` events.",
      body: chatRequest,
      reply: chatReply,
      example: { messages: [{ role: "user", content: "Hello!" }] },
      stream:
        "With `stream: true`: `chat.completion.chunk` objects as `data:` events, the last of them with `service_pool`, then `data: [DONE]`. A stream that fails ends with an event that holds an error object, and without `[DONE]`. Comments keep the connection alive.",
      deferrable: true,
      read: readChat,
    },
  ],
  joinAnswer: (text) => parseJson(fold(chunksIn(text)).text),
  spanOperation: "chat",
  request: (read) => new ChatCompletionsRequest(read),
};
