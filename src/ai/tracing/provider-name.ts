// The names of providers in OpenTelemetry's conventions, `gen_ai.provider.name`.
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/registry/attributes/gen-ai.md

import type { Member } from "#ai/pools/member.ts";
import { isObject } from "#contract/normalise.ts";

const byKind: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
};

/** For members of kind `openai-compatible`. A provider that the conventions do not list keeps the name from its settings. */
const byVendor: Readonly<Record<string, string>> = {
  "azure-openai": "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

export function providerName({
  provider,
  settings,
}: Pick<Member, "settings"> & { provider: { kind: string } }): string {
  const vendor = isObject(settings) && typeof settings.vendor === "string" ? settings.vendor : null;
  if (provider.kind !== "openai-compatible" || vendor === null) return byKind[provider.kind] ?? provider.kind;
  return byVendor[vendor] ?? vendor;
}
