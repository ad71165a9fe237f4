// What a client says about a call beside its body: the id that it gave the request, the trace that the request belongs
// to, and tags. The first two go on to every member that is asked, so that a provider's logs can be matched with the client's.

import type { UsedCall } from "#store/pools/usage.ts";
import { readTags } from "./labels.ts";

export interface Caller {
  /** The id of the call: of its usage record, and of the response as `X-Request-Id`. */
  id: string;
  /** The id that the client gave: its `X-Client-Request-Id`, otherwise its `X-Request-Id`; null if it gave neither. */
  clientRequestId: string | null;
  /** Its tags, such as `team=checkout`, for the usage record. */
  tags: readonly string[];
  /** Headers that each request to a member has too, in lower case; null if it has no such headers. */
  extraHeaders: Readonly<Record<string, string>> | null;
  /** A queued completion is tried: no client sees a refusal, and it is tried again. */
  isQueued?: true;
  /** A person who tries the pool without a key; absent: the holder of a key. */
  person?: {
    /** An e-mail address, or the name of a management token. */
    name: string;
    /** The call has ended, and its record is about to be written. */
    ended(call: UsedCall): void;
  };
}

/** OpenAI takes 512 characters of ASCII in `X-Client-Request-Id`; ids are shorter. */
const idText = /^[\x21-\x7e]{1,200}$/;
/** W3C Trace Context: version, trace id, parent id, flags; a later version may add parts. */
const traceText = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-[\x21-\x7e]{0,200})?$/;
const stateText = /^[\x20-\x7e]{1,2000}$/;

const noTags: readonly string[] = [];

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads the headers of a request; `headers`: by names in lower case, as Node gives them. A malformed id or trace is
 * ignored. Null: the tags are malformed.
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
