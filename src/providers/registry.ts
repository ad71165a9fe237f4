// The list of all AI providers.

import { anthropic } from "#providers/anthropic/anthropic.ts";
import { bedrock } from "#providers/bedrock/bedrock.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { sandbox } from "#providers/sandbox/sandbox.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import type { Provider } from "./provider.ts";

export const providers: readonly Provider[] = [openaiCompatible, anthropic, gemini, vertex, bedrock, sandbox];

/** The provider of a kind. Null for an unknown kind. */
export function findProvider(kind: string): Provider | null {
  return providers.find((provider) => provider.kind === kind) ?? null;
}
