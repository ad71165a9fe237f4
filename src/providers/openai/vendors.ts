// The vendors that speak OpenAI's chat completions, each with its differences from OpenAI. docs/ai-vendors.md lists the sources and when
// they were read.

import { isOwnHost, type ListedVendor } from "#providers/prices/list-price.ts";

export interface VendorDefaults {
  /** Null if each account has its own address. */
  url: string | null;
  /** The form of such an address. */
  urlForm?: string;
  /** The header that contains the key, if it is not `Authorization: Bearer`. */
  keyHeader?: string;
  /** Its streams report usage by default, and it may refuse `stream_options`. */
  reportsUsageUnasked?: boolean;
  /**
   * Where it has the Responses API. `documented`: at every address, according to its documentation; an old server or some model may still
   * lack it. A pattern: at base URLs that match, for certain. Absent: nowhere, for other models, or only for a few.
   */
  responses?: "documented" | RegExp;
  /** It accepts the role `developer`, or a custom address of it may; for the others it becomes `system`. */
  knowsDeveloper?: true;
  /** It accepts only call ids in its own form. */
  ownCallIds?: true;
  /** Its chat completions accept files as links. */
  takesFileLinks?: true;
  /** The vendor whose list prices its models have; with a custom address, only at that address. */
  listed?: ListedVendor;
}

/** A new vendor needs one line here, one in the test and one in docs/ai-vendors.md. */
const vendors = {
  // The kind's default: any server with a custom address may be behind it.
  openai: {
    url: "https://api.openai.com/v1",
    responses: /^https:\/\/(\w+\.)?api\.openai\.com\//,
    knowsDeveloper: true,
    listed: "openai",
  },
  "azure-openai": {
    url: null,
    urlForm: "https://NAME.openai.azure.com/openai/v1",
    keyHeader: "api-key",
    responses: /\/openai\/v1$/,
    knowsDeveloper: true,
    listed: "openai",
  },
  openrouter: {
    url: "https://openrouter.ai/api/v1",
    responses: "documented",
    knowsDeveloper: true,
    takesFileLinks: true,
  },
  groq: { url: "https://api.groq.com/openai/v1", responses: "documented", listed: "groq" },
  mistral: {
    url: "https://api.mistral.ai/v1",
    reportsUsageUnasked: true,
    ownCallIds: true,
    listed: "mistral",
  },
  deepseek: { url: "https://api.deepseek.com/v1", listed: "deepseek" },
  together: { url: "https://api.together.xyz/v1", listed: "together" },
  xai: { url: "https://api.x.ai/v1", responses: "documented", listed: "xai" },
  perplexity: { url: "https://api.perplexity.ai", reportsUsageUnasked: true, listed: "perplexity" },
  cerebras: { url: "https://api.cerebras.ai/v1", listed: "cerebras" },
  fireworks: { url: "https://api.fireworks.ai/inference/v1", responses: "documented", listed: "fireworks" },
  nvidia: { url: "https://integrate.api.nvidia.com/v1" },
  sambanova: { url: "https://api.sambanova.ai/v1" },
  "hugging-face": { url: "https://router.huggingface.co/v1", responses: "documented" },
  cloudflare: { url: null, urlForm: "https://api.cloudflare.com/client/v4/accounts/ACCOUNT_ID/ai/v1" },
  deepinfra: { url: "https://api.deepinfra.com/v1/openai" },
  moonshot: { url: "https://api.moonshot.ai/v1", responses: "documented", listed: "moonshot" },
  "z.ai": { url: "https://api.z.ai/api/paas/v4", listed: "z.ai" },
  ollama: { url: "http://127.0.0.1:11434/v1", responses: "documented" },
  // Both pass the role to the model's own template.
  vllm: { url: "http://127.0.0.1:8000/v1", responses: "documented", knowsDeveloper: true },
  "llama.cpp": { url: "http://127.0.0.1:8080/v1", knowsDeveloper: true },
  "lm-studio": { url: "http://127.0.0.1:1234/v1", responses: "documented" },
} satisfies Record<string, VendorDefaults>;
type Vendor = keyof typeof vendors;

/** What the vendors are called, where it is not the word with a capital. */
export const vendorTitles: { readonly [Name in Vendor]?: string } = {
  openai: "OpenAI",
  "azure-openai": "Azure OpenAI",
  openrouter: "OpenRouter",
  deepseek: "DeepSeek",
  together: "Together AI",
  xai: "xAI",
  fireworks: "Fireworks AI",
  nvidia: "NVIDIA",
  sambanova: "SambaNova",
  "hugging-face": "Hugging Face",
  cloudflare: "Cloudflare Workers AI",
  deepinfra: "DeepInfra",
  moonshot: "Moonshot AI",
  vllm: "vLLM",
  "llama.cpp": "llama.cpp",
  "lm-studio": "LM Studio",
};

export const vendorNames = Object.keys(vendors) as Vendor[];

export const defaultsOf = (vendor: Vendor): VendorDefaults => vendors[vendor];

/**
 * Whether the vendor has the Responses API at a base URL, as far as is known without calling it. `assumed`: it documents the API, but this
 * server or model may lack it.
 */
export function responsesAt(vendor: Vendor, base: string): "yes" | "assumed" | "no" {
  const { responses } = defaultsOf(vendor);
  if (responses === undefined) return "no";
  if (responses === "documented") return "assumed";
  return responses.test(base) ? "yes" : "no";
}

/** The vendor whose list prices the models at a base URL have; null if another server may be there, or if none are listed. */
export function listedAt(vendor: Vendor, base: string): ListedVendor | null {
  const { url, listed = null } = defaultsOf(vendor);
  return url === null || isOwnHost(base, url) ? listed : null;
}
