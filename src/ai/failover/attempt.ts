// One attempt: sends one request to one member and reads until the answer is known to be real. Every result is a
// value: a whole answer, a stream with its first output, or a failure.

import { type SendResult, send } from "#ai/sending/send.ts";
import { AwsEventReader, isAwsStream } from "#ai/stream/aws-event-reader.ts";
import { type CollectResult, collect, defaultMaxAnswerBytes, textOf } from "#ai/stream/collect.ts";
import { EventReader } from "#ai/stream/event-reader.ts";
import { simulate } from "#ai/stream/simulate.ts";
import type { MemberTimeouts } from "#contract/manage/pools/members.ts";
import { ignoredByHealth, unreadable } from "#providers/failure/vendor-failure.ts";
import type {
  Chunk,
  Failure,
  ParsedAnswer,
  PreparedRequest,
  Provider,
  StreamReader,
  Usage,
  VendorAnswer,
} from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { BodyReader, StreamingClient, UpstreamResult } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";
import { withoutSecrets } from "#settings/redact.ts";
import { UpstreamStream, upstreamError } from "./upstream-stream.ts";

export interface AttemptDeps {
  clock: Clock;
  upstreams: StreamingClient;
  /** Maximum size of a whole answer, bytes; answers other than completions may be four times as large. Absent for 16 MiB. */
  answerBytes?: number;
}

/** The prepared request to a member, and how its answer is read. */
export interface Target extends Pick<Provider, "failure"> {
  prepared: Exclude<PreparedRequest, { kind: "unsupported_parameter" }>;
  timeouts: MemberTimeouts;
  /** Additional request headers; the member's headers override them. */
  extraHeaders?: Readonly<Record<string, string>> | null | undefined;
  /** The attempt uses a new connection instead of an idle one. */
  fresh: boolean;
  /** Maximum size of a whole answer, bytes; absent for 16 MiB. */
  maxAnswerBytes?: number;
  /** Parses the body of a 2xx. */
  read(answer: VendorAnswer): ParsedAnswer;
  /** Parses a whole answer to a streamed request. */
  answer(text: string): ParsedAnswer;
  stream(): StreamReader;
  /**
   * How a whole answer to a streamed request, as in `answer`, is turned into its stream: the events and their reader. Absent if that is not
   * possible.
   */
  unfold?(): { events(text: string): string; stream(): StreamReader };
  /** Whether the stream may have runs of frames; absent if not. */
  takesRuns?: boolean;
}

export type AttemptResult =
  | { kind: "answer"; text: string; usage: Usage | null; media?: VendorAnswer }
  | { kind: "streaming"; stream: UpstreamStream }
  | { kind: "buffered"; chunks: Chunk[] }
  /**
   * `reused`: the request used an idle connection that the peer may just have closed. `timeout`: the member was silent for too long.
   * `overtime`: the member was sending or reasoning but exceeded the time limit of the request or of the member.
   */
  | { kind: "failed"; failure: Failure; reused: boolean; timeout: boolean; overtime?: boolean }
  /** The client disconnected. `heard`: the member had produced output or shown that it was working. */
  | { kind: "aborted"; heard?: boolean };

/** Maximum size of an error body that is read, bytes. */
const maxErrorBytes = 64 * 1024;

/** Sends a request without streaming. */
export async function askWhole(
  deps: AttemptDeps,
  target: Target,
  deadlineAt: number,
  signal: LightAbortSignal,
): Promise<AttemptResult> {
  const limitAt = earlierDeadline(deps.clock, deadlineAt, target.timeouts.total_ms);
  const opened = await open(deps, target, limitAt, Number.POSITIVE_INFINITY, signal);
  if (opened.kind !== "answer" || !isSuccess(opened.status))
    return await refused(deps, target, opened, limitAt, signal);
  const body = await collect(
    deps.clock,
    opened.body,
    target.maxAnswerBytes ?? defaultMaxAnswerBytes,
    target.timeouts.idle_ms,
    limitAt,
  );
  if (body.kind !== "bytes") return signal.aborted ? { kind: "aborted" } : incompleteAnswer(body);
  const answer = target.read({ bytes: body.bytes, contentType: opened.headers["content-type"] ?? "" });
  if (answer.kind === "failure") return failedWith(unreadable(answer.failure, textOf(body.bytes)));
  if (!answer.output) return failedAnswer("The provider's answer is empty.", "empty_answer");
  const { text, usage, media } = answer;
  return { kind: "answer", text, usage, ...(media === undefined ? {} : { media }) };
}

