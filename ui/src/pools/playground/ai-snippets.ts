// A completion as code, for the common clients. The pool's key is never part of it.

import type { TryPoolMessage } from "#ui/api/schema.ts";
import { quoted } from "#ui/words/quoted.ts";

/** The environment variable with the key of the pool. */
export const poolKey = "TRUNKLINE_POOL_KEY";

export const openaiClients = [
  ["curl", "curl"],
  ["openai-js", "OpenAI, JavaScript"],
  ["openai-python", "OpenAI, Python"],
] as const;
export const clients = [
  ...openaiClients,
  ["anthropic-js", "Anthropic, JavaScript"],
  ["anthropic-python", "Anthropic, Python"],
] as const;
export type OpenaiClient = (typeof openaiClients)[number][0];
export type Client = (typeof clients)[number][0];

/** The body of a chat completion. */
export interface Completion {
  /** A name that the pool serves. */
  model: string;
  messages: readonly TryPoolMessage[];
  temperature?: number;
  max_tokens?: number;
  stop?: readonly string[];
  stream?: true;
}

/** The base URL of a client. Anthropic's clients add the version themselves. */
export const baseUrl = (api: "openai" | "anthropic", origin: string): string =>
  api === "openai" ? `${origin}/api/ai/v1` : `${origin}/api/ai`;

/** Arguments of a call in Python. Texts, numbers and lists are written alike there and in JSON. */
const pythonArguments = (body: object): string =>
  Object.entries(body)
    .map(([name, value]) => `    ${name}=${value === true ? "True" : JSON.stringify(value)},`)
    .join("\n");

/** Anthropic's API requires a limit. */
const anthropicBody = ({ model, messages }: Completion) => ({ model, max_tokens: 1024, messages });

const writers: Readonly<Record<Client, (origin: string, body: Completion) => string>> = {
  curl: (origin, body) => `curl ${body.stream ? "-N " : ""}${baseUrl("openai", origin)}/chat/completions \\
  -H "Authorization: Bearer $${poolKey}" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify(body))}`,

  "openai-js": (origin, body) => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl("openai", origin))},
  apiKey: process.env.${poolKey},
});
const answer = await client.chat.completions.create(${JSON.stringify(body, null, 2)});
${
  body.stream
    ? `for await (const chunk of answer) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");`
    : "console.log(answer.choices[0].message.content);"
}`,

  "openai-python": (origin, body) => `import os
from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(baseUrl("openai", origin))},
    api_key=os.environ["${poolKey}"],
)
answer = client.chat.completions.create(
${pythonArguments(body)}
)
${
  body.stream
    ? `for chunk in answer:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`
    : "print(answer.choices[0].message.content)"
}`,

  "anthropic-js": (origin, body) => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${JSON.stringify(baseUrl("anthropic", origin))},
  apiKey: process.env.${poolKey},
});
const answer = await client.messages.create(${JSON.stringify(anthropicBody(body), null, 2)});
console.log(answer.content);`,

  "anthropic-python": (origin, body) => `import os
from anthropic import Anthropic

client = Anthropic(
    base_url=${JSON.stringify(baseUrl("anthropic", origin))},
    api_key=os.environ["${poolKey}"],
)
answer = client.messages.create(
${pythonArguments(anthropicBody(body))}
)
print(answer.content)`,
};

/** The call of a pool with its key in the environment. Anthropic's clients send only the messages. */
export const aiSnippetOf = (client: Client, origin: string, body: Completion): string =>
  writers[client](origin, body);
