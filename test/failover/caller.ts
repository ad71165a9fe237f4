// The caller: OpenAI's own client, with its retries off, and what it saw.

import OpenAI, { APIError } from "openai";
import { canonical } from "./provider.ts";

export type Seen =
  /** The client took it for a whole answer. */
  | {
      kind: "answer";
      text: string;
      model: string | null;
      usage: boolean;
      servedBy: string | null;
      ms: number;
    }
  | { kind: "error"; status: number | null; code: string | null; message: string; text: string; ms: number }
  /** It had to be given up. */
  | { kind: "hang"; ms: number };

/** Whether an answer is all of it. */
export const isWhole = (seen: Seen): boolean => seen.kind === "answer" && seen.text.trim() === canonical;

export function caller(baseURL: string, apiKey: string, maxMs: number) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, timeout: maxMs });
  return async function ask(model: string): Promise<Seen> {
    const startedAt = performance.now();
    const ms = () => performance.now() - startedAt;
    const patience = AbortSignal.timeout(maxMs);
    let text = "";
    try {
      const stream = await client.chat.completions.create(
        {
          model,
          messages: [{ role: "user", content: "Say the sixty words." }],
          stream: true,
          stream_options: { include_usage: true },
        },
        { signal: patience },
      );
      let named: string | null = null;
      let usage = false;
      let servedBy: string | null = null;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        named = chunk.model;
        usage ||= chunk.usage !== null && chunk.usage !== undefined;
        servedBy = (chunk as { service_pool?: { provider: string } }).service_pool?.provider ?? servedBy;
      }
      // The client ends an aborted stream without a word.
      if (patience.aborted) return { kind: "hang", ms: ms() };
      return { kind: "answer", text, model: named, usage, servedBy, ms: ms() };
    } catch (error) {
      if (patience.aborted) return { kind: "hang", ms: ms() };
      const apiError = error instanceof APIError ? error : null;
      const message = error instanceof Error ? error.message : String(error);
      return {
        kind: "error",
        status: apiError?.status ?? null,
        code: apiError?.code ?? null,
        message,
        text,
        ms: ms(),
      };
    }
  };
}
