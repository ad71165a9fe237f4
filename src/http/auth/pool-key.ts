// The gate of the AI endpoints: the pool key is checked before the body, limits before parsing, and every failure is OpenAI's error object.
// A caller that disconnects aborts a signal, which ends the request to the provider.

import { isUtf8 } from "node:buffer";
import { keyInQuery } from "#ai/apis/apis.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";
import type { Form } from "#contract/ai/operations.ts";
import { isProblem, type Problem } from "#contract/problem.ts";
import { valueCost } from "#http/body/budget.ts";
import { announcesBody, readBytes } from "#http/body/bytes.ts";
import { readFormParts } from "#http/body/form.ts";
import { defaultMaxValues } from "#http/body/limits.ts";
import { mediaOf, noRoomRetryMs } from "#http/body/parse.ts";
import { tooManyPieces } from "#http/body/read.ts";
import type { Call, Head, PoolCall } from "#http/call.ts";
import type { Reply } from "#http/reply/response.ts";
import { countValues } from "#runtime/json-bounds.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";

const maxDepth = 256;
/** No key is longer; hashing megabytes is not free. */
const maxKeyLength = 512;

/** The headers in which clients of the other APIs send the key: Anthropic's, Azure's, Google's. */
const keyHeaders = ["x-api-key", "api-key", "x-goog-api-key"] as const;

/** The key of an Authorization header, otherwise of another header for keys; null if there is none that could be one. */
function keyOf(call: Call): string | null {
  const { headers, url = "" } = call.request;
  const { authorization } = headers;
  const key =
    authorization === undefined
      ? (keyHeaders.map((name) => headers[name]).find((value) => typeof value === "string" && value !== "") ??
        keyInQuery(url))
      : /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  return typeof key !== "string" || key.length > maxKeyLength || /\s/.test(key) ? null : key;
}

async function bodyOf(head: Head, call: Call): Promise<string | Form | Problem | null> {
  if (head.body === undefined) return "";
  const { request, gate, share } = call;
  const { maxBytes } = gate.bodyLimits;
  if (announcesBody(request) && mediaOf(request.headers) !== (head.form ? "multipart" : "json"))
    return aiProblem("unsupported_media_type", head.form ? { message: mustBeForm } : {});
  const read = await readBytes(request, gate.bodyLimits, share);
  switch (read.kind) {
    case "gone":
      return null;
    case "too_slow":
      return aiProblem("request_timeout");
    case "too_large":
      return aiProblem("body_too_large", { message: `The body is larger than ${maxBytes} bytes.` });
    case "too_many_pieces":
      return aiProblem("body_too_large", { message: tooManyPieces });
    case "malformed":
      return aiProblem("malformed_body", { message: "The request could not be read." });
    case "no_room":
      return noRoom;
    case "bytes": {
      const { bytes } = read;
      if (head.form) {
        // A second copy is sent to the member.
        if (!share.grow(bytes.length)) return noRoom;
        return readFormParts(bytes, request.headers["content-type"] ?? "") ?? badForm;
      }
      if (!isUtf8(bytes)) return aiProblem("malformed_body", { message: "The body is not valid UTF-8." });
      const values = countValues(bytes, { maxDepth, maxValues: defaultMaxValues });
      if (values === "depth")
        return aiProblem("malformed_body", { message: `The body is nested deeper than ${maxDepth} levels.` });
      if (values === "values")
        return aiProblem("malformed_body", {
          message: `The body holds more than ${defaultMaxValues} values.`,
        });
      // The text is kept next to its parsed form, as long as another member may have to be called.
      if (!share.grow(bytes.length + values * valueCost)) return noRoom;
      const text = bytes.toString();
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
  }
}

const mustBeForm = "The body must be multipart/form-data, and not compressed.";
const badForm = aiProblem("malformed_body", { message: "The body is not a valid form." });
const noRoom = aiProblem("unavailable", {
  message: "Too many large requests are under way; please try again.",
  retryAfterMs: noRoomRetryMs,
});

/** Admits a call and passes it to its handler. Null if the client disconnected. */
export async function answerPooled(
  head: Head,
  call: Call,
  handler: (call: PoolCall) => Promise<Reply | null>,
): Promise<Reply | null> {
  const gone = new LightAbortController();
  call.response.once("close", () => gone.abort());
  const token = keyOf(call);
  const opened = token === null ? null : await call.core.ai.authenticate(token);
  if (opened === null) return aiProblem("invalid_api_key");
  call.share.markAuthenticated();
  const body = await bodyOf(head, call);
  if (typeof body === "string")
    return await handler({ ...call, opened, text: body, form: null, signal: gone });
  if (body === null || isProblem(body)) return body;
  return await handler({ ...call, opened, text: "", form: body, signal: gone });
}
