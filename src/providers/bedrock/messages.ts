// Writes a conversation for Converse: user and assistant by turns, the results of tools in the user's turn after their calls,
// no blank text. Media are bytes in base64; Bedrock fetches no link but S3's. Source:
// docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html, …/API_runtime_DocumentBlock.html and
// docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html

import type { Fields } from "#contract/normalise.ts";
import { inputOf, thinkingBlocks } from "#providers/anthropic/messages.ts";
import { append } from "#providers/translate/append.ts";
import { emptyTurnText, type Turn } from "#providers/translate/conversation.ts";
import { DistinctNames } from "#providers/translate/distinct-names.ts";
import { textOf } from "#providers/translate/json.ts";
import type { Part, TextPart } from "#providers/translate/message-parts.ts";

type Block = Record<string, unknown>;

interface BedrockMessage {
  role: "user" | "assistant";
  content: Block[];
}

/** How a model takes a conversation. */
interface Ability {
  /** It takes the marks after which a prompt is cached. */
  caches: boolean;
}

const images: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const documents: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};

/** The messages; `issue`: a part that the vendor has no block for. */
export function bedrockMessages(
  turns: readonly Turn[],
  ability: Ability,
): { messages: BedrockMessage[]; issue: string | null } {
  const messages: BedrockMessage[] = [];
  const issues: string[] = [];
  // The documents of a request have distinct names, also those of different messages; case does not make them distinct.
  const names = new DistinctNames(" ", { ignoresCase: true });
  for (const turn of turns) {
    const role = turn.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(turn, ability, names, issues);
    const last = messages.at(-1);
    if (last?.role === role) append(last.content, content);
    else messages.push({ role, content });
  }
  const end = messages.at(-1);
  const lastBlock = end?.content.at(-1);
  // Claude goes on with an answer that the request begins, and takes none that ends in a blank.
  if (end?.role === "assistant" && lastBlock?.text !== undefined)
    lastBlock.text = textOf(lastBlock.text).trimEnd();
  // Bedrock takes a document only beside a text.
  for (const { content } of messages) {
    if (content.some((block) => "document" in block) && !content.some((block) => "text" in block))
      content.push({ text: emptyTurnText });
  }
  return { messages, issue: issues[0] ?? null };
}

export const bedrockSystem = (system: readonly TextPart[], ability: Ability): Block[] =>
  system.flatMap((part) => [{ text: part.text }, ...cachePoint(part.cacheControl, ability)]);

/** The mark after which the prompt is cached, where `cache_control` asks for one. */
export function cachePoint(control: Fields | undefined, { caches }: Ability): Block[] {
  if (control === undefined || !caches) return [];
  return [{ cachePoint: { type: "default", ...(control.ttl === "1h" ? { ttl: "1h" } : {}) } }];
}

function blocksOf(turn: Turn, ability: Ability, names: DistinctNames, issues: string[]): Block[] {
  const blocks = (parts: readonly Part[]): Block[] =>
    parts.flatMap((part) => [...blockOf(part, names, issues), ...cachePoint(part.cacheControl, ability)]);
  if (turn.role === "user") return blocks(turn.parts);
  if (turn.role === "assistant")
    return [
      ...thinkingBlocks(turn).map(reasoningBlock),
      ...blocks(turn.parts),
      ...turn.calls.map(({ id, name, arguments: text }) => ({
        toolUse: { toolUseId: id, name, input: inputOf(text) },
      })),
    ];
  return turn.results.flatMap(({ call, parts }) => {
    const content = parts.flatMap((part) => blockOf(part, names, issues));
    return [
      {
        toolResult: { toolUseId: call.id, content: content.length > 0 ? content : [{ text: emptyTurnText }] },
      },
      ...parts.slice(-1).flatMap((part) => cachePoint(part.cacheControl, ability)),
    ];
  });
}

/** Signed thoughts, or sealed ones, from the blocks of Claude's own API. */
function reasoningBlock(block: Fields): Block {
  if (block.type === "redacted_thinking")
    return { reasoningContent: { redactedContent: textOf(block.data) } };
  const { thinking: text, signature } = block;
  return { reasoningContent: { reasoningText: { text, signature } } };
}

function blockOf(part: Part, names: DistinctNames, issues: string[]): Block[] {
  if (part.kind === "text") return [{ text: part.text }];
  if (part.kind === "link") {
    issues.push("Bedrock fetches no URL: pictures and files are bytes in a `data:` URL.");
    return [];
  }
  const { mediaType, base64: bytes, name } = part;
  if (Object.hasOwn(images, mediaType)) return [{ image: { format: images[mediaType], source: { bytes } } }];
  if (Object.hasOwn(documents, mediaType))
    return [
      { document: { format: documents[mediaType], name: names.of(documentStem(name)), source: { bytes } } },
    ];
  issues.push(`Bedrock does not accept content of the type ${mediaType}.`);
  return [];
}

/** Letters, digits, single blanks, hyphens, parentheses and brackets alone are in a document's name. */
function documentStem(name: string | null): string {
  const plain = (name ?? "").replace(/[^A-Za-z0-9()[\]-]+/g, " ").trim();
  return plain.slice(0, 150).trim() || "document";
}
