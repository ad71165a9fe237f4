// Reads OpenAI's messages into a conversation that other vendors accept: system text separate, turns merged, every round of tool calls
// fully answered before the next turn, call ids valid and distinct. What OpenAI itself rejects (a tool message that answers no call) is an
// issue here too.

import { type Fields, isObject } from "#contract/normalise.ts";
import { append } from "./append.ts";
import { DistinctNames } from "./distinct-names.ts";
import { argumentsText, textOf } from "./json.ts";
import { mediaPart, type Part, type TextPart } from "./message-parts.ts";
import { detailsOf, sealOf, signatureOfPart } from "./reasoning-details.ts";
import { signatureOf } from "./thought-signatures.ts";
import { isUnsealed } from "./unsealed-thoughts.ts";

export interface Call {
  /** Distinct in the conversation; letters, digits, `_` and `-`. May differ from the client's id. */
  id: string;
  name: string;
  /** JSON text as the model wrote it; may be empty or invalid. */
  arguments: string;
  /** Gemini's thought signature, if the client kept it (`extra_content.google.thought_signature`). */
  signature: string | null;
}

export type Turn =
  | { role: "user"; parts: Part[]; notes?: TextPart[] }
  /** `thoughts`: signed or sealed, in the form of `reasoning_details`. */
  | { role: "assistant"; thoughts: Fields[]; parts: Part[]; calls: Call[] }
  /** In the order of the calls. `notes`: system text that comes after the turn, if the reader keeps its position. */
  | { role: "tool"; results: { call: Call; parts: Part[] }[]; notes?: TextPart[] };

/** A parameter that cannot be translated, and the reason. */
export interface TranslationIssue {
  param: string;
  message: string;
}

export interface Conversation {
  kind: "conversation";
  system: TextPart[];
  /** Begins with a user turn; user turns and assistant turns alternate; no turn is empty. */
  turns: Turn[];
}

/** Fills the first user turn of a conversation that opens with the assistant. */
export const emptyTurnText = "(nothing)";

/**
 * Reads `messages`. Whitespace-only text counts as no content (Anthropic rejects it). A user's `name` is put before the text, an
 * assistant's is dropped. Of the reasoning in earlier turns, signed and sealed parts are kept: vendors accept only their own. `keepsNotes`:
 * system text between turns is kept with the preceding user turn or results; otherwise, and if there is no such turn, all system text is
 * moved to the front. `keepsSignatures`: the assistant's text has Gemini's signature, and images that Gemini signed belong to the
 * assistant.
 */
export function readConversation(
  messages: unknown,
  { keepsNotes = false, keepsSignatures = false }: { keepsNotes?: boolean; keepsSignatures?: boolean } = {},
): Conversation | { kind: "issue"; issue: TranslationIssue } {
  const issues: string[] = [];
  const list = Array.isArray(messages) ? messages : [];
  const found = conversation(list, { keepsNotes, keepsSignatures }, issues);
  const [message] = issues;
  return message === undefined ? found : { kind: "issue", issue: { param: "messages", message } };
}

/** A call with the client's id for it; `parts`: its result, once present. */
interface OpenCall {
  call: Call;
  clientId: string;
  parts: Part[] | null;
}

