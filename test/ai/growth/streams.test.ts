// Work on a stream is linear in its length, at every reader of a vendor's streams and every writer of a client's: one answer
// keeps the event loop from all others while it comes. The lists are the registries, as in requests.test.ts.
// Runs in a process of its own: it counts the calls of built-in functions, which tests beside it would make too.

import assert from "node:assert/strict";
import test from "node:test";
import type { AnswerRules, StreamWriter } from "#ai/apis/api-request.ts";
import { clientApis } from "#ai/apis/apis.ts";
import type { ClientApi } from "#ai/apis/client-api.ts";
import { isProblem } from "#contract/problem.ts";
import type { Chunk, ClientFormat, Provider, StreamReader, VendorEvent } from "#providers/provider.ts";
import { providers } from "#providers/registry.ts";
import { fold } from "#providers/translate/fold.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { answers, chatChunks, type Piece, type StreamedFormat, streams, type Wire } from "./answers.ts";
import { writers } from "./conversations.ts";
import { tooSteep, type Work } from "./measure.ts";
import { memberOf } from "./members.ts";

const isStreamed = (format: ClientFormat): format is StreamedFormat => format !== "compaction";
const formats = (Object.keys(writers) as ClientFormat[]).filter(isStreamed);

/** How the streams of each provider's models come. */
const wires: Readonly<Record<string, Wire | ((model: string) => Wire)>> = {
  "openai-compatible": "chat_completions",
  anthropic: "messages",
  gemini: "gemini",
  vertex: (model) => (model.startsWith("claude") ? "messages" : "gemini"),
  bedrock: "converse",
  sandbox: "chat_completions",
};

const tool = { type: "function", function: { name: "tool", parameters: { type: "object" } } };
const asked = { messages: [{ role: "user", content: "Hello!" }], tools: [tool] };

/** The chunks that a reader makes of a whole stream. */
function read(reader: StreamReader, events: readonly VendorEvent[], name: string): Chunk[] {
  const pieces = events.flatMap((event) => reader.push(event));
  for (const piece of pieces)
    if (piece.kind === "failure") assert.fail(`${name}: ${JSON.stringify(piece.failure)}`);
  assert.equal(pieces.at(-1)?.kind, "done", name);
  return pieces.filter((piece) => piece.kind === "chunk");
}

/** One piece of work for each stream. */
const worksOf = (name: string, work: (pieces: readonly Piece[], title: string) => () => unknown): Work[] =>
  answers.map((answer) => ({
    name: `${answer.name}, ${name}`,
    size: answer.size,
    make: (size) => work(answer.make(size), `${answer.name}, ${name}`),
  }));

function readersOf(provider: Provider): Work[] {
  const { settings, models } = memberOf(provider);
  const row = wires[provider.kind];
  assert.ok(row, `${provider.kind} has no wire here`);
  return models.flatMap((model) => {
    const wire = typeof row === "string" ? row : row(model);
    const request = requestOf(asked, model, true);
    const chat = worksOf(`${model}, ${wire}`, (pieces, title) => {
      const events = streams[wire](pieces);
      return () => fold(read(provider.stream(request), events, title));
    });
    const tools = worksOf(`${model}, tools' API`, (pieces, title) => {
      const events = streams.responses(pieces);
      return () => {
        const api = provider.toolsApi(settings);
        if (api) read(api.stream(request), events, title);
      };
    });
    const natives = formats.flatMap((format) =>
      worksOf(`${model}, ${format} as it is`, (pieces, title) => {
        const events = streams[format](pieces);
        return () => {
          const api = provider.native(format, settings, model);
          if (api === null) return;
          const chunks = read(api.stream(), events, title);
          const made = api.sealed?.madeInPieces?.();
          for (const { text } of chunks) (made ?? api.sealed?.made)?.(text);
          api.unfold(api.fold(chunks).text);
        };
      }),
    );
    return [...chat, ...tools, ...natives];
  });
}

for (const provider of providers)
  test(`streams of ${provider.kind} are read in linear time`, () => {
    assert.deepEqual(tooSteep(readersOf(provider)), []);
  });

const served = { provider: "p", model: "m", latency_ms: 1, attempts: 1 };
const rules: AnswerRules = { model: "m", created: 1, served, promptTokens: 1 };

function writerOf(api: ClientApi, forwarded: boolean): StreamWriter {
  const operation = api.operations.find(({ stream }) => stream !== undefined);
  const tools = [{ name: "tool_0", schema: { type: "object", properties: {} } }];
  const body = {
    ...writers[api.format]({ items: [{ role: "user", text: "Hello!" }], tools }),
    model: "m",
    stream: true,
  };
  const request = operation?.read(JSON.stringify(body), { model: "m" });
  assert.ok(request !== undefined && !isProblem(request), api.format);
  const received = { headers: {}, stem: "stem", created: 1, query: new URLSearchParams("alt=sse") };
  const written = api.request(request, received);
  written.chat();
  return written.writer(rules, forwarded);
}

const chunkOf = (text: string, event: string | null): Chunk => ({
  kind: "chunk",
  text,
  ...(event === null ? {} : { event }),
  output: true,
  finish: false,
  usage: null,
  usageOnly: false,
  units: 1,
});

for (const api of clientApis) {
  const { format } = api;
  if (!isStreamed(format)) continue;
  test(`streams of ${api.format} are written in linear time`, () => {
    const write = (chunks: readonly Chunk[], forwarded: boolean) => () => {
      const writer = writerOf(api, forwarded);
      for (const chunk of chunks) writer.chunk(chunk);
      writer.done();
    };
    const translated = worksOf("from chat completions", (pieces) =>
      write(
        chatChunks(pieces).map((chunk) => chunkOf(JSON.stringify(chunk), null)),
        false,
      ),
    );
    const forwarded = worksOf("as they are", (pieces) =>
      write(
        streams[format](pieces)
          .filter(({ data }) => data !== "[DONE]")
          .map(({ data, event }) => chunkOf(data, event)),
        true,
      ),
    );
    assert.deepEqual(tooSteep([...translated, ...forwarded]), []);
  });
}
