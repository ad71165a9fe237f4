// Signed and encrypted thoughts of the Messages API. Anthropic accepts those of its own models, from any of its accounts, and refuses every
// other signature: thoughts of other vendors' models have a marker instead of one, and those that the member cannot open are removed.
// Source: platform.claude.com/docs/en/build-with-claude/extended-thinking

import { withMembers } from "#contract/json-text.ts";
import { type Fields, isObject } from "#contract/normalise.ts";
import { isOwnHost } from "#providers/prices/list-price.ts";
import type { Failure, NativeRequest, SealedReasoning } from "#providers/provider.ts";
import { fieldsIn, parseExactly, parseJson, textOf } from "#providers/translate/json.ts";
import { hasPacked, isPacked, plainThought } from "#providers/translate/reasoning-details.ts";

/** Replaces the signature of thoughts that no vendor signed. */
export const foreignSignature = "trunkline-unsigned";

/** A marker of this gateway, or thoughts of another vendor that were packed here. */
const isOurs = (seal: string) => seal === foreignSignature || isPacked(seal);

/** Thoughts that other vendors' endpoints return in Anthropic's form without a signature: Claude refuses them. */
const isUnsigned = ({ type, signature }: Fields) => type === "thinking" && textOf(signature) === "";

/**
 * What only the maker accepts: a thought's signature, the thought itself, or an unsigned one in the form of `plainThought`. Empty if the
 * block has no thoughts.
 */
function sealOf(block: Fields): string {
  if (isUnsigned(block)) return plainThought(textOf(block.thinking) || " ");
  if (block.type === "thinking") return textOf(block.signature);
  return block.type === "redacted_thinking" ? textOf(block.data) : "";
}

const sealsIn = (content: unknown) =>
  fieldsIn(content)
    .map(sealOf)
    .filter((seal) => seal !== "" && !isOurs(seal));

/** The seals of a whole message, or of a single event. */
function sealsMade(text: string): string[] {
  if (!/"(?:redacted_)?thinking"|"signature/.test(text)) return [];
  const value = parseJson(text);
  if (!isObject(value)) return [];
  const delta = isObject(value.delta) && value.delta.type === "signature_delta" ? value.delta : {};
  const signature = textOf(delta.signature);
  const sealed = fieldsIn([value.content_block]).filter((block) => !isUnsigned(block));
  return signature === "" ? sealsIn([...fieldsIn(value.content), ...sealed]) : [signature];
}

/** In a stream, a block's seal is known at its end: its signature comes last, and unsigned thoughts are complete then. */
function madeInPieces(): (text: string) => string[] {
  let block: Fields | null = null;
  return (text) => {
    if (block === null && !(text.includes('"content_block"') && text.includes("thinking"))) return [];
    const value = parseJson(text);
    if (!isObject(value)) return [];
    if (isObject(value.content_block)) {
      block = value.content_block;
      return [];
    }
    const { delta } = value;
    if (block !== null && isObject(delta)) {
      const { thinking, signature } = block;
      if (delta.type === "thinking_delta")
        block = { ...block, thinking: textOf(thinking) + textOf(delta.thinking) };
      else if (delta.type === "signature_delta")
        block = { ...block, signature: textOf(signature) + textOf(delta.signature) };
      return [];
    }
    const ended = block === null ? [] : sealsIn([block]);
    block = null;
    return ended;
  };
}

/** Anthropic's own sentences, preceded by the block's position; the type is the same as for every invalid request. */
const refusal =
  /^messages\.\d+\.content\.\d+(?:(\.[a-z_]+)*: invalid `?(signature|data)`? in `?(redacted_)?thinking`? block|\.thinking\.signature: )/i;

/** Whether Anthropic could not open thoughts of the request. */
export const isSignatureRefusal = ({ kind, status, error }: Failure) =>
  kind === "invalid_request" && status === 400 && refusal.test(error.message);

/** Anthropic's own address. */
export const anthropicUrl = "https://api.anthropic.com";

/**
 * `baseUrl`: that of the member. At Anthropic's own address all accounts can open the same thoughts, and so can Claude on the clouds that
 * Anthropic lists as compatible: they have that address here. `model`: Claude's models sign all of their thoughts.
 */
export function sealedThinking(baseUrl: string, model: string): SealedReasoning {
  const isClaude = isOwnHost(baseUrl, anthropicUrl) || /(?:^|[/.])claude-/.test(model);
  return {
    sharedBy: baseUrl,
    ...(isClaude ? { signsAll: true } : {}),
    field: "messages",
    in: ({ messages }) => fieldsIn(messages).flatMap(({ content }) => sealsIn(content)),
    made: sealsMade,
    madeInPieces,
    isRefusal: isSignatureRefusal,
  };
}

const nothing: ReadonlySet<string> = new Set();

/** The text of a request without the thoughts that the member cannot open; nearly every text is returned unchanged. */
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
    // Tool results continue the turn of the calls before them.
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
 * The current turn has lost its thoughts. Models with a thinking budget require that it begins with some (`enabled`), so the rest of this
 * turn is sent without thinking, and without the context edits that need it.
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
