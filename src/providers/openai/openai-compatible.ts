// The adapter for OpenAI and vendors with an OpenAI-compatible API. Requests and answers are passed on unchanged, except that the model's
// name is replaced and streams request their usage. Source: platform.openai.com/docs/api-reference/chat, and each vendor's page on
// compatibility.

import { z } from "zod";
import { forwardedOperations } from "#contract/ai/operations.ts";
import { membersOf, withMembers } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";
import {
  type ChatRequest,
  type ClientFormat,
  defineProvider,
  type NativeApi,
  type NativeRequest,
  type ToolsApi,
  type VendorRequest,
} from "#providers/provider.ts";
import { extraHeaders, severalKeys } from "#providers/settings.ts";
import { keyOf } from "#providers/several-keys.ts";
import { adapt } from "#providers/translate/hints.ts";
import { bodyText } from "#providers/translate/json.ts";
import { oncePer } from "#runtime/once-per.ts";
import { secret } from "#settings/secrets.ts";
import { urlMark } from "#settings/url.ts";
import { openaiAnswer, openaiEmbeddings } from "./answer.ts";
import { completionsAnswer, completionsStream, foldedCompletion, unfoldedCompletion } from "./completions.ts";
import { azureOnly, entraFields, entraGrant, entraIssues } from "./entra.ts";
import { openaiFailure } from "./failure.ts";
import { encodeForm } from "./form.ts";
import { forwardedAnswer, forwardedPaths } from "./forwarded.ts";
import { hasLinkedFile, messagesFor } from "./message-forms.ts";
import { overResponsesFailure } from "./over-responses/answer.ts";
import { responsesRequest } from "./over-responses/request.ts";
import { completionOfResponse, streamOverResponses } from "./over-responses/stream.ts";
import {
  countedBody,
  foldedResponse,
  responsesAnswer,
  responsesBody,
  responsesSealed,
  responsesStream,
} from "./responses.ts";
import { openaiStream } from "./stream.ts";
import { unfoldedResponse } from "./unfold-response.ts";
import { defaultsOf, listedAt, responsesAt, vendorNames, vendorTitles } from "./vendors.ts";

