// POST /api/ai/v1/images/generations, /images/edits, /images/variations, /audio/speech, /audio/transcriptions,
// /audio/translations, /moderations and /rerank: forwarded to the members of the pool that list models for them, with the failover,
// limits and usage of completions.

import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import type { ModelRequest } from "#contract/ai/chat.ts";
import {
  imageEditRequest,
  imageReply,
  imageRequest,
  imageVariationRequest,
  moderationReply,
  moderationRequest,
  readForwarded,
  readPictures,
  readTranscription,
  rerankReply,
  rerankRequest,
  speechReply,
  speechRequest,
  transcriptionReply,
  transcriptionRequest,
} from "#contract/ai/forwarded-shapes.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import type { Form } from "#contract/ai/operations.ts";
import { isProblem, type Problem } from "#contract/problem.ts";
import type { PoolCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import type { Reply } from "#http/reply/response.ts";
import { callerHeaders, serveCall } from "./answers.ts";

const common = {
  method: "POST",
  tag: "AI gateway",
  family: "pool",
  headers: callerHeaders,
} as const;

/** Serves an operation whose body is JSON. */
async function forward(
  operation: Parameters<typeof readForwarded>[0],
  call: PoolCall,
): Promise<Reply | null> {
  const request = readForwarded(operation, call.text);
  if (isProblem(request)) return request;
  return await serveCall(call, { kind: operation, ...request, api: new ChatCompletionsRequest(request) });
}

export const createImageRoute = endpoint({
  ...common,
  path: "/api/ai/v1/images/generations",
  name: "createImage",
  summary: "Make pictures",
  description:
    "This is OpenAI's operation. Members with `image_models` serve it. The request and the answer are passed on unchanged.",
  body: imageRequest,
  replies: { 200: imageReply },
})((call) => forward("image", call));

export const createSpeechRoute = endpoint({
  ...common,
  path: "/api/ai/v1/audio/speech",
  name: "createSpeech",
  summary: "Speak a text",
  description:
    "This is OpenAI's operation. Members with `speech_models` serve it. The sound is collected before it is passed on, so that another member takes over when one breaks off.",
  body: speechRequest,
  replies: { 200: speechReply },
  replyType: "application/octet-stream",
  otherReplyTypes: ["audio/*"],
})((call) => forward("speech", call));

/** Serves an operation whose body is a form. `path`: where it goes at a member, which is where it came from. */
async function forwardForm(
  kind: "image" | "transcription",
  path: `/${string}`,
  call: PoolCall,
  read: (form: Form) => ModelRequest | Problem,
): Promise<Reply | null> {
  if (call.form === null) return aiProblem("malformed_body", { message: "The body must be a form." });
  const request = read(call.form);
  if (isProblem(request)) return request;
  const form = { ...call.form, path };
  return await serveCall(call, { kind, form, ...request, api: new ChatCompletionsRequest(request) });
}

export const createImageEditRoute = endpoint({
  ...common,
  path: "/api/ai/v1/images/edits",
  name: "createImageEdit",
  summary: "Edit pictures",
  description:
    "This is OpenAI's operation. Members with `image_models` serve it. The request and the answer are passed on unchanged.",
  form: true,
  body: imageEditRequest,
  replies: { 200: imageReply },
})((call) => forwardForm("image", "/images/edits", call, (form) => readPictures(form, true)));

export const createImageVariationRoute = endpoint({
  ...common,
  path: "/api/ai/v1/images/variations",
  name: "createImageVariation",
  summary: "Vary a picture",
  description:
    "This is OpenAI's operation. Members with `image_models` serve it. The request and the answer are passed on unchanged.",
  form: true,
  body: imageVariationRequest,
  replies: { 200: imageReply },
})((call) => forwardForm("image", "/images/variations", call, (form) => readPictures(form, false)));

export const createTranscriptionRoute = endpoint({
  ...common,
  path: "/api/ai/v1/audio/transcriptions",
  name: "createTranscription",
  summary: "Transcribe a recording",
  description:
    "This is OpenAI's operation. Members with `transcription_models` serve it. Formats other than JSON (`text`, `srt`, `vtt`) are passed on as they are.",
  form: true,
  body: transcriptionRequest,
  replies: { 200: transcriptionReply },
  otherReplyTypes: ["text/*"],
})((call) => forwardForm("transcription", "/audio/transcriptions", call, readTranscription));

export const createTranslationRoute = endpoint({
  ...common,
  path: "/api/ai/v1/audio/translations",
  name: "createTranslation",
  summary: "Translate a recording into English",
  description:
    "This is OpenAI's operation. Members with `transcription_models` serve it. Formats other than JSON (`text`, `srt`, `vtt`) are passed on as they are.",
  form: true,
  body: transcriptionRequest,
  replies: { 200: transcriptionReply },
  otherReplyTypes: ["text/*"],
})((call) => forwardForm("transcription", "/audio/translations", call, readTranscription));

export const createModerationRoute = endpoint({
  ...common,
  path: "/api/ai/v1/moderations",
  name: "createModeration",
  summary: "Moderate texts",
  description:
    "This is OpenAI's operation. Members with `moderation_models` serve it. The request and the answer are passed on unchanged.",
  body: moderationRequest,
  replies: { 200: moderationReply },
})((call) => forward("moderation", call));

export const createRankingRoute = endpoint({
  ...common,
  path: "/api/ai/v1/rerank",
  name: "createRanking",
  summary: "Rank documents",
  description:
    "This is the operation of Cohere, Jina, vLLM, Together and others. Members with `rerank_models` serve it. The request and the answer are passed on unchanged.",
  body: rerankRequest,
  replies: { 200: rerankReply },
})((call) => forward("rerank", call));
