// The form in which the request of a deferred completion is stored. A chat completion is stored as its own text, an object; a request of
// another API as a list, so that no body can be mistaken for one: the path of its operation, the forwarded headers and its text.

import { clientApis } from "#ai/apis/apis.ts";
import type { ApiOperation, ClientApi } from "#ai/apis/client-api.ts";
import type { ClientRequest } from "#ai/complete.ts";
import type { ModelRequest } from "#contract/ai/chat.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import { isObject } from "#contract/normalise.ts";
import { isProblem, type Problem } from "#contract/problem.ts";

/** The operation whose requests are stored as plain text. */
const plainPath = "/api/ai/v1/chat/completions";

/** A request to be stored. */
export interface StoredRequest {
  /** The path of the operation. */
  path: string;
  /** The headers that are forwarded to a member, in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** The text to store. */
export const packed = ({ path, headers, text }: StoredRequest): string =>
  path === plainPath ? text : JSON.stringify([path, headers, text]);

/** The stored request; null if it is not in a form that this version writes. */
export function unpacked(stored: string): StoredRequest | null {
  if (!stored.startsWith("[")) return { path: plainPath, headers: {}, text: stored };
  const [path, headers, text] = JSON.parse(stored) as unknown[];
  if (typeof path !== "string" || !isObject(headers) || typeof text !== "string") return null;
  return { path, headers: headers as StoredRequest["headers"], text };
}

function operationAt(path: string): { api: ClientApi; operation: ApiOperation } | null {
  for (const api of clientApis) {
    const operation = api.operations.find((one) => one.path === path && one.deferrable);
    if (operation) return { api, operation };
  }
  return null;
}

/** The name of the API with an operation at a path; null if none there can be deferred. */
export const formatAt = (path: string): ClientApi["format"] | null => operationAt(path)?.api.format ?? null;

/** The path of an API by its name; undefined if no API has the name. */
export const pathOf = (format: string | null): string | undefined =>
  clientApis.find((api) => api.format === format)?.path;

/** The part of a completion's id that its answer's ids share. */
export const stemOf = (id: string): string => id.replace(/^cmp_/, "");

/** The call that a stored request describes. `createdAt`: when it was stored, epoch ms. */
export function callOf(
  { path, headers, text }: StoredRequest,
  { id, createdAt }: { id: string; createdAt: number },
): ClientRequest | Problem {
  const found = operationAt(path);
  if (found === null) return aiProblem("malformed_body");
  const read: ModelRequest | Problem = found.operation.read(text, {});
  if (isProblem(read)) return read;
  const received = {
    headers,
    stem: stemOf(id),
    created: Math.floor(createdAt / 1_000),
    query: new URLSearchParams(),
    isDeferred: true as const,
  };
  return { kind: "chat", ...read, api: found.api.request(read, received) };
}
