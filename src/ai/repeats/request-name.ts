// When two requests are the same: for the cache of a pool, and under an `Idempotency-Key`. Names are hashes, so they contain no prompt.

import { hash } from "node:crypto";
import type { CompletionRequest } from "#ai/completion.ts";
import type { Pool } from "#ai/pools/member.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import { isForwarded } from "#contract/ai/operations.ts";
import { isObject } from "#contract/normalise.ts";
import type { Repeatable, Slot } from "./repeatable.ts";

type Request = Pick<CompletionRequest, "api" | "body" | "form" | "kind" | "stream" | "text">;
type Body = Readonly<Record<string, unknown>>;

/** The same as for sends. */
const idempotencyTtlMs = 24 * 3_600_000;
/** Longer requests are not cached, characters: they contain files and rarely recur. */
const maxCachedRequest = 1024 * 1024;
/** Longer bodies are not sorted, which would block the process for too long. */
const maxOrderedRequest = maxCachedRequest;

/** Body members that identify the caller or affect the vendor's bookkeeping, and do not change the answer. */
const unread: ReadonlySet<string> = new Set([
  "user",
  "safety_identifier",
  "metadata",
  "store",
  "prompt_cache_key",
  "prompt_cache_retention",
]);
/** Forwarded headers that change answers, for members of the API's format; the others identify sessions and clients. */
const readHeaders = ["anthropic-version", "anthropic-beta", "openai-beta"];
/**
 * What an answer depends on outside its request: the web, and conversations, prompts and contents at the vendor. Links and ids of files are
 * deep in messages, and are compared as they are.
 */
const outside = [
  "web_search_options",
  "search_parameters",
  "plugins",
  "prompt",
  "cachedContent",
  "cached_content",
  "previous_response_id",
  "conversation",
  "mcp_servers",
  "container",
];
/** A number that JavaScript may round or turn into infinity. Then the text itself is compared. */
const inexact = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/**
 * The body with the members of each object sorted, so that two spellings of one body are equal; `without`: members that do not count. For a
 * long body, and one with numbers that JavaScript may round, the original text.
 */
export function canonicalBody(text: string, body: Body, without: ReadonlySet<string> = new Set()): string {
  if (text.length > maxOrderedRequest || inexact.test(text)) return text;
  const kept = Object.entries(body).filter(([name]) => !without.has(name));
  return canonical(Object.fromEntries(kept));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (Object.is(value, -0)) return "-0";
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Whether a tool is called by the client and not by the vendor. */
function isOfClient(tool: unknown): boolean {
  if (!isObject(tool)) return true;
  const { type } = tool;
  if (type !== undefined) return type === "function" || type === "custom";
  const names = Object.keys(tool);
  // Anthropic's have a name, Gemini's are lists of declarations next to Google's own.
  return "name" in tool || names.every((name) => /^function_?declarations$/i.test(name));
}

function isSelfContained(body: Body): boolean {
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return tools.every(isOfClient) && outside.every((name) => body[name] == null);
}

/** The parts of a request and its path that affect the text of an answer. */
const shapeOf = ({ kind, stream, api }: Request, path: string) => [
  kind,
  path,
  stream,
  api.streamType ?? null,
  readHeaders.map((name) => api.headers[name] ?? null),
];

/** The cache entry for the request; null if it is not for the cache. */
export function cacheSlot(
  pool: Pick<Pool, "cache" | "id" | "revision">,
  key: Pick<PoolKey, "id" | "models">,
  request: Request,
  { path, skipsCache }: Repeatable,
): Slot | null {
  const { cache } = pool;
  const { text, body, kind } = request;
  if (cache === null || skipsCache || isForwarded(kind)) return null;
  if (text.length > maxCachedRequest || !isSelfContained(body)) return null;
  const whose = [pool.id, pool.revision, key.id, key.models];
  const name = JSON.stringify(["cache", whose, shapeOf(request, path), canonicalBody(text, body, unread)]);
  return { kind: "cache", name: hash("sha256", name), fingerprint: "", ttlMs: cache.ttl_s * 1_000 };
}

/** The entry of the first answer under the request's `Idempotency-Key`; null if it has none. A key is valid only for its path. */
export function idempotencySlot(
  key: Pick<PoolKey, "id">,
  request: Request,
  { path, idempotencyKey }: Repeatable,
): Slot | null {
  if (idempotencyKey === null) return null;
  const { text, body, form } = request;
  const parts = form?.parts.map(({ name, filename, bytes }) => [name, filename, hash("sha256", bytes)]);
  const shape = [shapeOf(request, path), canonicalBody(text, body), parts ?? null];
  return {
    kind: "idempotency_key",
    name: hash("sha256", JSON.stringify(["idempotency_key", key.id, path, idempotencyKey])),
    fingerprint: hash("sha256", JSON.stringify(shape)),
    ttlMs: idempotencyTtlMs,
  };
}
