// Prefixes that servers put before the message of the vendor that they called: exception names, statuses, JSON in a text. None of it is
// client text, so what follows still counts as an opening. Sources: LiteLLM, OpenRouter, DashScope, TGI, the vendors' SDKs.

import type { Failure } from "#providers/provider.ts";

const prefixes: readonly RegExp[] = [
  // `litellm.ContextWindowExceededError: `, `OpenAIException - `, `VertexAIException BadRequestError - `
  /^(?:[a-z]\w{0,30}\.){0,4}[A-Z]\w{0,60}(?:Error|Exception)(?: [A-Z]\w{0,60}(?:Error|Exception))?(?: -|:) ?/,
  // `<400> InternalError.Algo.InvalidParameter: `
  /^<\d{3}> [\w.]{1,80}: /,
  // `Error code: 400 - `, `HTTP 400: `, `400 `
  /^(?:error code: |status code: |http )?[45]\d{2}(?: -|:|,)? /i,
  // `Input validation error: `, `Provider returned error: `, `invalid params, `
  /^(?:(?:an )?(?:api |backend |internal |inference |input validation |provider |request |server |upstream |validation |value )?error(?: occurred| code)?|bad request|invalid request(?: error)?|invalid params?|request failed|provider returned error)[:,] /i,
  // `Upstream error from DeepInfra: `
  /^(?:upstream|provider) error from [\w. -]{1,40}: /i,
  // `{"object":"error",`, `{'code': 400, `
  /^[{[ ]{0,8}\\{0,2}['"](?:object|code|type|status)\\{0,2}['"] ?: ?(?:\d{1,6}|null|\\{0,2}['"][\w.-]{0,60}\\{0,2}['"]), ?/,
  // `{"error":{"message":"`, `"message":"`
  /^[{[ ]{0,8}\\{0,2}['"](?:error|message|detail|msg)\\{0,2}['"] ?: ?(?:\\{0,2}['"])?/,
];
const maxPrefixes = 12;

/** Names of LiteLLM's exceptions that determine what an error means. */
const named: readonly (readonly [RegExp, Failure["kind"]])[] = [
  [/ContextWindowExceeded/, "context_length"],
  [/ContentPolicyViolation/, "content_policy"],
  [/UnsupportedParams/, "unsupported"],
];

/** `text`: the message without a server's prefixes. `kind`: the meaning of an exception name in them, or null if there is none. */
export function withoutPrefixes(message: string): { text: string; kind: Failure["kind"] | null } {
  let text = message;
  let kind: Failure["kind"] | null = null;
  for (let turn = 0; turn < maxPrefixes; turn++) {
    const prefix = prefixes.map((pattern) => pattern.exec(text)?.[0] ?? "").find((found) => found !== "");
    if (prefix === undefined) break;
    kind ??= named.find(([pattern]) => pattern.test(prefix))?.[1] ?? null;
    text = text.slice(prefix.length);
  }
  return { text, kind };
}
