// A scripted member as a pool names it.

/** How a member's format is called here. */
export const formatNames = ["chat", "messages", "responses"] as const;
export type FormatName = (typeof formatNames)[number];

export interface PoolMember {
  name: string;
  format: FormatName;
  model: string;
  url: string;
  priority?: number;
}

/** As a provisioning file has it. */
export function poolMember({ name, format, model, url, priority = 1 }: PoolMember): object {
  const isClaude = format === "messages";
  return {
    name,
    priority,
    kind: isClaude ? "anthropic" : "openai-compatible",
    models: [model],
    settings: isClaude
      ? { base_url: url, api_key: "sk-ant-none" }
      : { base_url: `${url}/v1`, api_key: "sk-none", responses: format === "responses" },
  };
}
