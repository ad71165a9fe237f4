// An upstream that answers at once in the format of the API that it is asked in (OpenAI's two, Anthropic's, Gemini's): what a gateway adds
// is what is left of the time. Streams leave in one piece; with the user `words` each word in a turn of its own, with `paced` 30 words a second.
// Started by `run.ts`; says its port over IPC; ends with its parent.

import { createServer, type ServerResponse } from "node:http";

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

const usage = { input_tokens: 20, output_tokens: 24 };
/** Whole answers of the other APIs, by the end of the path. */
const others: [RegExp, object][] = [
  [/\/count_tokens$/, { input_tokens: 20 }],
  [
    /\/messages$/,
    {
      id: "msg_bench",
      type: "message",
      role: "assistant",
      model: "bench",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage,
    },
  ],
  [
    /\/responses$/,
    {
      id: "resp_bench",
      object: "response",
      created_at: 1_700_000_000,
      status: "completed",
      model: "bench",
      output: [
        {
          id: "msg_bench",
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ],
      usage: { ...usage, total_tokens: 44 },
    },
  ],
  [
    /:generateContent$/,
    {
      candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 24, totalTokenCount: 44 },
      modelVersion: "bench",
    },
  ],
];

const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
function messagesStream(response: ServerResponse, words: number): void {
  response.cork();
  const message = { id: "msg_bench", type: "message", role: "assistant", model: "bench", content: [], usage };
  response.write(event({ type: "message_start", message } as { type: string }));
  const content_block = { type: "text", text: "" };
  response.write(event({ type: "content_block_start", index: 0, content_block } as { type: string }));
  for (let i = 0; i < words; i++) {
    const delta = { type: "text_delta", text: `word ${i} ` };
    response.write(event({ type: "content_block_delta", index: 0, delta } as { type: string }));
  }
  response.write(event({ type: "content_block_stop", index: 0 } as { type: string }));
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  response.write(event({ type: "message_delta", delta, usage } as { type: string }));
  response.end(event({ type: "message_stop" }));
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    const path = request.url?.split("?")[0] ?? "";
    if (!body.includes('"stream":true')) {
      const other = others.find(([end]) => end.test(path))?.[1];
      const whole = other ? JSON.stringify(other) : answer;
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(whole),
      });
      response.end(whole);
      return;
    }
    const tokens = Number(/"max_tokens":(\d+)/.exec(body)?.[1] ?? 5);
    const everyMs = body.includes('"user":"paced"') ? 1000 / 30 : 0;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (path.endsWith("/messages")) return messagesStream(response, tokens);
    if (!body.includes('"user":')) response.cork();
    response.write(chunk({ role: "assistant", content: "" }) + chunk({ content: "word 0 " }));
    const last = `${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench", choices: [], usage: { prompt_tokens: 20, completion_tokens: tokens, total_tokens: 20 + tokens } })}`;
    const end = () => response.end(`${chunk({}, "stop")}data: ${last}\n\ndata: [DONE]\n\n`);
    if (body.includes('"user":"words"')) {
      const next = (i: number): void => {
        if (i === tokens) {
          end();
          return;
        }
        response.write(chunk({ content: `word ${i} ` }));
        setImmediate(next, i + 1);
      };
      next(1);
      return;
    }
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