const settingsSchema = z
  .strictObject({
    vendor: z
      .enum(vendorNames)
      .default("openai")
      .meta({ words: vendorTitles })
      .describe("Who it is: gives the base URL and what is special about it."),
    base_url: z
      .url({ protocol: /^https?$/, error: "must be an http or https URL" })
      // Paths are appended to it, and it is shown: secrets do not belong here.
      .regex(/^[^?#@]*$/, "must be a URL without a login and a query")
      .meta(urlMark)
      .optional()
      .describe(
        "What comes before `/chat/completions`, such as `https://api.openai.com/v1`. Default: the vendor's.",
      ),
    api_key: secret().optional().describe("The vendor's key."),
    api_keys: severalKeys(),
    ...entraFields,
    headers: extraHeaders(),
    stream_usage: z
      .boolean()
      .optional()
      .meta({ advanced: true })
      .describe(
        "Whether to request the usage of streams (`stream_options`); default: unless the vendor reports it by default.",
      ),
    responses: z
      .boolean()
      .optional()
      .meta({ advanced: true })
      .describe(
        "Whether it has the Responses API too, so that requests at `/responses` are passed on as they came. Default: OpenAI at its own address, Azure at `/openai/v1`, and the vendors that document it: OpenRouter, Groq, xAI, Fireworks, Hugging Face, Moonshot, Ollama, vLLM and LM Studio. What one of those nine refuses there is asked as a chat completion.",
      ),
    tools_over: z
      .enum(["chat_completions", "responses"])
      .optional()
      .meta({ advanced: true })
      .describe(
        "The API that is called for chat completions and messages with function tools. Default: chat completions, and the Responses API for models that refuse tools there, where the member has it.",
      ),
    api_version: z
      .string()
      .regex(/^[\w.-]{1,40}$/, "must be a version such as 2024-10-21")
      .optional()
      .meta(azureOnly)
      .describe(
        "Only for Azure: the `api-version` of a base URL such as `https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT`. One that ends in `/openai/v1` needs none.",
      ),
  })
  .refine((value) => value.api_version === undefined || value.vendor === "azure-openai", {
    path: ["api_version"],
    message: "is Azure's alone",
  })
  .superRefine((value, context) => {
    const { vendor, base_url } = value;
    const signs = { isAzure: vendor === "azure-openai", hasKey: keyOf(value) !== undefined };
    for (const { path, message } of entraIssues(value, signs))
      context.addIssue({ code: "custom", path: [path], message });
    const { url, urlForm } = defaultsOf(vendor);
    if (base_url === undefined && url === null)
      context.addIssue({ code: "custom", path: ["base_url"], message: `is needed, such as ${urlForm}` });
  });
type Settings = z.output<typeof settingsSchema>;

/** Fields with which other gateways let a client choose the upstream; a gateway behind this one must not receive them. */
const upstreamChoices = ["api_base", "base_url"] as const;

const baseOf = oncePer(({ vendor, base_url }: Settings) =>
  (base_url ?? defaultsOf(vendor).url ?? "").replace(/(?<!\/)\/+$/, ""),
);

/** Azure's older API has a base URL for each deployment; its models are listed next to the deployments. */
const deployment = /\/deployments\/[^/]+$/;

function urlOf(settings: Settings, path: `/${string}`): string {
  const base = baseOf(settings);
  const root = path === "/models" ? base.replace(deployment, "") : base;
  return `${root}${path}${settings.api_version === undefined ? "" : `?api-version=${settings.api_version}`}`;
}

/** Whether it has the Responses API. `assumed`: known only from the vendor's documentation. */
const responsesOf = (settings: Settings) =>
  settings.responses === undefined
    ? responsesAt(settings.vendor, baseOf(settings))
    : settings.responses
      ? "yes"
      : "no";

/** The Responses API for chat completions with function tools; null if only chat completions are used. */
const toolsApiOf = oncePer((settings: Settings): ToolsApi | null => {
  const { tools_over: over } = settings;
  const has = over === undefined ? responsesOf(settings) : "yes";
  if (over === "chat_completions" || has === "no") return null;
  return {
    always: over === "responses",
    ...(has === "assumed" ? { assumed: true } : {}),
    chat: (request) => {
      const translated = responsesRequest(request);
      if (translated.kind === "unsupported_parameter") return translated;
      return {
        kind: "request",
        request: admitted(settings, {
          method: "POST",
          url: urlOf(settings, "/responses"),
          headers: {
            ...headersOf(settings),
            "content-type": "application/json",
            accept: request.stream ? "text/event-stream" : "application/json",
          },
          body: bodyText(translated.body),
        }),
        adapted: translated.adapted,
      };
    },
    answer: completionOfResponse,
    stream: streamOverResponses,
    failure: overResponsesFailure,
  };
});

/** A request of a client in the vendor's own format. */
function passedOn(
  settings: Settings,
  path: `/${string}`,
  { headers, stream }: Pick<NativeRequest, "headers" | "stream">,
  body: string,
): VendorRequest {
  return admitted(settings, {
    method: "POST",
    url: urlOf(settings, path),
    headers: {
      ...headers,
      ...headersOf(settings),
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
    },
    body,
  });
}

/** The formats in which requests are passed on. Every vendor may have completions; one that does not answers 404. */
function nativeOf(format: ClientFormat, settings: Settings): NativeApi | null {
  if (format === "completions")
    return {
      prepare: (request) => ({
        kind: "request",
        request: passedOn(
          settings,
          "/completions",
          request,
          bodyFor(
            request,
            request.stream && asksUsage(settings) ? { stream_options: withUsageIncluded(request) } : {},
          ),
        ),
      }),
      answer: completionsAnswer,
      stream: completionsStream,
      fold: foldedCompletion,
      unfold: unfoldedCompletion,
    };
  if (format !== "responses" && format !== "compaction") return null;
  const compacts = format === "compaction";
  // Another server configured as OpenAI may have it; one that does not answers 404.
  const isOpen = compacts && settings.vendor === "openai" && settings.responses === undefined;
  const has = isOpen ? "yes" : responsesOf(settings);
  if (has === "no") return null;
  return {
    prepare: (request) => ({
      kind: "request",
      request: passedOn(
        settings,
        compacts ? "/responses/compact" : "/responses",
        request,
        responsesBody({ ...request, stores: !compacts }),
      ),
    }),
    answer: responsesAnswer,
    stream: responsesStream,
    fold: foldedResponse,
    unfold: unfoldedResponse,
    sealed: responsesSealed,
    ...(has === "assumed" && !compacts ? { assumed: true } : {}),
    ...(settings.vendor === "openai" && !compacts
      ? {
          countTokens: (request: NativeRequest) =>
            passedOn(settings, "/responses/input_tokens", request, countedBody(request)),
        }
      : {}),
  };
}

/** Whether streams request their usage. */
const asksUsage = ({ stream_usage: asked, vendor }: Settings): boolean =>
  asked ?? defaultsOf(vendor).reportsUsageUnasked !== true;

const headersOf = oncePer(({ vendor, headers, ...keys }: Settings): Readonly<Record<string, string>> => {
  const key = keyOf(keys);
  const { keyHeader } = defaultsOf(vendor);
  const auth: Record<string, string> =
    key === undefined
      ? {}
      : keyHeader === undefined
        ? { authorization: `Bearer ${key}` }
        : { [keyHeader]: key };
  return { ...auth, ...headers };
});

const grantOf = oncePer((settings: Settings) => entraGrant(settings));

/** The request with the credentials added to its headers. */
function admitted(settings: Settings, request: VendorRequest): VendorRequest {
  const tokenGrant = grantOf(settings);
  return tokenGrant === null ? request : { ...request, tokenGrant };
}

/** The request's text with the changed members. */
function bodyFor(request: Omit<ChatRequest, "stream">, more: Record<string, string | undefined>): string {
  const changes: Record<string, string | undefined> = { model: JSON.stringify(request.model), ...more };
  for (const name of upstreamChoices) if (Object.hasOwn(request.body, name)) changes[name] = undefined;
  for (const [name, other] of adapt(request.refused ?? []).changes) {
    if (!Object.hasOwn(request.body, name)) continue;
    changes[name] = undefined;
    if (other !== undefined && !Object.hasOwn(request.body, other))
      changes[other] = JSON.stringify(request.body[name]);
  }
  return withMembers(request.text, changes);
}

function withUsageIncluded(request: Pick<ChatRequest, "text" | "body">): string {
  const { stream_options: options } = request.body;
  if (!isObject(options)) return '{"include_usage":true}';
  const member = membersOf(request.text).findLast(({ key }) => key === "stream_options");
  const text = member === undefined ? "{}" : request.text.slice(member.valueStart, member.end);
  return withMembers(text, { include_usage: "true" });
}

export const openaiCompatible = defineProvider({
  kind: "openai-compatible",
  title: "OpenAI and compatible",
  summary: "OpenAI's chat completions, from OpenAI or any compatible API; passed on unchanged.",
  settings: settingsSchema,
  urls: (settings) => [baseOf(settings), entraGrant(settings)?.url].filter((url) => url !== undefined),
  chat: (request, settings) => {
    const vendor = defaultsOf(settings.vendor);
    if (vendor.takesFileLinks !== true && hasLinkedFile(request))
      return {
        kind: "unsupported_parameter",
        param: "messages",
        message: "Chat completions have no files by their links at this vendor.",
      };
    const ask = request.stream && !request.refused?.includes("stream_options") && asksUsage(settings);
    const messages = messagesFor(request, vendor);
    return {
      kind: "request",
      request: admitted(settings, {
        method: "POST",
        url: urlOf(settings, "/chat/completions"),
        headers: {
          ...headersOf(settings),
          "content-type": "application/json",
          accept: request.stream ? "text/event-stream" : "application/json",
        },
        body: bodyFor(request, {
          ...(ask ? { stream_options: withUsageIncluded(request) } : {}),
          ...(messages === undefined ? {} : { messages }),
        }),
      }),
    };
  },
  answer: openaiAnswer,
  stream: openaiStream,
  failure: openaiFailure,
  embeddings: (request, settings) => ({
    kind: "request",
    request: admitted(settings, {
      method: "POST",
      url: urlOf(settings, "/embeddings"),
      headers: { ...headersOf(settings), "content-type": "application/json", accept: "application/json" },
      body: bodyFor(request, {}),
    }),
  }),
  embeddingsAnswer: openaiEmbeddings,
  native: nativeOf,
  toolsApi: toolsApiOf,
  forward: {
    operations: forwardedOperations,
    request: (operation, request, settings) => {
      const { form, model } = request;
      const type = form === null ? "application/json" : `multipart/form-data; boundary="${form.boundary}"`;
      return {
        kind: "request",
        request: admitted(settings, {
          method: "POST",
          url: urlOf(settings, form?.path ?? forwardedPaths[operation]),
          headers: { ...headersOf(settings), "content-type": type },
          body: form === null ? bodyFor(request, {}) : encodeForm(form, model),
        }),
      };
    },
    answer: forwardedAnswer,
  },
  thoughts: "fields",
  vendor: ({ vendor }) =>
    /^https:/.test(defaultsOf(vendor).url ?? "") && vendor !== "openai" ? vendor : null,
  priceVendor: (settings) => listedAt(settings.vendor, baseOf(settings)),
  check: (settings) =>
    admitted(settings, {
      method: "GET",
      url: urlOf(settings, "/models"),
      headers: { ...headersOf(settings), accept: "application/json" },
      body: null,
    }),
});
