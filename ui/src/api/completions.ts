// A streamed completion through a pool, as any client of the AI gateway asks for one: with a pool key.

import { createParser } from "eventsource-parser";
import { ApiError } from "./client.ts";

interface Chunk {
  model?: string;
  choices?: { delta?: { content?: string | null } }[];
  error?: { message?: string };
}

interface Asked {
  /** The pool's key. It goes into this one request and nowhere else. */
  key: string;
  model: string;
  messages: readonly { role: "system" | "user" | "assistant"; content: string }[];
  signal: AbortSignal;
  /** Gets each piece of the answer as it comes. */
  onText: (text: string) => void;
}

/** Asks, and resolves with the id of the request when the answer has ended. Throws `ApiError`, also when a stream breaks off. */
export async function complete({ key, model, messages, signal, onText }: Asked): Promise<string | null> {
  const response = await fetch("/api/ai/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    credentials: "omit",
    body: JSON.stringify({ messages, stream: true, ...(model === "" ? {} : { model }) }),
    signal,
  });
  const requestId = response.headers.get("x-request-id");
  if (!response.ok || response.body === null) {
    const refusal = (await response.json().catch(() => ({}))) as Chunk;
    throw new ApiError(response.status, refusal.error?.message ?? `The pool answered ${response.status}.`, {
      requestId,
    });
  }
  let failure: string | null = null;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error !== undefined) failure = chunk.error.message ?? "The stream broke off.";
      const text = chunk.choices?.[0]?.delta?.content;
      if (text) onText(text);
    },
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    parser.feed(decoder.decode(piece.value, { stream: true }));
  if (failure !== null) throw new ApiError(response.status, failure, { requestId });
  return requestId;
}
