// The message for an AI gateway path that does not exist: which paths of that API do. Vendors have many operations that the gateway does
// not have, such as files, batches and assistants.

import type { IncomingHttpHeaders } from "node:http";
import { errorShapeAt, errorShapeOf } from "#ai/apis/apis.ts";
import type { Head } from "#http/call.ts";

/** The path prefix of an API, by the name of its error shape. */
const roots: Readonly<Record<string, string>> = { Gemini: "/api/ai/v1beta" };
const defaultRoot = "/api/ai/v1";

/** Anthropic's clients list models at the same path as OpenAI's. */
const shared: Readonly<Record<string, readonly string[]>> = { Anthropic: [`${defaultRoot}/models`] };

/**
 * Lists the paths of the API that a missing path belongs to, or that the client speaks. The sentence repeats nothing of the request.
 * `heads`: those of all endpoints.
 */
export function createUnknownPathSentence(
  heads: readonly Pick<Head, "family" | "path">[],
): (url: string, headers: IncomingHttpHeaders) => string {
  const paths = new Set(heads.filter(({ family }) => family === "pool").map(({ path }) => path));
  return (url, headers) => {
    const shape = errorShapeAt(url, headers).name;
    const root = roots[shape] ?? defaultRoot;
    const own = [...paths].filter((path) => path.startsWith(`${root}/`) && errorShapeOf(path).name === shape);
    const names = [...own, ...(shared[shape] ?? [])].map((path) => path.slice(root.length));
    return `This path is not supported. Below ${root} there are ${names.sort().join(", ")}.`;
  };
}
