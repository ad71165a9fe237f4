// The operations of OpenAI's API that are forwarded unchanged, besides chat completions and embeddings: nothing in them is translated, so
// they are served only by members whose vendor uses the same format.

export const forwardedOperations = ["image", "speech", "transcription", "moderation", "rerank"] as const;
export type ForwardedOperation = (typeof forwardedOperations)[number];

/** The operation of a call to a pool. */
export const callKinds = ["chat", "embeddings", ...forwardedOperations] as const;
export type CallKind = (typeof callKinds)[number];

/** The field of a member that lists its models of an operation. */
type ForwardedModelsField = `${ForwardedOperation}_models`;
export const modelsField = (operation: ForwardedOperation): ForwardedModelsField => `${operation}_models`;
export const isForwarded = (kind: CallKind): kind is ForwardedOperation =>
  kind !== "chat" && kind !== "embeddings";

/**
 * The formats of completion requests. Chat completions are what adapters translate from, so none has them as its own. The last two are
 * never translated: `completions` are OpenAI's older ones, which continue a text, and `compaction` shortens a conversation of the Responses
 * API.
 */
export const clientFormats = [
  "chat_completions",
  "messages",
  "responses",
  "gemini",
  "completions",
  "compaction",
] as const;
export type ClientFormat = (typeof clientFormats)[number];

/** The formats in which completions may be deferred. */
export const deferrableFormats = [
  "chat_completions",
  "messages",
  "responses",
] as const satisfies readonly ClientFormat[];

/** Names in a sentence of Markdown: "`a`, `b` or `c`". */
export const listed = (names: readonly string[]): string =>
  names.map((name, at) => `${at === 0 ? "" : at === names.length - 1 ? " or " : ", "}\`${name}\``).join("");

/** A form as the caller sent it: its fields and files in order, and the boundary between them. */
export interface Form {
  boundary: string;
  /** Its path below a member's base URL, if it is not the operation's own. */
  path?: `/${string}`;
  parts: readonly FormPart[];
}

export interface FormPart {
  name: string;
  /** Null for a field without a file. */
  filename: string | null;
  bytes: Uint8Array;
}
