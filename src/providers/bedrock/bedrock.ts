// The adapter for Amazon Bedrock: Converse and ConverseStream, signed with an access key of AWS or with a Bedrock API key.
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, …/API_runtime_ConverseStream.html,
// …/API_ListFoundationModels.html and docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html

import { z } from "zod";
import { defineProvider, type VendorRequest } from "#providers/provider.ts";
import { bodyText } from "#providers/translate/json.ts";
import { secret } from "#settings/secrets.ts";
import { baseUrlField, joinUrl } from "#settings/url.ts";
import { bedrockAnswer, bedrockStream } from "./answer.ts";
import { bedrockFailure } from "./failure.ts";
import { bedrockBody } from "./request.ts";

const settingsSchema = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, "Must be an AWS region, such as eu-central-1.")
      .describe("The AWS region in which the models are called."),
    access_key_id: z
      .string()
      .regex(/^\w{16,128}$/, "Must be the id of an access key, such as AKIAIOSFODNN7EXAMPLE.")
      .optional()
      .describe(
        "The id of an access key that may do `bedrock:InvokeModel` and `bedrock:InvokeModelWithResponseStream`; for the list of models also `bedrock:ListFoundationModels`. Required unless there is an API key.",
      ),
    secret_access_key: secret().optional().describe("The secret of that access key."),
    session_token: secret().optional().describe("The session token of a temporary access key, which ends."),
    api_key: secret()
      .optional()
      .describe(
        "A Bedrock API key, instead of an access key. It is sent as a bearer token, and nothing is signed.",
      ),
    base_url: baseUrlField()
      .optional()
      .describe(
        "The root URL of a VPC endpoint, a proxy or a test double; default: `https://bedrock-runtime.REGION.amazonaws.com`. If it is set, the list of models is not requested.",
      ),
  })
  .check(({ value, issues }) => {
    const { api_key, access_key_id, secret_access_key, session_token } = value;
    const refuse = (path: string, message: string) =>
      issues.push({ code: "custom", input: value, path: [path], message });
    const signs = access_key_id !== undefined || secret_access_key !== undefined;
    if (api_key === undefined && !signs)
      refuse("api_key", "is needed, or access_key_id and secret_access_key");
    if (api_key !== undefined && signs) refuse("api_key", "cannot be used together with access_key_id");
    if (signs && access_key_id === undefined)
      refuse("access_key_id", "is needed together with secret_access_key");
    if (signs && secret_access_key === undefined)
      refuse("secret_access_key", "is needed together with access_key_id");
    if (session_token !== undefined && !signs)
      refuse("session_token", "is used together with access_key_id alone");
  });
type Settings = z.output<typeof settingsSchema>;

/** The request with what lets it in: the API key, or the key by which it is signed when it is sent. */
function admitted(settings: Settings, request: VendorRequest): VendorRequest {
  const { api_key, access_key_id, secret_access_key, session_token, region } = settings;
  if (api_key !== undefined)
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${api_key}` } };
  return {
    ...request,
    awsKey: {
      accessKeyId: access_key_id ?? "",
      secretAccessKey: secret_access_key ?? "",
      sessionToken: session_token,
      region,
      service: "bedrock",
    },
  };
}

const runtimeUrl = ({ base_url, region }: Settings) =>
  base_url ?? `https://bedrock-runtime.${region}.amazonaws.com`;

/** Models are listed at another address than they are asked at; null if that of the member's own is not known. */
const modelsUrl = ({ base_url, region }: Settings): string | null =>
  base_url === undefined ? `https://bedrock.${region}.amazonaws.com/foundation-models` : null;

/** A model's id, an inference profile or the ARN of one. Slashes and colons of it are a part of one segment. */
const segment = (model: string) => encodeURIComponent(model.toWellFormed());

export const bedrock = defineProvider({
  kind: "bedrock",
  title: "Amazon Bedrock",
  summary: "The models of Amazon Bedrock by its Converse API, translated from and to chat completions.",
  settings: settingsSchema,
  urls: (settings) => [runtimeUrl(settings), modelsUrl(settings)].filter((url) => url !== null),
  chat: (request, settings) => {
    // A path does not keep such a segment.
    if (request.model === "" || request.model === "." || request.model === "..")
      return { kind: "unsupported_parameter", param: "model", message: "Bedrock has no model of this name." };
    const translated = bedrockBody(request);
    if (translated.kind === "unsupported_parameter") return translated;
    const operation = request.stream ? "converse-stream" : "converse";
    return {
      kind: "request",
      request: admitted(settings, {
        method: "POST",
        url: joinUrl(runtimeUrl(settings), `/model/${segment(request.model)}/${operation}`),
        headers: {
          accept: request.stream ? "application/vnd.amazon.eventstream" : "application/json",
          "content-type": "application/json",
        },
        body: bodyText(translated.body),
      }),
      adapted: translated.adapted,
    };
  },
  answer: bedrockAnswer,
  stream: bedrockStream,
  failure: bedrockFailure,
  // Claude signs its thoughts alike in all accounts and regions of Bedrock.
  sealGroup: () => "amazon-bedrock",
  check: (settings) => {
    const url = modelsUrl(settings);
    if (url === null) return null;
    return admitted(settings, { method: "GET", url, headers: { accept: "application/json" }, body: null });
  },
});
