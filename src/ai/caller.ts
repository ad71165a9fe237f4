// What a client says about a call besides its body: the id that it gave the request, the trace that the request belongs to, and tags. The
// first two are sent to every member that is called, so that a provider's logs can be matched with the client's.

import type { UsedCall } from "#store/pools/usage.ts";
import { readTags } from "./labels.ts";

export interface Caller {
  /** The id of the call: in its usage record, and in the response as `X-Request-Id`. */
  id: string;
  /** The id from the client: its `X-Client-Request-Id`, otherwise its `X-Request-Id`; null if it sent neither. */
  clientRequestId: string | null;
  /** Its tags, such as `team=checkout`, for the usage record. */
  tags: readonly string[];
  /** Headers that are added to each request to a member, in lower case; null if there are none. */
  extraHeaders: Readonly<Record<string, string>> | null;
  /** The attempt serves a queued completion: no client sees a refusal, and the attempt is repeated. */
  isQueued?: true;
  /** A person who tries the pool without a key; absent for the holder of a key. */
  person?: {
    /** An email address, or the name of a management token. */
    name: string;
    /** The call has ended, and its record is about to be written. */
    ended(call: UsedCall): void;
  };
}

/** OpenAI accepts 512 ASCII characters in `X-Client-Request-Id`; ids are shorter. */
const idText = /^[\x21-\x7e]{1,200}$/;
/** W3C Trace Context: version, trace id, parent id, flags; a later version may add parts. */
const traceText = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-[\x21-\x7e]{0,200})?$/;
const stateText = /^[\x20-\x7e]{1,2000}$/;

const noTags: readonly string[] = [];

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads the headers of a request; `headers`: keys are in lower case, as in Node. A malformed id or trace is ignored. Null if the tags are
 * malformed.
 */
export function readCaller(id: string, headers: Headers): Caller | null {
  const header = headers["x-trunkline-tags"];
  const tags = header === undefined ? noTags : readTags(String(header));
  if (tags === null) return null;
  const clientRequestId =
    matching(headers["x-client-request-id"], idText) ?? matching(headers["x-request-id"], idText);
  const trace = traceOf(headers.traceparent);
  if (clientRequestId === null && trace === null) return { id, clientRequestId, tags, extraHeaders: null };
  const extraHeaders: Record<string, string> = {};
  if (clientRequestId !== null) extraHeaders["x-client-request-id"] = clientRequestId;
  if (trace !== null) {
    extraHeaders.traceparent = trace;
    const state = matching(headers.tracestate, stateText);
    if (state !== null) extraHeaders.tracestate = state;
  }
  return { id, clientRequestId, tags, extraHeaders };
}

function matching(value: Headers[string], form: RegExp): string | null {
  return typeof value === "string" && form.test(value) ? value : null;
}

function traceOf(value: Headers[string]): string | null {
  if (typeof value !== "string") return null;
  const [, version, trace, parent] = traceText.exec(value) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && value.length !== 55)) return null;
  return isZero(trace) || isZero(parent) ? null : value;
}

const isZero = (hex: string | undefined) => hex === undefined || /^0+$/.test(hex);
