// Interprets errors in OpenAI's form. Vendors copied the form but not the codes, so their known sentences count too, at the start of a
// message. Source: platform.openai.com/docs/guides/error-codes, openrouter.ai/docs (errors), the vendors' servers and users' reports.

import { type Fields, isObject } from "#contract/normalise.ts";
import { apiError } from "#providers/failure/api-error.ts";
import { classify, type VendorErrorRules } from "#providers/failure/classify.ts";
import { outputLimit } from "#providers/failure/output-limit.ts";
import { scrub } from "#providers/failure/scrub.ts";
import { lengthRefused, unauthorizedFailure } from "#providers/failure/vendor-failure.ts";
import type { ApiError, Failure, RefusedParameter } from "#providers/provider.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";
import { retryAfterMs } from "#settings/retry-after.ts";
import { refusedForm } from "./message-forms.ts";

type Kind = Failure["kind"];

/** Several codes with one meaning. */
const all = (kind: Kind, codes: string): Record<string, Kind> =>
  Object.fromEntries(codes.split(" ").map((code) => [code, kind]));

const words: VendorErrorRules = {
  codes: {
    ...all(
      "unauthorized",
      "insufficient_quota billing_hard_limit_reached billing_not_active account_deactivated",
    ),
    ...all(
      "unauthorized",
      "invalid_api_key invalid_authentication_error authentication_error access_terminated",
    ),
    ...all("unauthorized", "exceeded_current_quota_error unsupported_country_region_territory"),
    // Accounts in arrears: Alibaba, Volcengine, Z.AI, in that order.
    ...all("unauthorized", "Arrearage AccountOverdueError 1113"),
    ...all("context_length", "context_length_exceeded exceed_context_size_error tokens_limit_reached"),
    ...all("context_length", "model_max_prompt_tokens_exceeded context_exceeded context_window_exceeded"),
    // Groq: the model's output is not a valid call, or not JSON.
    ...all("unsupported", "tool_use_failed json_validate_failed output_parse_failed template_error"),
    // Z.AI: the prompt is too long.
    1261: "context_length",
    ...all("content_policy", "content_filter content_policy_violation data_inspection_failed"),
    ...all(
      "model_not_found",
      "model_not_found model_not_available model_decommissioned unknown_model invalid_model",
    ),
    ...all("model_not_found", "DeploymentNotFound"),
    ...all("unsupported", "unsupported_parameter unsupported_value unknown_parameter extra_forbidden"),
    ...all(
      "invalid_request",
      "missing_required_parameter invalid_value invalid_type invalid_json previous_response_not_found",
    ),
    ...all("invalid_request", "array_above_max_length array_below_min_length string_above_max_length"),
    ...all("invalid_request", "string_below_min_length integer_above_max_value integer_below_min_value"),
    ...all("invalid_request", "decimal_above_max_value decimal_below_min_value"),
    // Google's OpenAI-compatible API: its message for a per-minute limit is OpenAI's message for an exhausted
    // account.
    RESOURCE_EXHAUSTED: "rate_limited",
  },
  types: {
    ...all("rate_limited", "rate_limit_exceeded rate_limit_error rate_limit_reached_error"),
    ...all("upstream_error", "overloaded_error engine_overloaded_error"),
  },
  openings: [
    [/^incorrect api key provided/i, "unauthorized"],
    [/^api key (not valid|expired|not found)/i, "unauthorized"],
    [/^you exceeded your current quota/i, "unauthorized"],
    [/^(your )?billing hard limit has been reached/i, "unauthorized"],
    [/^your account is not active/i, "unauthorized"],
    [/^insufficient (balance|credits|funds)\b/i, "unauthorized"],
    [/^access denied, please make sure your account is in good standing\b/i, "unauthorized"],
    [
      /^(sorry, )?(your |the )?account (balance is insufficient|is (in arrears|overdue)|has an overdue balance)\b/i,
      "unauthorized",
    ],
    [/^you have exceeded your monthly included credits/i, "unauthorized"],
    [
      /^(the response was filtered|your request was rejected) (due to the prompt|as a result of our safety)/i,
      "content_policy",
    ],
    [/^invalid prompt: your prompt was flagged/i, "content_policy"],
    [/^your chosen model requires moderation/i, "content_policy"],
    [/^content (violates usage guidelines|exists risk)/i, "content_policy"],
    [/^the request was rejected because it was considered high risk/i, "content_policy"],
    // A model's name as vendors quote it; client text that contains a space does not match.
    [
      /^(the )?model:? [`'"]?[\w./:@+-]{1,200}[`'"]?,? (does not exist|(is )?not found|is not available)/i,
      "model_not_found",
    ],
    [/^no endpoints found for [`'"]?[\w./:@+-]{1,200}[`'"]?\.?$/i, "model_not_found"],
    [/^[`'"]?[\w./:@+-]{1,200}[`'"]? is not a valid model id/i, "model_not_found"],
    [/^model not exist\.?$/i, "model_not_found"],
    [/^no endpoints found (that|matching)\b/i, "unsupported"],
    // Exceeds the model's limit for a whole minute: waiting does not help, but a smaller request would succeed.
    [/^request too large for\b/i, "unsupported"],
    // This model, or this server, lacks something that the request needs.
    [
      /^(unsupported (parameter|value)|unknown parameter|argument not supported on this model): /i,
      "unsupported",
    ],
    [/^unrecognized request arguments? supplied: /i, "unsupported"],
    [/^property '[^']{1,64}' is (unsupported|not supported)/i, "unsupported"],
    [
      /^invalid parameter: '[\w.]{1,64}' of type '[\w.]{1,64}' is not supported with this model/i,
      "unsupported",
    ],
    [/^[`'"]?[\w./:@+-]{1,200}[`'"]? (does not|doesn't) support\b/i, "unsupported"],
  ],
  anywhere: [
    [/content[_ ](policy|filter)|moderation|responsible ai|safety system/i, "content_policy"],
    [
      /insufficient_quota|insufficient (balance|credit|funds)|billing (hard )?limit|current quota/i,
      "unauthorized",
    ],
  ],
};

/**
 * Interprets an error. `status` 200: it was inside a successful answer or a stream, so its own fields decide.
 */
export function openaiFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  const { error, codes, max, quoted } = readError(status, text);
  // OpenRouter and others put the upstream's status into `code`.
  const within = /^[45]\d{2}$/.test(error.code ?? "") ? Number(error.code) : status;
  const { message, param } = error;
  const bare = within === 200 && error.type === "invalid_request_error" ? 400 : within;
  const kind = classify({ status: bare, codes, param, message: quoted ?? message }, words);
  const restMs = retryAfterMs(headers, now);
  if (kind === "unauthorized") return unauthorizedFailure(status, message, restMs);
  const failure: Failure = { kind, status, retryAfterMs: restMs, error: clientError(kind, error) };
  if (kind === "invalid_request" || kind === "unsupported") {
    const limit = outputLimit({ param, codes, message, max });
    if (limit !== undefined) return lengthRefused(failure, limit);
    if (isEffortWithTools(error) && (kind === "invalid_request" || /^function tools\b/i.test(message)))
      return { ...failure, kind: "unsupported", toolsApiRequired: true };
  }
  const refused =
    kind === "unsupported"
      ? (refusedForm(quoted ?? message) ?? refusedParameter(message, param, codes))
      : null;
  return refused === null ? failure : { ...failure, refused };
}

/**
 * A prompt that is too long gets OpenAI's code, independent of the vendor: agents compact in response to it. A server's 500 for a missing
 * feature is not reported to the client as a server error, since the client would retry. The vendor's message stays.
 */
function clientError(kind: Kind, error: ApiError): ApiError {
  if (kind === "context_length")
    return { ...error, type: "invalid_request_error", code: "context_length_exceeded" };
  return kind === "unsupported" && error.type === "server_error"
    ? { ...error, type: "invalid_request_error" }
    : error;
}

/**
 * OpenAI's newer models accept function tools in chat completions only with `reasoning_effort: "none"`, and otherwise refuse them with this
 * parameter and no code, even if the request names no effort. A wrong effort has a code. The parameter is not learned as refused: requests
 * without tools may name an effort.
 */
const isEffortWithTools = ({ param, code }: ApiError) => param === "reasoning_effort" && code === null;

/** Codes for a value that the model does not accept, although it may accept another one. */
const valueCodes: readonly string[] = ["unsupported_value"];
/** Codes for a parameter that it does not accept at all. */
const nameCodes: readonly string[] = ["unsupported_parameter", "unknown_parameter", "extra_forbidden"];

/** The vendors' sentences that begin or end with the parameter's name. */
const nameIn =
  /^(?:unrecognized request arguments? supplied: |argument not supported on this model: |property ')?([A-Za-z][\w-]{0,63})(?:$|' is (?:unsupported|not supported)|: extra inputs are not permitted)/i;

/** OpenRouter's names for what an endpoint lacks. */
const featureIn = /^no endpoints found (?:that|matching)\b.{0,40}\b(tool use|'?tool_choice'?)/i;

/** The parameter that a vendor names as the reason why this member cannot serve the request. */
function refusedParameter(
  message: string,
  param: string | null,
  codes: readonly string[],
): RefusedParameter | null {
  if (param !== null && codes.some((code) => valueCodes.includes(code)))
    return { name: param, valueOnly: true };
  if (param !== null && codes.some((code) => nameCodes.includes(code)))
    return { name: param, valueOnly: false };
  const feature = featureIn.exec(message)?.[1];
  if (feature !== undefined)
    return feature.toLowerCase() === "tool use"
      ? { name: "tools", valueOnly: false }
      : { name: "tool_choice", valueOnly: true };
  if (param !== null) return { name: param, valueOnly: true };
  const name = nameIn.exec(message)?.[1];
  // xAI writes the parameters of its own protocol: `presencePenalty`.
  return name === undefined
    ? null
    : { name: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), valueOnly: false };
}

/**
 * The error object of a body, completed to OpenAI's four fields, with all codes in it. `max`: the largest value, which a validator states
 * in a separate field. `quoted`: what a gateway quotes from the vendor that it called, or null if it quotes nothing.
 */
function readError(
  status: number,
  text: string,
): { error: ApiError; codes: string[]; max: number | null; quoted: string | null } {
  const defaultType = status === 200 || status >= 500 ? "server_error" : "invalid_request_error";
  const value = parseJson(text);
  if (value === undefined) {
    const message = isSentence(text)
      ? text
      : `The provider answered ${status} without an error that could be read.`;
    return { error: apiError(message, defaultType), codes: [], max: null, quoted: null };
  }
  // Google's OpenAI-compatible API wraps it in an array.
  const outer = Array.isArray(value) ? value[0] : value;
  const top: Fields = isObject(outer) ? outer : {};
  const inner = isObject(top.error) ? top.error : top;
  const issue = issueIn(top.detail) ?? issueIn(isObject(inner.message) ? inner.message.detail : null);
  const message = [inner.message, top.error, top.message, top.detail, issue?.msg].find(
    (candidate) => typeof candidate === "string",
  );
  const word = (field: unknown) =>
    typeof field === "string" ? scrub(field) : typeof field === "number" ? String(field) : null;
  const code = word(inner.code);
  const type = word(inner.type);
  const param = word(inner.param) ?? parameterOf(issue);
  const sentence = typeof message === "string" ? message : `The provider answered ${status}.`;
  // OpenRouter gives the reason of a content refusal in a separate field.
  const moderated = isObject(inner.metadata) && Array.isArray(inner.metadata.reasons) ? "content_filter" : "";
  const raw = isObject(inner.metadata) ? textOf(inner.metadata.raw) : "";
  const codes = [code ?? "", type ?? "", moderated, textOf(inner.status), textOf(issue?.type)];
  return {
    error: apiError(sentence, type ?? defaultType, code, param),
    codes: codes.filter((name) => name !== ""),
    max: isObject(issue?.ctx) && typeof issue.ctx.le === "number" ? issue.ctx.le : null,
    quoted: raw === "" ? null : scrub(raw),
  };
}

/** Maximum length of a plain text that is accepted as an error sentence, UTF-16 units. */
const maxSentence = 1000;

/** Whether a non-JSON body is a sentence, as validators in Rust write it, and not a proxy's page. */
const isSentence = (text: string): boolean =>
  text.length <= maxSentence && /^[A-Z][\w '-]{3,100}[ :,.]/.test(text) && !/[<>{]/.test(text);

/** FastAPI's form (vLLM, Mistral): a list of issues, each with a location. */
function issueIn(detail: unknown): Fields | undefined {
  return fieldsIn(detail)[0];
}

/** The parameter's name, after `body`. */
function parameterOf(issue: Fields | undefined): string | null {
  const [where, first] = Array.isArray(issue?.loc) ? (issue.loc as unknown[]) : [];
  return where === "body" && typeof first === "string" ? scrub(first) : null;
}
