// The capabilities of a Claude model, derived from its name. A name without a version counts as the newest. Source:
// platform.claude.com/docs: about-claude/models/overview, build-with-claude/thinking,
// build-with-claude/structured-outputs, the migration guides.

export interface ClaudeCapabilities {
  /**
   * How to request thinking: not before 3.7, by `budget_tokens` up to 4.5, `adaptive` with an effort from 4.6
   * on.
   */
  thinking: "none" | "budget" | "adaptive";
  /** Thinks unless disabled: version 5. */
  thinksByDefault: boolean;
  /**
   * The `thinking` setting that turns it off if it thinks by default; null if none does (Opus 5.5, Fable and Mythos 5.1). Sonnet 5.5
   * accepts only `between_tools`.
   */
  thinkingOff: "disabled" | "between_tools" | null;
  /** Can be forced to call a tool: not Opus and Sonnet from 5.5 on, nor Fable and Mythos from 5.1 on. */
  forcedTools: boolean;
  /** Accepts `temperature`, `top_p` and `top_k`: up to 4.6; later models answer 400 to any value but the default. */
  sampling: boolean;
  /** Accepts only one of `temperature` and `top_p`: from 4.1 on. */
  eitherSampler: boolean;
  /** Has `output_config.format` and strict tools: from 4.5 on. */
  structured: boolean;
  /** Has the effort `xhigh`: from 4.7 on. */
  xhigh: boolean;
  /** Continues an answer that the request begins (an assistant message at its end): before 4.6. */
  prefill: boolean;
  /** Accepts system messages between turns: Opus from 4.8 on, the others from 5 on. Other models answer 400. */
  systemBetweenTurns: boolean;
  /**
   * For requests without a limit, since Anthropic requires one: 21,333, the most that the vendor's SDKs
   * request without streaming; less for older generations (8192 before 3.7, 4096 before 3.5); 4096, which
   * every model accepts, for names without a version.
   */
  maxTokens: number;
  /** The same for streams, which may take longer: from 4.5 on the maximum that the model writes. */
  maxStreamTokens: number;
}

/** 406 for 4.6; null if the name has no version. */
export function claudeVersion(model: string): number | null {
  // claude-sonnet-4-5-20250929, claude-3-7-sonnet-latest, anthropic.claude-opus-4-1@20250805, claude-haiku-4.5
  const words = model.toLowerCase().split(/[^a-z0-9]+/);
  const numbers = words.slice(words.indexOf("claude") + 1);
  const at = numbers.findIndex((word) => /^\d{1,2}$/.test(word));
  if (!words.includes("claude") || at === -1) return null;
  const minor = numbers[at + 1] ?? "";
  return Number(numbers[at]) * 100 + (/^\d{1,2}$/.test(minor) ? Number(minor) : 0);
}

export function claudeCapabilities(model: string): ClaudeCapabilities {
  const version = claudeVersion(model);
  const known = version ?? Number.POSITIVE_INFINITY;
  const maxTokens = version === null || version < 305 ? 4096 : version < 307 ? 8192 : 21_333;
  const isNewest = version !== null && version >= (/fable|mythos/i.test(model) ? 501 : 505);
  const forcedTools = !(isNewest && /opus|sonnet|fable|mythos/i.test(model));
  return {
    thinking: known < 307 ? "none" : known < 406 ? "budget" : "adaptive",
    thinksByDefault: version !== null && version >= 500,
    thinkingOff: forcedTools ? "disabled" : /sonnet/i.test(model) ? "between_tools" : null,
    forcedTools,
    sampling: version === null || version < 407,
    eitherSampler: version !== null && version >= 401,
    structured: known >= 405,
    xhigh: known >= 407,
    systemBetweenTurns: version !== null && version >= (/opus/i.test(model) ? 408 : 500),
    prefill: version === null || version < 406,
    maxTokens,
    maxStreamTokens: version === null || version < 405 ? maxTokens : streamTokens(model, version),
  };
}

/** Before 4.5, a limit that does not fit into the context together with the prompt is refused. */
function streamTokens(model: string, version: number): number {
  const isLong =
    version >= 500 ? /opus|sonnet|fable|mythos/i.test(model) : /opus/i.test(model) && version >= 406;
  return isLong ? 128_000 : 64_000;
}
