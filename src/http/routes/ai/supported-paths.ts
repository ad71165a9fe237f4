// What is said of a path of the AI gateway that does not exist: which paths of that API do. Vendors have many operations that the
// gateway does not have, such as files, batches and assistants.

import type { IncomingHttpHeaders } from "node:http";
import { errorShapeAt, errorShapeOf } from "#ai/apis/apis.ts";
import type { Head } from "#http/call.ts";

/** What the paths of an API begin with, by the name of the shape of its errors. */
const roots: Readonly<Record<string, string>> = { Gemini: "/api/ai/v1beta" };
const defaultRoot = "/api/ai/v1";

/** Anthropic's clients list models where OpenAI's do. */
const shared: Readonly<Record<string, readonly string[]>> = { Anthropic: [`${defaultRoot}/models`] };

/**
 * Says which paths the API has that was asked at a path, or by a client, which has no such path. The sentence repeats nothing of
 * the request. `heads`: of all endpoints.
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
