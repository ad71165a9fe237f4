// An OpenAI-like upstream that answers at once: what a gateway adds is what is left of the time. Started by
// `run.ts`; says its port over IPC; ends with its parent.

import { createServer } from "node:http";

const text =
  "The quick brown fox jumps over the lazy dog, and nothing else of note happens in this answer at all.";
const answer = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "bench",
  choices: [
    { index: 0, message: { role: "assistant", content: text }, logprobs: null, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 20, completion_tokens: 24, total_tokens: 44 },
});

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    if (!body.includes('"stream":true')) {
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(answer),
      });
      response.end(answer);
      return;
    }
    const tokens = Number(/"max_tokens":(\d+)/.exec(body)?.[1] ?? 5);
    const everyMs = body.includes('"user":"paced"') ? 1000 / 30 : 0;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ role: "assistant", content: "" }) + chunk({ content: "word 0 " }));
    const end = () => response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
    if (everyMs === 0) {
      for (let i = 1; i < tokens; i++) response.write(chunk({ content: `word ${i} ` }));
      end();
      return;
    }
    let sent = 1;
    const timer = setInterval(() => {
      response.write(chunk({ content: `word ${sent} ` }));
      sent += 1;
      if (sent < tokens) return;
      clearInterval(timer);
      end();
    }, everyMs);
    response.on("close", () => clearInterval(timer));
  });
});
server.keepAliveTimeout = 60_000;
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { port: number }).port }));