function conversation(
  messages: readonly unknown[],
  { keepsNotes, keepsSignatures }: { keepsNotes: boolean; keepsSignatures: boolean },
  issues: string[],
): Conversation {
  const system: TextPart[] = [];
  let notes: TextPart[] = [];
  const turns: Turn[] = [];
  const ids = new DistinctNames("_");
  let open: OpenCall[] = [];
  // The open calls without a result, by the client's ids, the first one last.
  let waiting = new Map<unknown, OpenCall[]>();
  // Images that the assistant made: vendors accept images only from the user, so they are put in the user's next turn.
  let made: Part[] = [];
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (!isObject(message)) {
      issues.push(`${where} is not an object.`);
      continue;
    }
    const { role } = message;
    const parts = partsOf(message.content, where, issues);
    if (role === "system" || role === "developer") {
      const place = keepsNotes && turns.length > 0 ? notes : system;
      append(
        place,
        parts.filter((part) => part.kind === "text"),
      );
      if (parts.some(({ kind }) => kind !== "text")) {
        issues.push(`${where}: a ${role} message may hold only text.`);
      }
      continue;
    }
    if (role === "tool") {
      const id = message.tool_call_id;
      const same = waiting.get(id);
      const answered = same?.pop();
      if (same?.length === 0) waiting.delete(id);
      if (answered) answered.parts = parts;
      else issues.push(`${where}: \`tool_call_id\` does not match a pending tool call.`);
      if (open.length > 0 && waiting.size === 0) {
        turns.push({
          role: "tool",
          results: open.map(({ call, parts }) => ({ call, parts: parts ?? [] })),
        });
        open = [];
      }
      continue;
    }
    if (open.length > 0) {
      issues.push(unanswered(open, where));
      // They are named once.
      open = [];
      waiting.clear();
    }
    if (role === "user") {
      addUser(turns, [...noted(made), ...withName(parts, message.name)]);
      made = [];
    } else if (role === "assistant") {
      open = callsOf(message, where, ids, issues);
      waiting = Map.groupBy(open.toReversed(), ({ clientId }): unknown => clientId);
      const pictures = partsOf(message.images, `${where}.images`, issues);
      if (keepsSignatures) {
        sign(parts, message);
        append(parts, takeSigned(pictures, message));
      }
      // A message without content is not a turn: what comes after it belongs to the turn before.
      if (parts.length > 0 || open.length > 0) {
        placeNotes(notes, turns, system);
        notes = [];
      }
      addAssistant(
        turns,
        detailsOf(message).filter((detail) => sealOf(detail) !== "" || isUnsealed(detail)),
        parts,
        open.map(({ call }) => call),
      );
      append(made, pictures);
    } else {
      issues.push(`${where} has a role that cannot be translated.`);
    }
  }
  if (open.length > 0) issues.push(unanswered(open, `messages[${messages.length}]`));
  addUser(turns, noted(made));
  placeNotes(notes, turns, system);
  return { kind: "conversation", ...withFirstUserTurn(system, turns) };
}

/** Adds the signature to the last text of an assistant's message. */
function sign(parts: Part[], message: Fields): void {
  const signature = signatureOfPart(message, null);
  const at = parts.findLastIndex(({ kind }) => kind === "text");
  const part = parts[at];
  if (signature !== null && part?.kind === "text") parts[at] = { ...part, signature };
}

/** Removes the signed images: the others are treated as the user's, since the model does not accept unsigned ones as its own. */
function takeSigned(pictures: Part[], message: Fields): Part[] {
  const signed = pictures.map((part, at): Part | null => {
    const signature = part.kind === "data" ? signatureOfPart(message, at) : null;
    return part.kind === "data" && signature !== null ? { ...part, signature } : null;
  });
  const left = pictures.filter((_part, at) => signed[at] === null);
  pictures.splice(0, pictures.length, ...left);
  return signed.filter((part) => part !== null);
}

/** Puts system text after the last turn if that is the user's or has results; otherwise before everything. */
function placeNotes(notes: readonly TextPart[], turns: readonly Turn[], system: TextPart[]): void {
  const last = turns.at(-1);
  if (notes.length === 0) return;
  if (last === undefined || last.role === "assistant") append(system, notes);
  else last.notes = [...notes];
}

const noted = (made: readonly Part[]): Part[] =>
  made.length === 0 ? [] : [{ kind: "text", text: "The assistant made these pictures:" }, ...made];

function unanswered(open: readonly OpenCall[], where: string): string {
  const waiting = open.filter(({ parts }) => parts === null).map(({ clientId }) => clientId);
  return `Before ${where}: tool calls without a tool message: ${waiting.join(", ").slice(0, 200)}.`;
}

