// Every kind of AI provider there is. A kind that is not in this list does not exist.

import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { sandbox } from "./sandbox.ts";

export const providers: readonly Provider[] = [openaiCompatible, anthropic, gemini, sandbox];

/** The provider of a kind; null when there is none. */
export function providerOf(kind: string): Provider | null {
  return providers.find((provider) => provider.kind === kind) ?? null;
}
