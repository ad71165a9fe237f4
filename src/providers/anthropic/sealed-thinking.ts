// Signed and encrypted thoughts of the Messages API. Anthropic takes those that its own models had, from each of its
// accounts, and refuses every other signature: thoughts of other vendors' models carry a mark in place of one, and what the
// member cannot open is taken out. Source: platform.claude.com/docs/en/build-with-claude/extended-thinking

import { withMembers } from "#contract/json-text.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import type { Failure, NativeRequest, SealedReasoning } from "#providers/provider.ts";
import { fieldsIn, parseExactly, parseJson, textOf } from "#providers/translate/json.ts";
import { hasPacked, isPacked } from "#providers/translate/reasoning-details.ts";

/** In place of the signature of thoughts that no vendor signed. */
export const foreignSignature = "trunkline-unsigned";

/** A mark of this gateway, or thoughts of another vendor that were packed here. */
const isOurs = (seal: string) => seal === foreignSignature || isPacked(seal);

/** What only those can open who made it: a thought's signature, or the thought itself. Empty: the block has no thoughts. */
function sealOf(block: Fields): string {
  if (block.type === "thinking") return textOf(block.signature);
  return block.type === "redacted_thinking" ? textOf(block.data) : "";
}

const sealsIn = (content: unknown) =>
  fieldsIn(content)
    .map(sealOf)
    .filter((seal) => seal !== "" && !isOurs(seal));

function sealsMade(text: string): string[] {
  if (!text.includes('"signature') && !text.includes('"redacted_thinking"')) return [];
  const value = parseJson(text);
  if (!isObject(value)) return [];
  const delta = isObject(value.delta) && value.delta.type === "signature_delta" ? value.delta : {};
  const signature = textOf(delta.signature);
  const blocks = [...fieldsIn(value.content), ...fieldsIn([value.content_block])];
  return signature === "" ? sealsIn(blocks) : [signature];
}

/** Anthropic's own sentences, with the block's place in front; its type is that of every wrong request. */
const refusal =
  /^messages\.\d+\.content\.\d+(\.[a-z_]+)*: invalid `?(signature|data)`? in `?(redacted_)?thinking`? block/i;

/** Whether Anthropic could not open thoughts of the request. */
export const isSignatureRefusal = ({ kind, status, error }: Failure) =>
  kind === "invalid_request" && status === 400 && refusal.test(error.message);

/** Anthropic's own address. */
export const anthropicUrl = "https://api.anthropic.com";

/**
 * `baseUrl`: of the member. At Anthropic's own address all accounts open the same thoughts, and so do Claude's on the clouds that
 * Anthropic names as compatible: they have that address here.
 */
export function sealedThinking(baseUrl: string): SealedReasoning {
  return {
    sharedBy: baseUrl,
    field: "messages",
    in: ({ messages }) => fieldsIn(messages).flatMap(({ content }) => sealsIn(content)),
    made: sealsMade,
    isRefusal: isSignatureRefusal,
  };
}

const nothing: ReadonlySet<string> = new Set();

/** The text of a request without the thoughts that the member cannot open; nearly every text is returned as it is. */
export function withoutForeignThinking(text: string, foreign: ReadonlySet<string> = nothing): string {
  if (foreign.size === 0 && !text.includes(foreignSignature) && !hasPacked(text)) return text;
  const body = parseExactly(text);
  if (!isObject(body)) return text;
  const isForeign = (block: unknown) => {
    const seal = isObject(block) ? sealOf(block) : "";
    return isOurs(seal) || foreign.has(seal);
  };
  let isUnderWay = false;
  const messages = fieldsIn(body.messages).flatMap((message) => {
    const { role, content } = message;
    // The results of tools go on with the turn of the calls before them.
    if (role === "assistant") isUnderWay = false;
    else if (role === "user" && !fieldsIn(content).some(({ type }) => type === "tool_result"))
      isUnderWay = false;
    if (!Array.isArray(content) || !content.some(isForeign)) return [message];
    const kept = content.filter((block) => !isForeign(block));
    isUnderWay = role === "assistant" && !kept.some((block) => isObject(block) && sealOf(block) !== "");
    return kept.length === 0 ? [] : [{ ...message, content: kept }];
  });
  return withMembers(text, {
    messages: JSON.stringify(messages),
    ...(isUnderWay ? withoutThinking(body) : {}),
  });
}

/**
 * The turn under way has lost its thoughts. Models with a budget of thoughts demand that it begins with some (`enabled`),
 * so that the rest of this turn goes without, and without the edits of a context that has them.
 */
function withoutThinking(body: NativeRequest["body"]): Record<string, string | undefined> {
  const { thinking, context_management: context } = body;
  if (!isObject(thinking) || thinking.type !== "enabled") return {};
  const changes: Record<string, string | undefined> = { thinking: JSON.stringify({ type: "disabled" }) };
  if (!isObject(context) || !Array.isArray(context.edits)) return changes;
  const edits = context.edits.filter(
    (edit) => !isObject(edit) || !textOf(edit.type).startsWith("clear_thinking"),
  );
  const kept = edits.length === 0 ? undefined : JSON.stringify({ ...context, edits });
  return { ...changes, context_management: kept };
}
