// Compaction of a Responses API conversation: the vendor returns a shorter one, with an item that only the vendor can read. It is forwarded
// to members that have it. Source: platform.openai.com/docs/api-reference/responses/compact

import { z } from "zod";
import type { ApiRequest } from "#ai/apis/api-request.ts";
import type { ClientApiRow } from "#ai/apis/client-api.ts";
import { untranslated } from "#ai/apis/passed-on.ts";
import { withServed } from "#ai/stream/sse-writer.ts";
import { type ModelRequest, wrong } from "#contract/ai/chat.ts";
import { servicePool } from "#contract/ai/chat-shapes.ts";
import type { Problem } from "#contract/problem.ts";
import { estimatedOf, responsesHeaders } from "./responses.ts";
import { readResponses, responsesRequest } from "./shapes.ts";

const compactionRequest = responsesRequest
  .omit({ stream: true, background: true, max_output_tokens: true })
  .meta({ id: "CompactionRequest" });

const compactionReply = z
  .looseObject({
    id: z.string(),
    object: z.literal("response.compaction"),
    output: z
      .array(z.looseObject({ type: z.string() }))
      .describe(
        "The conversation to continue with. Only the member that made its item `compaction` can read it.",
      ),
    service_pool: servicePool.optional(),
  })
  .meta({ id: "Compaction" });

function readCompaction(text: string): ModelRequest | Problem {
  const request = readResponses(text);
  if ("problem" in request) return request;
  if (request.stream) return wrong("stream", "must be false: a compacted conversation comes as a whole");
  if (request.background) return wrong("background", "must be false: a conversation is compacted at once");
  return request;
}

const noStreams = () => {
  throw new Error("Compacted conversations have no streams.");
};

export const compactionApi: ClientApiRow = {
  path: "/api/ai/v1/responses/compact",
  operations: [
    {
      path: "/api/ai/v1/responses/compact",
      name: "createCompaction",
      summary: "Compact a conversation",
      description:
        "This is OpenAI's operation. Members that have OpenAI's Responses API get the request as it came. What they answer goes back to the same member, since no other one can read it.",
      body: compactionRequest,
      reply: compactionReply,
      example: { input: "Hello!" },
      read: readCompaction,
    },
  ],
  joinAnswer: noStreams,
  spanOperation: "chat",
  request: ({ body }, { headers }): ApiRequest => ({
    ...untranslated("/responses/compact", true),
    format: "compaction",
    headers: responsesHeaders(headers),
    estimated: estimatedOf(body),
    echoesModel: true,
    answer: (answer, _forwarded, { model, served }) => withServed(answer, model, served),
    writer: noStreams,
    failed: noStreams,
  }),
};
