// A document by its link, in each client API: members that take links get it, and the others cannot serve the request.

import assert from "node:assert/strict";
import test from "node:test";
import { clientApis } from "#ai/apis/apis.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { bedrock } from "#providers/bedrock/bedrock.ts";
import { gemini } from "#providers/gemini/gemini.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import type { ClientFormat, Provider } from "#providers/provider.ts";
import { vertex } from "#providers/vertex/vertex.ts";
import { requestOf } from "../../providers/conformance-cases.ts";
import { credentials } from "../../providers/vertex/key-file.ts";

const link = "https://docs.example.com/report";
const user = (part: object) => [{ role: "user", content: [part] }];
const bodies: Partial<Record<ClientFormat, object>> = {
  responses: { input: user({ type: "input_file", file_url: link }) },
  messages: { max_tokens: 9, messages: user({ type: "document", source: { type: "url", url: link } }) },
  gemini: { contents: [{ parts: [{ fileData: { mimeType: "application/pdf", fileUri: link } }] }] },
};
const aws = { region: "eu-central-1", access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "s" };

/** What a member that takes links is sent. Null if it takes none. */
const members: readonly [provider: Provider, settings: object, model: string, sent: object | null][] = [
  [
    anthropic,
    { api_key: "k" },
    "claude-sonnet-4-5",
    { type: "document", source: { type: "url", url: link } },
  ],
  [gemini, { api_key: "k" }, "gemini-2.5-pro", { fileData: { mimeType: "application/pdf", fileUri: link } }],
  [vertex, { credentials }, "gemini-2.5-pro", { fileData: { mimeType: "application/pdf", fileUri: link } }],
  [openaiCompatible, { vendor: "openrouter", api_key: "k" }, "m", { file_data: link }],
  [openaiCompatible, { vendor: "deepseek", api_key: "k" }, "m", null],
  [openaiCompatible, { api_key: "k" }, "m", null],
  [bedrock, aws, "amazon.nova-pro-v1:0", null],
];

/** Whether the value has an object with all of these fields, however deep. */
function holds(value: unknown, fields: object): boolean {
  if (typeof value !== "object" || value === null) return false;
  const own = Object.entries(fields).every(
    ([name, field]) => JSON.stringify(Reflect.get(value, name)) === JSON.stringify(field),
  );
  return own || Object.values(value).some((inner) => holds(inner, fields));
}

for (const [format, body] of Object.entries(bodies))
  for (const [provider, settings, model, sent] of members)
    test(`${format} at ${provider.kind} (${model})`, () => {
      const text = JSON.stringify(body);
      const read = {
        text,
        body: body as Record<string, unknown>,
        model: null,
        stream: false,
        includeUsage: false,
      };
      const received = { headers: {}, stem: "s", created: 0, query: new URLSearchParams() };
      const chat = clientApis
        .find((api) => api.format === format)!
        .request(read, received)
        .chat();
      assert.equal(chat.kind, "chat");
      const prepared = provider.chat(
        requestOf((chat as { body: Record<string, unknown> }).body, model),
        provider.settings.parse(settings),
      );
      if (sent === null) assert.equal(prepared.kind, "unsupported_parameter");
      else {
        assert.ok(prepared.kind === "request");
        assert.ok(holds(JSON.parse(String(prepared.request.body)), sent), String(prepared.request.body));
      }
    });

test("a file at Google has a link too, which no other key opens", () => {
  const fileUri = "https://generativelanguage.googleapis.com/v1beta/files/1";
  const body = { contents: [{ parts: [{ fileData: { mimeType: "application/pdf", fileUri } }] }] };
  const read = { text: JSON.stringify(body), body, model: null, stream: false, includeUsage: false };
  const received = { headers: {}, stem: "s", created: 0, query: new URLSearchParams() };
  const chat = clientApis
    .find(({ format }) => format === "gemini")!
    .request(read, received)
    .chat();
  assert.equal(chat.kind, "unsupported_parameter");
});

test("where OpenAI is asked in the Responses API, the link stays one", () => {
  const settings = openaiCompatible.settings.parse({ api_key: "k", tools_over: "responses" });
  const messages = user({ type: "file", file: { filename: "a.pdf", file_url: link } });
  const prepared = openaiCompatible.toolsApi(settings)!.chat(requestOf({ messages }, "gpt-5-mini"));
  assert.ok(prepared.kind === "request");
  assert.ok(holds(JSON.parse(String(prepared.request.body)), { type: "input_file", file_url: link }));
});
