// What a model or a server lacks, in the words of many of them, at a 400 and at a 500; and what a failing server says.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cannotServe } from "#providers/failure/member-cannot.ts";
import { openaiFailure } from "#providers/openai/failure.ts";

const lacks: readonly (readonly [server: string, message: string])[] = [
  [
    "llama.cpp",
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  ],
  [
    "llama.cpp",
    "audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  ],
  ["llama.cpp", "tools param requires --jinja flag"],
  ["llama.cpp", "tool_choice param requires --jinja flag"],
  ["llama.cpp", "Cannot use custom grammar constraints with tools."],
  ["llama.cpp", "Failed to parse input at pos 12: <tool_call>"],
  ["llama.cpp", "JSON schema conversion failed: Pattern must start with '^' and end with '$'"],
  [
    "llama.cpp",
    '\n------------\nWhile executing CallExpression at line 85, column 32 in source:\n{{- raise_exception("x")\nError: Jinja Exception: Conversation roles must alternate user/assistant/...',
  ],
  ["llama.cpp", "Jinja Exception: System message must be at the beginning."],
  ["llama.cpp", "Failed to apply chat template: x"],
  ["Ollama", "registry.ollama.ai/library/gemma3:4b does not support tools"],
  ["Ollama", "this model is missing data required for image input"],
  ["vLLM", '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ["vLLM", "meta-llama/Llama-3.1-8B-Instruct is not a multimodal model"],
  ["vLLM", "At most 0 image(s) may be provided in one prompt."],
  ["vLLM", "Conversation roles must alternate user/assistant/user/assistant/..."],
  ["vLLM", "After the optional system message, conversation roles must alternate user/assistant/..."],
  ["vLLM", "System role not supported"],
  [
    "vLLM",
    "Only user, assistant and tool roles are supported, with the exception of an initial system message.",
  ],
  ["vLLM", "Unexpected message role."],
  ["vLLM", "messages[0].content: Input should be a valid string"],
  ["vLLM", "The provided JSON schema contains features not supported by xgrammar."],
  [
    "TGI",
    "Template error: syntax error: Conversation roles must alternate user/assistant/... (in <string>:1)",
  ],
  ["LM Studio", 'Error rendering prompt with jinja template: "Conversation roles must alternate"'],
  ["LM Studio", "Model does not support images. Please use a model that does."],
  ["LM Studio", "'response_format.type' must be 'json_schema' or 'text'"],
  [
    "DeepSeek",
    "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1",
  ],
  ["any in Rust", "messages[0].role: unknown variant `developer`, expected one of `system`, `user`"],
  ["DeepSeek", "This response_format type is unavailable now"],
  [
    "Qwen",
    "<400> InternalError.Algo.InvalidParameter: developer is not one of ['system', 'assistant', 'user']",
  ],
  [
    "Anthropic",
    "tools.3: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags",
  ],
  ["Vertex", "Unexpected value(s) `context-1m-2025-08-07` for the `anthropic-beta` header. Please consult"],
  ["Bedrock", "invalid beta flag"],
  ["Groq", "tool call validation failed: attempted to call tool 'x' which was not in request.tools"],
  ["Groq", "Failed to call a function. Please adjust your prompt."],
  ["Groq", "'messages.0' : discriminator property 'role' has invalid value"],
  [
    "Groq",
    "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
  ],
  ["Mistral", "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9."],
  [
    "Mistral",
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  ],
  [
    "Perplexity",
    "After the (optional) system message(s), user or tool message(s) should alternate with assistant.",
  ],
  ["Perplexity", "Last message must have role `user`."],
  ["OpenAI", "Invalid content type. image_url is only supported by certain models."],
  ["OpenAI", "Invalid schema for response_format 'x': In context=(), 'additionalProperties' is required"],
  ["xAI", "Image inputs are not supported by this model."],
  ["any", "This model does not support image inputs"],
  ["any", "The model `gemma-2` does not support tool use"],
  ["LiteLLM", 'litellm.APIConnectionError: OllamaException - {"error":"gemma3 does not support tools"}'],
];

const failing: readonly string[] = [
  "Internal Server Error",
  "The server is currently unavailable",
  "The model is overloaded. Please try again later.",
  "Service is not available",
  "Engine core initialization failed",
  "CUDA out of memory",
  "model runner has unexpectedly stopped, this may be due to resource limitations",
  "The server had an error while processing your request. Sorry about that!",
  "The model produced invalid content. Consider modifying your prompt",
  "upstream connect error or disconnect/reset before headers",
  "image generation backend crashed",
  "Tools service failed",
  "This operation is not supported yet",
  "Sorry: image input is not supported",
];

const kindOf = (status: number, message: string) =>
  openaiFailure(status, {}, JSON.stringify({ error: { message, type: "server_error", code: status } }), 0);

describe("this member cannot", () => {
  for (const [server, message] of lacks)
    test(`${server}: ${message}`, () => {
      for (const status of [400, 422, 500, 200]) {
        const { kind, error } = kindOf(status, message);
        assert.equal(kind, "unsupported", String(status));
        assert.equal(
          error.type === "server_error" && status >= 500,
          false,
          "the caller's client does not repeat it",
        );
      }
    });
});

test("the words of a server that fails are not read as a lack", () => {
  for (const message of failing) {
    assert.equal(cannotServe(message, false), false, message);
    assert.equal(kindOf(500, message).kind, "upstream_error", message);
  }
});

test("a text that is no JSON is read too", () => {
  const { kind, error } = openaiFailure(
    422,
    {},
    "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user` at line 5 column 25",
    0,
  );
  assert.equal(kind, "unsupported");
  assert.match(error.message, /^Failed to deserialize/);
  assert.equal(
    openaiFailure(502, {}, "<html><body>Bad Gateway</body></html>", 0).error.message,
    "The provider answered 502 without an error that could be read.",
  );
});
