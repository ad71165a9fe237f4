// A completion as a program asks for it, by the clients that people use. The key of the pool is never part of it.

export const clients = [
  ["curl", "curl"],
  ["openai-js", "OpenAI, JavaScript"],
  ["openai-python", "OpenAI, Python"],
  ["anthropic-js", "Anthropic, JavaScript"],
  ["anthropic-python", "Anthropic, Python"],
] as const;
export type Client = (typeof clients)[number][0];

/** What a client is given as its base URL. Anthropic's add the version by themselves. */
export const baseUrl = (api: "openai" | "anthropic", origin: string): string =>
  api === "openai" ? `${origin}/api/ai/v1` : `${origin}/api/ai`;

/** In a shell's single quotes nothing but such a quote has a meaning. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The call of a pool with its key in the environment variable `POOL_KEY`. `model`: a name that the pool serves. */
export function aiSnippetOf(client: Client, origin: string, model: string): string {
  // A JSON text is one of JavaScript and of Python, too.
  const name = JSON.stringify(model);
  const openai = JSON.stringify(baseUrl("openai", origin));
  const anthropic = JSON.stringify(baseUrl("anthropic", origin));
  switch (client) {
    case "curl":
      return `curl ${baseUrl("openai", origin)}/chat/completions \\
  -H "Authorization: Bearer $POOL_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(`{"model":${name},"messages":[{"role":"user","content":"Hello"}]}`)}`;
    case "openai-js":
      return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${openai}, apiKey: process.env.POOL_KEY });
const answer = await client.chat.completions.create({
  model: ${name},
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`;
    case "openai-python":
      return `import os
from openai import OpenAI

client = OpenAI(base_url=${openai}, api_key=os.environ["POOL_KEY"])
answer = client.chat.completions.create(
    model=${name},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;
    case "anthropic-js":
      return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${anthropic}, apiKey: process.env.POOL_KEY });
const answer = await client.messages.create({
  model: ${name},
  max_tokens: 1024,
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.content);`;
    case "anthropic-python":
      return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${anthropic}, api_key=os.environ["POOL_KEY"])
answer = client.messages.create(
    model=${name},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content)`;
  }
}