/** Vendors require that the first turn is the user's. */
function withFirstUserTurn(system: TextPart[], turns: Turn[]): { system: TextPart[]; turns: Turn[] } {
  const [first] = turns;
  if (first?.role === "user") return { system, turns };
  if (!first && system.length > 0) return { system: [], turns: [{ role: "user", parts: [...system] }] };
  return { system, turns: [{ role: "user", parts: [{ kind: "text", text: emptyTurnText }] }, ...turns] };
}

function addUser(turns: Turn[], parts: Part[]): void {
  const last = turns.at(-1);
  if (parts.length === 0) return;
  if (last?.role === "user") append(last.parts, parts);
  else turns.push({ role: "user", parts });
}

function addAssistant(turns: Turn[], thoughts: Fields[], parts: Part[], calls: Call[]): void {
  const last = turns.at(-1);
  if (parts.length === 0 && calls.length === 0) return;
  if (last?.role === "assistant") {
    append(last.thoughts, thoughts);
    append(last.parts, parts);
    append(last.calls, calls);
  } else turns.push({ role: "assistant", thoughts, parts, calls });
}

function withName(parts: Part[], name: unknown): Part[] {
  if (typeof name !== "string" || name.trim() === "") return parts;
  const at = parts.findIndex(({ kind }) => kind === "text");
  const part = parts[at];
  if (part?.kind !== "text") return parts;
  return parts.with(at, { ...part, text: `${name}: ${part.text}` });
}

function partsOf(content: unknown, where: string, issues: string[]): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return content.trim() === "" ? [] : [{ kind: "text", text: content }];
  if (!Array.isArray(content)) {
    issues.push(`${where}: \`content\` is neither text nor a list.`);
    return [];
  }
  return content.flatMap((part: unknown, at): Part[] => {
    const read = isObject(part) ? partOf(part) : "this is not an object.";
    if (typeof read !== "string") return isBlank(read) ? [] : [read];
    issues.push(`${where}.content[${at}]: ${read}`);
    return [];
  });
}

function partOf(part: Fields): Part | string {
  const isText = part.type === "text" || part.type === "refusal";
  const read: Part | string = isText
    ? { kind: "text", text: textOf(part.text ?? part.refusal) }
    : mediaPart(part);
  return typeof read === "string" ? read : { ...read, ...cacheOf(part) };
}

const isBlank = (part: Part) => part.kind === "text" && part.text.trim() === "";

/** `cache_control` on a part: how clients ask Anthropic to cache a prompt; other vendors ignore it. */
function cacheOf(part: Fields): { cacheControl?: Fields } {
  return isObject(part.cache_control) ? { cacheControl: part.cache_control } : {};
}

function callsOf(message: Fields, where: string, ids: DistinctNames, issues: string[]): OpenCall[] {
  if (isObject(message.function_call)) {
    issues.push(`${where}: \`function_call\` is deprecated; use \`tool_calls\`.`);
  }
  const { tool_calls: calls } = message;
  if (calls === null || calls === undefined) return [];
  return (Array.isArray(calls) ? calls : [calls]).flatMap((call: unknown, at): OpenCall[] => {
    const called = isObject(call) && isObject(call.function) ? call.function : null;
    if (!isObject(call) || called === null || textOf(called.name) === "" || typeof call.id !== "string") {
      issues.push(`${where}.tool_calls[${at}] is not a function call.`);
      return [];
    }
    const read: Call = {
      id: ids.of(idStem(call.id)),
      name: textOf(called.name),
      arguments: argumentsText(called.arguments),
      signature: signatureOf(call),
    };
    return [{ call: read, clientId: call.id, parts: null }];
  });
}

/** Ids come from the vendor of an earlier turn, which may use other characters or restart its numbering. */
const idStem = (clientId: string): string => clientId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 56) || "call";
