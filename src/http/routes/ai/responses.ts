// POST /api/ai/v1/responses

import { forwardedHeaders } from "#ai/apis/forwarded-headers.ts";
import { responsesDoor } from "#ai/apis/responses/responses.ts";
import { readResponses, responsesReply, responsesRequest } from "#ai/apis/responses/shapes.ts";
import { isProblem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { callerHeaders, serveCall } from "./answers.ts";

export const createResponseRoute = endpoint({
  method: "POST",
  path: "/api/ai/v1/responses",
  name: "createResponse",
  tag: "AI gateway",
  summary: "Create a response",
  description:
    "This is OpenAI's operation. Members that have OpenAI's Responses API get the request as it came; for others it is translated, and `X-Service-Pool-Adapted` names what they were not sent. Nothing is stored: `store` is answered `false`, and the whole conversation stands in `input`. With `stream: true` the reply is a stream of OpenAI's events.",
  family: "pool",
  headers: callerHeaders,
  body: responsesRequest,
  replies: { 200: responsesReply },
  problems: [],
})(async (call) => {
  const { text, request, requestId, core } = call;
  const read = readResponses(text);
  if (isProblem(read)) return read;
  const door = responsesDoor(
    { text, body: read.body, headers: forwardedHeaders(request.headers) },
    requestId.replace(/^req_/, ""),
    Math.floor(core.clock.now() / 1_000),
  );
  return await serveCall(call, { kind: "chat", ...read, door });
});
