// The public call that asks the same of the pool, as a program of one's own makes it.

import type { TryPoolMessage } from "#ui/api/schema.ts";

/** What a trial asks besides the conversation. Null, or none: the model's own. */
export interface Asked {
  /** Null: the pool chooses. */
  model: string | null;
  messages: readonly TryPoolMessage[];
  temperature: number | null;
  max_tokens: number | null;
  stop: readonly string[];
}

export const languages = ["curl", "JavaScript", "Python"] as const;
export type Language = (typeof languages)[number];

/** `pool`: its name, which stands for whichever model it chooses. */
function bodyOf(pool: string, { model, messages, temperature, max_tokens, stop }: Asked) {
  return {
    model: model ?? pool,
    messages,
    ...(temperature === null ? {} : { temperature }),
    ...(max_tokens === null ? {} : { max_tokens }),
    ...(stop.length === 0 ? {} : { stop }),
    stream: true,
  };
}

const curl = (origin: string, body: object) => `curl -N ${origin}/api/ai/v1/chat/completions \\
  -H "Authorization: Bearer $TRUNKLINE_POOL_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`;

const javaScript = (origin: string, body: object) => `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${origin}/api/ai/v1",
  apiKey: process.env.TRUNKLINE_POOL_KEY,
});
const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");`;

/** Texts, numbers and lists are written alike in JSON and in Python. */
const python = (origin: string, body: object) => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/api/ai/v1",
    api_key=os.environ["TRUNKLINE_POOL_KEY"],
)
stream = client.chat.completions.create(
${Object.entries(body)
  .map(([name, value]) => `    ${name}=${value === true ? "True" : JSON.stringify(value)},`)
  .join("\n")}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;

const writers = { curl, JavaScript: javaScript, Python: python };

/** Asks the same with a pool key from the environment variable `TRUNKLINE_POOL_KEY`. */
export const snippetOf = (language: Language, origin: string, pool: string, asked: Asked): string =>
  writers[language](origin, bodyOf(pool, asked));
