// The schemas of the forwarded operations, for the OpenAPI document, and the fields that Trunkline needs. Requests have many more, which
// are passed on unchanged: platform.openai.com/docs/api-reference (images, audio, moderations), docs.cohere.com/reference/rerank.

import { z } from "zod";
import type { Problem } from "#contract/problem.ts";
import { type ModelRequest, readModelRequest, wrong } from "./chat.ts";
import { servicePool } from "./chat-shapes.ts";
import { aiProblem } from "./openai-error.ts";
import type { Form, ForwardedOperation } from "./operations.ts";

const model = z.string().nullish().describe("The model. The default is the first that a member lists.");

export const imageRequest = z
  .looseObject({ prompt: z.string().describe("What the picture should show."), model })
  .meta({ id: "ImageRequest" });
export const speechRequest = z
  .looseObject({
    input: z.string().describe("The text to speak."),
    voice: z.unknown().describe("The vendor's name of the voice.").meta({ type: "string" }).optional(),
    model,
  })
  .meta({ id: "SpeechRequest" });
export const transcriptionRequest = z
  .looseObject({
    file: z.unknown().describe("The recording.").meta({ type: "string", format: "binary" }),
    model: z.string().optional().describe("The model. The default is the first that a member lists."),
  })
  .meta({ id: "TranscriptionRequest" });
const picture = z.unknown().meta({ type: "string", format: "binary" });
export const imageEditRequest = z
  .looseObject({
    image: picture.describe("The picture, or one of several; `image[]` is another name for it."),
    prompt: z.string().describe("What to make of it."),
    model: z.string().optional().describe("The model. The default is the first that a member lists."),
  })
  .meta({ id: "ImageEditRequest" });
export const imageVariationRequest = z
  .looseObject({
    image: picture.describe("The picture."),
    model: z.string().optional().describe("The model. The default is the first that a member lists."),
  })
  .meta({ id: "ImageVariationRequest" });
export const moderationRequest = z
  .looseObject({
    input: z
      .unknown()
      .describe("A text, a list of texts, or a list of parts.")
      .meta({
        anyOf: [
          { type: "string" },
          { type: "array", items: { type: "string" } },
          { type: "array", items: { type: "object", additionalProperties: true } },
        ],
      }),
    model,
  })
  .meta({ id: "ModerationRequest" });
export const rerankRequest = z
  .looseObject({
    query: z.string().describe("The query by which the documents are ranked."),
    documents: z
      .array(
        z.unknown().meta({ anyOf: [{ type: "string" }, { type: "object", additionalProperties: true }] }),
      )
      .min(1)
      .describe("Texts, or the vendor's objects."),
    top_n: z.number().nullish().describe("How many results to return."),
    model,
  })
  .meta({ id: "RerankRequest" });

const served = { service_pool: servicePool };
const items = z.array(z.looseObject({}));
export const imageReply = z.looseObject({ data: items, ...served }).meta({ id: "Images" });
export const speechReply = z.string().meta({ format: "binary", description: "The sound." });
export const transcriptionReply = z
  .looseObject({ text: z.string(), ...served })
  .meta({ id: "Transcription" });
export const moderationReply = z.looseObject({ results: items, ...served }).meta({ id: "Moderation" });
export const rerankReply = z.looseObject({ results: items, ...served }).meta({ id: "Ranking" });

/** The required fields of each operation, with descriptions. */
const required = {
  image: { prompt: "text" },
  speech: { input: "text" },
  moderation: { input: "any" },
  rerank: { query: "text", documents: "list" },
} as const satisfies Partial<Record<ForwardedOperation, Record<string, "text" | "list" | "any">>>;

/** A request of an operation whose body is JSON. Streaming is refused: an answer is passed on as a whole. */
export function readForwarded(operation: keyof typeof required, text: string): ModelRequest | Problem {
  const request = readModelRequest(text);
  if ("problem" in request) return request;
  const { body } = request;
  for (const [name, kind] of Object.entries(required[operation])) {
    const value = body[name];
    if (value === undefined || value === null) return wrong(name, "is required");
    if (kind === "text" && typeof value !== "string") return wrong(name, "must be a string");
    if (kind === "list" && (!Array.isArray(value) || value.length === 0))
      return wrong(name, "must be a list that is not empty");
  }
  if (request.stream) return inPieces("stream");
  if (operation === "speech" && body.stream_format === "sse") return inPieces("stream_format");
  return request;
}

/** A form with a recording. */
export const readTranscription = (form: Form): ModelRequest | Problem => readForm(form, ["file"]);

/** A form with pictures to edit, or one to vary. `prompted`: it has a prompt. */
export const readPictures = (form: Form, prompted: boolean): ModelRequest | Problem =>
  readForm(form, ["image", "image[]"], prompted ? ["prompt"] : []);

/** `files`: one of these names must be a file. */
function readForm(
  { parts }: Form,
  files: readonly [string, ...string[]],
  texts: readonly string[] = [],
): ModelRequest | Problem {
  const fields = new Map<string, string>();
  for (const { name, filename, bytes } of parts) {
    if (filename !== null) continue;
    // With two, one would be checked and the other served.
    if (name === "model" && fields.has(name)) return wrong("model", "is given twice");
    fields.set(name, Buffer.from(bytes).toString());
  }
  if (!parts.some(({ name, filename }) => files.includes(name) && filename !== null))
    return wrong(files[0], "is required, as a file");
  for (const name of texts) if (!fields.has(name)) return wrong(name, "is required");
  if (fields.get("stream") === "true") return inPieces("stream");
  const model = fields.get("model") ?? "";
  const body = Object.fromEntries(fields);
  return { text: "", body, model: model === "" ? null : model, stream: false, includeUsage: false };
}

const inPieces = (param: string) =>
  aiProblem("invalid_value", {
    message: `'${param}': answers of this operation are passed on as a whole.`,
    param,
  });
