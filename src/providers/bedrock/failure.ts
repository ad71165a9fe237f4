// Interprets Bedrock's errors: the exception's name first, which a header or the stream has, then the opening of the message.
// Bedrock puts what a model says behind a sentence of its own. Source:
// docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html and the errors of
// …/APIReference/API_runtime_Converse.html; texts as users report them.

import { isObject } from "#contract/normalise.ts";
import { classify, type VendorErrorRules } from "#providers/failure/classify.ts";
import { outputLimit } from "#providers/failure/output-limit.ts";
import { lengthRefused, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Failure } from "#providers/provider.ts";
import { parseJson, textOf } from "#providers/translate/json.ts";
import { retryAfterMs } from "#settings/retry-after.ts";

const words: VendorErrorRules = {
  codes: {
    UnrecognizedClientException: "unauthorized",
    InvalidSignatureException: "unauthorized",
    IncompleteSignatureException: "unauthorized",
    SignatureDoesNotMatchException: "unauthorized",
    MissingAuthenticationTokenException: "unauthorized",
    ExpiredTokenException: "unauthorized",
    InvalidClientTokenIdException: "unauthorized",
    OptInRequired: "unauthorized",
    // Of the model alone: other models of the account may be open.
    NoModelAccess: "model_not_found",
    ThrottlingException: "rate_limited",
    TooManyRequestsException: "rate_limited",
    ServiceQuotaExceededException: "rate_limited",
    ModelNotReadyException: "rate_limited",
    ModelTimeoutException: "upstream_error",
    ModelErrorException: "upstream_error",
    ModelStreamErrorException: "upstream_error",
    InternalServerException: "upstream_error",
    InternalFailure: "upstream_error",
    ServiceUnavailableException: "upstream_error",
  },
  types: {
    AccessDeniedException: "unauthorized",
    ResourceNotFoundException: "model_not_found",
    ValidationException: "invalid_request",
  },
  openings: [
    [/^(output|input) blocked by content filtering policy/i, "content_policy"],
    [/^the provided model identifier is invalid/i, "model_not_found"],
    [/^could not resolve the foundation model/i, "model_not_found"],
    [
      /^invocation of model id [\w.:/-]{1,300} with on-demand throughput isn.{1,3}t supported/i,
      "model_not_found",
    ],
    [/^[a-z_][\w.]{0,100}: .{0,200}\b(not|n't) supported?\b.{0,40}\b(this|the) model/i, "unsupported"],
  ],
};

/** What Bedrock puts before the words of the model, which are those of its maker. */
const quoted = /^the model returned the following errors: /i;
const noAccess = /^you don.{1,3}t have access to the model\b/i;
const greatest = /^the maximum tokens you requested exceeds the model limit of (\d{1,10})\b/i;

/** `ThrottlingException:http://internal.amazon.com/…`, or `com.amazon.coral.service#ThrottlingException`. */
const plainName = (type: string): string => (type.split(":")[0] ?? "").split("#").at(-1) ?? "";

/** Interprets an answer outside 2xx. `now`: epoch ms. */
export function bedrockFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  const value = parseJson(text);
  const type = headers["x-amzn-errortype"] ?? (isObject(value) ? textOf(value.__type) : "");
  return bedrockError(status, plainName(type), value, retryAfterMs(headers, now));
}

/** Interprets an exception; `status` 200 for one inside a 200. `name`: in capitals as in AWS's documents, or empty. */
export function bedrockError(status: number, name: string, value: unknown, rest: number | null): Failure {
  const { message: lower, Message: upper } = isObject(value) ? value : {};
  const vendorMessage = (textOf(lower) || textOf(upper)).replace(quoted, "");
  const isClosed = name === "AccessDeniedException" && noAccess.test(vendorMessage);
  const codes = isClosed ? ["NoModelAccess", name] : [name];
  const kind = classify({ status, codes, param: null, message: vendorMessage }, words);
  const message =
    vendorMessage === ""
      ? `Bedrock answered ${name === "" ? status : name} without an error that could be read.`
      : vendorMessage;
  const param = kind === "model_not_found" ? "model" : kind === "context_length" ? "messages" : null;
  const failure = vendorFailure(kind, status, message, { retryAfterMs: rest, param });
  const limit = kind === "invalid_request" ? limitIn(vendorMessage) : undefined;
  return limit === undefined ? failure : lengthRefused(failure, limit);
}

function limitIn(message: string): number | null | undefined {
  const named = greatest.exec(message)?.[1];
  return named === undefined ? outputLimit({ param: null, codes: [], message }) : Number(named);
}
