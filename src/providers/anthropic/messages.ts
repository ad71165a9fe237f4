// Writes a conversation for Anthropic's Messages API: strictly alternating turns, tool results first in the user turn after their calls,
// system text only after a user turn, no whitespace-only text block. Source: platform.claude.com/docs/en/api/messages,
// /docs/en/agents-and-tools/tool-use/handle-tool-calls and /docs/en/build-with-claude/mid-conversation-system-messages

import { type Fields, isObject } from "#contract/normalise.ts";
import { append } from "#providers/translate/append.ts";
import type { Call, Turn } from "#providers/translate/conversation.ts";
import { parseExactly, textOf } from "#providers/translate/json.ts";
import type { Part, TextPart } from "#providers/translate/message-parts.ts";
import { thinkingBlock } from "#providers/translate/reasoning-details.ts";
import { isUnsealed } from "#providers/translate/unsealed-thoughts.ts";

type Block = Record<string, unknown>;

export interface AnthropicMessage {
  role: "user" | "assistant" | "system";
  content: string | Block[];
}

/** The turns; `issue`: a part that the vendor has no block for. */
export function anthropicMessages(turns: readonly Turn[]): {
  messages: AnthropicMessage[];
  issue: string | null;
} {
  const messages: { role: AnthropicMessage["role"]; content: Block[] }[] = [];
  const issues: string[] = [];
  for (const [at, turn] of turns.entries()) {
    const role = turn.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(turn, issues);
    const last = messages.at(-1);
    if (last?.role === role) append(last.content, content);
    else messages.push({ role, content });
    if (turn.role !== "assistant" && turn.notes)
      messages.push({ role: "system", content: turn.notes.map(textBlock) });
    if (at === turns.length - 1 && role === "assistant") trimEnd(content);
  }
  return { messages: messages.map(short), issue: issues[0] ?? null };
}

/** The system text, joined by newlines as in the vendor's own OpenAI-compatible API. */
export function anthropicSystem(system: readonly TextPart[]): string | Block[] | null {
  if (system.length === 0) return null;
  if (system.some(({ cacheControl }) => cacheControl)) return system.map((part) => textBlock(part));
  return system.map(({ text }) => text).join("\n");
}

const blockOfThought = (detail: Fields): Block | null =>
  isUnsealed(detail) ? { type: "thinking", thinking: textOf(detail.text) } : thinkingBlock(detail);

/** Claude's thoughts that the turn contains; those of other vendors have no block. */
export const thinkingBlocks = ({ thoughts }: Extract<Turn, { role: "assistant" }>): Block[] =>
  thoughts.map(blockOfThought).filter((block) => block !== null);

function blocksOf(turn: Turn, issues: string[]): Block[] {
  const blocks = (parts: readonly Part[]): Block[] => parts.map((part) => blockOf(part, issues));
  if (turn.role === "user") return blocks(turn.parts);
  if (turn.role === "assistant")
    return [...thinkingBlocks(turn), ...blocks(turn.parts), ...turn.calls.map(useBlock)];
  return turn.results.map(({ call, parts }) => {
    const [first] = parts;
    const plain = parts.length === 1 && first?.kind === "text" && !first.cacheControl;
    return {
      type: "tool_result",
      tool_use_id: call.id,
      ...(parts.length === 0 ? {} : { content: plain ? first.text : blocks(parts) }),
    };
  });
}

/** A single text becomes a plain string, as in the documentation's first example. */
function short({ role, content }: { role: AnthropicMessage["role"]; content: Block[] }): AnthropicMessage {
  const [first] = content;
  const plain = content.length === 1 && first?.type === "text" && first.cache_control === undefined;
  return { role, content: plain ? String(first.text) : content };
}

/** An answer prefilled by the client must not end in whitespace. */
function trimEnd(content: Block[]): void {
  const last = content.at(-1);
  if (last?.type === "text") last.text = String(last.text).trimEnd();
}

function textBlock({ text, cacheControl }: TextPart): Block {
  return { type: "text", text, ...(cacheControl ? { cache_control: cacheControl } : {}) };
}

function blockOf(part: Part, issues: string[]): Block {
  if (part.kind === "text") return textBlock(part);
  const cached = part.cacheControl ? { cache_control: part.cacheControl } : {};
  if (part.kind === "link") {
    if (!part.url.startsWith("https:")) issues.push("Anthropic fetches only `https:` URLs.");
    const type = part.mediaType === "application/pdf" ? "document" : "image";
    return { type, source: { type: "url", url: part.url }, ...cached };
  }
  const { mediaType, base64, name } = part;
  const source = { type: "base64", media_type: mediaType, data: base64 };
  if (mediaType.startsWith("image/")) return { type: "image", source, ...cached };
  const title = name === null ? {} : { title: name };
  if (mediaType === "application/pdf") return { type: "document", source, ...title, ...cached };
  if (mediaType === "text/plain") {
    const data = Buffer.from(base64, "base64").toString("utf8");
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data },
      ...title,
      ...cached,
    };
  }
  issues.push(`Anthropic does not accept content of the type ${mediaType}.`);
  return {};
}

function useBlock({ id, name, arguments: text }: Call): Block {
  return { type: "tool_use", id, name, input: inputOf(text) };
}

/**
 * Invalid arguments are wrapped, as the vendor recommends
 * (/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming#handling-invalid-json-in-tool-responses).
 */
export function inputOf(text: string): unknown {
  if (text.trim() === "") return {};
  const value = parseExactly(text);
  return isObject(value) ? value : { INVALID_JSON: text };
}
