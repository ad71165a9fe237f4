// The request of a person who tries a pool: a chat completion whose stream is written as the texts of the answer.

import type { StreamWriter } from "#ai/apis/api-request.ts";
import { readChat } from "#ai/apis/chat-answer.ts";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import type { TryPoolInput } from "#contract/manage/pools/try.ts";
import type { ApiError, Usage } from "#providers/provider.ts";

/** One event of the trial's stream. */
export const trialEvent = (event: string, data: object) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** The body of the chat completion. */
export function chatBody({ messages, model, temperature, max_tokens, stop }: TryPoolInput) {
  return {
    messages,
    ...(model === null ? {} : { model }),
    ...(temperature === null ? {} : { temperature }),
    ...(max_tokens === null ? {} : { max_tokens }),
    ...(stop.length === 0 ? {} : { stop }),
    stream: true,
  };
}

/** The request. What ended the answer is kept here, for the event that reports it with the call's record. */
export class TrialRequest extends ChatCompletionsRequest {
  /** Why the model ended its answer; null if it gave no reason or has not ended yet. */
  finishReason: string | null = null;
  /** Why the answer was interrupted; null if it was not. */
  error: ApiError | null = null;

  override writer(): StreamWriter {
    let usage: Usage | null = null;
    return {
      get usage() {
        return usage;
      },
      chunk: (chunk) => {
        usage = chunk.usage ?? usage;
        const { text, reasoning, refusal, finish } = readChat(chunk.text);
        this.finishReason = finish ?? this.finishReason;
        const shown = text + refusal;
        return (
          (reasoning === "" ? "" : trialEvent("chunk", { reasoning })) +
          (shown === "" ? "" : trialEvent("chunk", { text: shown }))
        );
      },
      done: () => "",
      failed: (error) => this.failed(error),
    };
  }

  override failed(error: ApiError): string {
    this.error = error;
    return "";
  }
}
