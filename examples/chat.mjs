// Streams a completion with the official OpenAI client.
//   npm install openai && TRUNKLINE_POOL_KEY=… node examples/chat.mjs "Hello"

import OpenAI from "openai";

const client = new OpenAI({
  baseURL: `${process.env.BASE_URL ?? "http://127.0.0.1:8080"}/api/ai/v1`,
  apiKey: process.env.TRUNKLINE_POOL_KEY,
});

const stream = await client.chat.completions.create({
  model: "default", // the pool's name, or the name of a model that a member serves
  messages: [{ role: "user", content: process.argv[2] ?? "Hello" }],
  stream: true,
});
// A stream that breaks off throws here: a truncated answer never looks complete.
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");
process.stdout.write("\n");