/** Sends a streaming request and reads up to the first output: before that, another member can still be attempted. */
export async function askStream(
  deps: AttemptDeps,
  target: Target,
  deadlineAt: number,
  signal: LightAbortSignal,
): Promise<AttemptResult> {
  const { timeouts } = target;
  const limitAt = earlierDeadline(deps.clock, deadlineAt, timeouts.total_ms);
  const askedAt = deps.clock.monotonic();
  const speakAt = Math.min(limitAt, askedAt + timeouts.first_token_ms);
  const opened = await open(deps, target, speakAt, timeouts.headers_ms, signal);
  if (opened.kind !== "answer" || !isSuccess(opened.status))
    return await refused(deps, target, opened, speakAt, signal);
  const type = opened.headers["content-type"] ?? "";
  let { body } = opened;
  let reader = null;
  if (/json|html/i.test(type)) {
    const unfold = target.unfold?.();
    const max = unfold ? (target.maxAnswerBytes ?? defaultMaxAnswerBytes) : maxErrorBytes;
    const whole = await collect(deps.clock, body, max, timeouts.idle_ms, unfold ? limitAt : speakAt);
    if (whole.kind !== "bytes") return signal.aborted ? { kind: "aborted" } : incompleteAnswer(whole);
    const answer = /json/i.test(type) ? target.answer(textOf(whole.bytes)) : null;
    if (answer?.kind === "failure") return failedWith(answer.failure);
    if (answer === null || !unfold)
      return badAnswer("The provider answered with something else than a stream.");
    if (!answer.output) return failedAnswer("The provider's answer is empty.", "empty_answer");
    body = wholeBody(unfold.events(answer.text));
    reader = unfold.stream();
  }
  const frames = isAwsStream(type) ? new AwsEventReader() : new EventReader();
  const own = reader ?? target.stream();
  const stream = new UpstreamStream(deps.clock, body, own, timeouts, limitAt, frames, target.takesRuns);
  const fault = await stream.firstToken(askedAt);
  if (fault === null) return { kind: "streaming", stream };
  stream.cancel();
  if (signal.aborted) return stream.isAtWork ? { kind: "aborted", heard: true } : { kind: "aborted" };
  return { ...failedWith(fault.failure), timeout: fault.timeout, overtime: fault.overtime };
}

/** A body that arrived whole. */
function wholeBody(text: string): BodyReader {
  const pieces = [Buffer.from(text)];
  return { read: () => Promise.resolve(pieces.shift() ?? null), cancel: () => {} };
}

const earlierDeadline = (clock: Clock, deadlineAt: number, totalMs: number | null) =>
  totalMs === null ? deadlineAt : Math.min(deadlineAt, clock.monotonic() + totalMs);

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Sends the request and reads the response headers. */
function open(
  deps: AttemptDeps,
  { prepared, timeouts, extraHeaders, fresh }: Target,
  limitAt: number,
  headersMs: number,
  signal: LightAbortSignal,
): Promise<SendResult> {
  const { clock } = deps;
  const leftMs = Math.max(1, limitAt - clock.monotonic());
  return prepared.kind === "simulated"
    ? simulate(prepared.answer, clock, Math.min(headersMs, leftMs), signal)
    : send(deps, prepared.request, {
        extraHeaders,
        connectMs: Math.min(timeouts.connect_ms, leftMs),
        headersMs: Math.min(headersMs, leftMs),
        signal,
        fresh,
      });
}

/** There is no answer, or one with a status outside 2xx. */
async function refused(
  { clock }: AttemptDeps,
  target: Target,
  result: SendResult,
  limitAt: number,
  signal: LightAbortSignal,
): Promise<Extract<AttemptResult, { kind: "failed" } | { kind: "aborted" }>> {
  if (result.kind !== "answer") {
    if (signal.aborted) return { kind: "aborted" };
    return result.kind === "denied" ? failedWith(result.failure) : connectFailure(result);
  }
  const { status, headers, body, token } = result;
  const secrets = token === undefined ? [] : [token];
  const read = await collect(clock, body, maxErrorBytes, target.timeouts.idle_ms, limitAt);
  if (signal.aborted) return { kind: "aborted" };
  const text = withoutSecrets(read.kind === "bytes" ? textOf(read.bytes) : "", secrets);
  return failedWith(target.failure(status, headers, text, clock.now()));
}

/** Replaces the transport's reason, which contains the address: clients know members only by name. */
const connectErrors = {
  not_allowed: { code: "url_not_allowed", message: "The provider's address is not allowed." },
  unreachable: { code: "upstream_unreachable", message: "The provider could not be reached." },
  cut: { code: "upstream_cut", message: "The provider closed the connection without an answer." },
  aborted: { code: "upstream_unreachable", message: "The request was stopped." },
  connect_timeout: { code: "upstream_timeout", message: "The provider took too long to connect." },
  headers_timeout: { code: "upstream_timeout", message: "The provider took too long to answer." },
} as const;

/** No response headers were received. */
function connectFailure({ why, reason, reused }: Extract<UpstreamResult, { kind: "failed" }>) {
  const { code, message } = connectErrors[why];
  const timeout = code === "upstream_timeout";
  const failure: Failure = { ...upstreamError(message, code, timeout ? 504 : 502), detail: reason };
  return { kind: "failed" as const, failure, reused: why === "cut" && reused, timeout };
}

function failedWith(failure: Failure): Extract<AttemptResult, { kind: "failed" }> {
  return { kind: "failed", failure, reused: false, timeout: false };
}

const failedAnswer = (message: string, code: string) => failedWith(upstreamError(message, code));

/** A 2xx that is not an answer. Status 200 keeps failover from retrying it at the same member. */
const badAnswer = (message: string) => failedWith(upstreamError(message, "bad_upstream_answer", 200));

const tooLong = upstreamError("The provider's answer is too long.", "bad_upstream_answer", 200);

function incompleteAnswer(
  body: Exclude<CollectResult, { kind: "bytes" }>,
): Extract<AttemptResult, { kind: "failed" }> {
  if (body.kind === "too_long") return failedWith(ignoredByHealth(tooLong));
  const timeout = body.kind === "timeout";
  const code = timeout ? "upstream_timeout" : "upstream_cut";
  const failure = upstreamError(
    `The provider's answer was not complete: ${body.reason}.`,
    code,
    timeout ? 504 : 502,
  );
  return { kind: "failed", failure, reused: false, timeout };
}
