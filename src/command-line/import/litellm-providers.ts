// LiteLLM's providers as kinds of members. Its names and the variables that it reads without a key in the file:
// https://docs.litellm.ai/docs/providers

/** Objects of a file that was written for another program. */
export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** How texts of the file are written in a provisioning file. */
export interface Writer {
  /** A text that may name a variable; null if there is none. */
  plain(value: unknown): string | null;
  /** A variable that LiteLLM reads. */
  variable(name: string): string;
  /** A secret, always by the name of a variable. `preset`: the one that LiteLLM reads without a value in the file. */
  secret(field: string, value: unknown, preset?: string): string | null;
}

interface Target {
  kind: string;
  settings: Record<string, unknown>;
  /** The provider's own name of the model. */
  model: string;
  /** Fields of `litellm_params` that are in `settings`, or that it needs no more. */
  used: readonly string[];
}

/** LiteLLM's name, the vendor here, and LiteLLM's variable with the key; null where a key is not usual. */
const compatible: Readonly<Record<string, readonly [vendor: string, variable: string | null]>> = {
  openai: ["openai", "OPENAI_API_KEY"],
  openrouter: ["openrouter", "OPENROUTER_API_KEY"],
  groq: ["groq", "GROQ_API_KEY"],
  mistral: ["mistral", "MISTRAL_API_KEY"],
  deepseek: ["deepseek", "DEEPSEEK_API_KEY"],
  together_ai: ["together", "TOGETHERAI_API_KEY"],
  xai: ["xai", "XAI_API_KEY"],
  perplexity: ["perplexity", "PERPLEXITYAI_API_KEY"],
  cerebras: ["cerebras", "CEREBRAS_API_KEY"],
  fireworks_ai: ["fireworks", "FIREWORKS_AI_API_KEY"],
  nvidia_nim: ["nvidia", "NVIDIA_NIM_API_KEY"],
  sambanova: ["sambanova", "SAMBANOVA_API_KEY"],
  huggingface: ["hugging-face", "HF_TOKEN"],
  deepinfra: ["deepinfra", "DEEPINFRA_API_KEY"],
  moonshot: ["moonshot", "MOONSHOT_API_KEY"],
  zai: ["z.ai", "ZAI_API_KEY"],
  ollama: ["ollama", null],
  ollama_chat: ["ollama", null],
  hosted_vllm: ["vllm", null],
  lm_studio: ["lm-studio", null],
  // Servers at an address of their own.
  openai_like: ["openai", null],
  custom_openai: ["openai", null],
  litellm_proxy: ["openai", null],
};
const needsBase: ReadonlySet<string> = new Set(["openai_like", "custom_openai", "litellm_proxy"]);

/** Models that LiteLLM knows without a provider before them. */
const known: readonly [RegExp, string][] = [
  [/^(?:gpt-|chatgpt-|o\d|text-embedding-|dall-e-|whisper-|tts-|omni-moderation)/, "openai"],
  [/^claude-/, "anthropic"],
];

/** The provider and its model; null if the file does not say it. */
function providerOf(params: Fields): { provider: string; model: string } | null {
  const name = textOf(params.model) ?? "";
  const own = textOf(params.custom_llm_provider);
  const at = name.indexOf("/");
  if (own !== null)
    return { provider: own, model: name.startsWith(`${own}/`) ? name.slice(own.length + 1) : name };
  if (at > 0) return { provider: name.slice(0, at), model: name.slice(at + 1) };
  const found = known.find(([pattern]) => pattern.test(name));
  return found === undefined ? null : { provider: found[1], model: name };
}

/** `base` with `path` after it, unless it has it. */
function withPath(base: string, path: string): string {
  const bare = base.replace(/(?<!\/)\/+$/, "");
  return bare.endsWith(path) ? bare : `${bare}${path}`;
}

/** Without those that are null. */
const present = (values: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** The member that a deployment's `litellm_params` describe, or why there is none, in one sentence. */
export function targetOf(params: Fields, writer: Writer): Target | string {
  const found = providerOf(params);
  if (found === null)
    return "The provider is not named: write it before the model, as in `openai/gpt-5-mini`.";
  const { provider, model } = found;
  if (model === "") return "The model is not named.";
  const base = writer.plain(params.api_base ?? params.base_url);
  // It is shown, and paths are appended to it.
  if (base !== null && /[?#@]/.test(base)) return "The address has a login or a query.";
  const key = (preset?: string) => writer.secret("api_key", params.api_key, preset);
  const used = ["api_key", "api_base", "base_url"];
  const known = compatible[provider];
  if (known !== undefined) {
    const [vendor, variable] = known;
    if (base === null && needsBase.has(provider)) return "It needs an `api_base`.";
    const url = base !== null && vendor === "ollama" ? withPath(base, "/v1") : base;
    const organization = writer.plain(params.organization);
    const headers = organization === null ? null : { "openai-organization": organization };
    const settings = present({ vendor, base_url: url, api_key: key(variable ?? undefined), headers });
    return { kind: "openai-compatible", model, settings, used: [...used, "organization"] };
  }
  switch (provider) {
    case "azure": {
      const url = withPath(base ?? writer.variable("AZURE_API_BASE"), "/openai/v1");
      const settings = present({ vendor: "azure-openai", base_url: url, api_key: key("AZURE_API_KEY") });
      // This address has no versions.
      return { kind: "openai-compatible", model, settings, used: [...used, "api_version"] };
    }
    case "anthropic":
      return {
        kind: provider,
        model,
        settings: present({ base_url: base, api_key: key("ANTHROPIC_API_KEY") }),
        used,
      };
    case "gemini":
      return {
        kind: provider,
        model,
        settings: present({ base_url: base, api_key: key("GEMINI_API_KEY") }),
        used,
      };
    case "vertex_ai": {
      const settings = present({
        project: writer.plain(params.vertex_project),
        location: writer.plain(params.vertex_location) ?? "us-central1",
        credentials: writer.secret("vertex_credentials", params.vertex_credentials, "VERTEX_CREDENTIALS"),
      });
      return {
        kind: "vertex",
        model,
        settings,
        used: ["vertex_project", "vertex_location", "vertex_credentials"],
      };
    }
    case "bedrock": {
      const region = writer.plain(params.aws_region_name) ?? writer.variable("AWS_REGION_NAME");
      const own = textOf(params.api_key);
      const settings = present({
        region,
        ...(own !== null
          ? { api_key: key() }
          : {
              access_key_id: writer.secret(
                "aws_access_key_id",
                params.aws_access_key_id,
                "AWS_ACCESS_KEY_ID",
              ),
              secret_access_key: writer.secret(
                "aws_secret_access_key",
                params.aws_secret_access_key,
                "AWS_SECRET_ACCESS_KEY",
              ),
              session_token: writer.secret("aws_session_token", params.aws_session_token),
            }),
      });
      return {
        kind: "bedrock",
        model: model.replace(/^(?:converse|invoke)\//, ""),
        settings,
        used: [
          "api_key",
          "aws_region_name",
          "aws_access_key_id",
          "aws_secret_access_key",
          "aws_session_token",
        ],
      };
    }
    default:
      return `Trunkline has no provider \`${provider}\`. One with an OpenAI-compatible API works as \`openai/…\` with its \`api_base\`.`;
  }
}
