// One completion: members are attempted in turn, and the client sees nothing of a member before its first real output. The outcome is
// reported exactly once, however the call ends.

import type { AnswerRules, ApiRequest, StreamWriter } from "#ai/apis/api-request.ts";
import { thoughtMaker } from "#ai/failover/adaptations/unsealed-reasoning.ts";
import type { AnswerMode, FailoverDeps, FailoverResult, Winner } from "#ai/failover/call.ts";
import { runFailover } from "#ai/failover/failover.ts";
import { affinityOf } from "#ai/pools/affinity.ts";
import type { Member, Pool } from "#ai/pools/member.ts";
import { modelsFor, notPassedOn, notServed } from "#ai/pools/operation-models.ts";
import { type Choice, eligibleMembers, embeddingMembers, type ModelRequest } from "#ai/pools/pool.ts";
import { chunksOf } from "#ai/stream/plain-frames.ts";
import { type ServicePool, withServed } from "#ai/stream/sse-writer.ts";
import { isForwarded } from "#contract/ai/operations.ts";
import { costNumber } from "#contract/cost.ts";
import type { FrameRun } from "#providers/frame-run.ts";
import type { ApiError } from "#providers/provider.ts";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { shuttingDownError, statusOf, unknownModel, unpricedModel } from "./call-errors.ts";
import { CallTally } from "./call-tally.ts";
import type { CallOutcome, CompletionRequest, CompletionResult, ResponseStream } from "./completion.ts";
import { pricedMembers } from "./priced-members.ts";

export type {
  CallOutcome,
  ClientRequest,
  CompletionRequest,
  CompletionResult,
  ResponseStream,
} from "./completion.ts";

/** Serves a request; `onEnd` is called exactly once. `signal` aborts when the client disconnects. */
export async function complete(
  deps: FailoverDeps,
  pool: Pool,
  request: CompletionRequest,
  signal: LightAbortSignal,
  onEnd: (outcome: CallOutcome) => void,
): Promise<CompletionResult> {
  const { clock } = deps;
  const tally = new CallTally(deps, pool, request, onEnd);
  const { kind } = request;
  const { model, allowedModels: allowed, api } = request;
  const modelRequest: ModelRequest = { model, poolName: pool.name, strict: pool.strict_models, allowed };
  const modelsOf = modelsFor(kind);
  const select = kind === "embeddings" ? embeddingMembers : eligibleMembers;
  const { pricedOnlyBy = null } = request;
  const found =
    pricedOnlyBy === null
      ? select(pool.members, modelRequest, modelsOf)
      : pricedMembers(select, pool.members, modelRequest, modelsOf, deps.prices);
  const refuse = (status: number, error: ApiError): CompletionResult => {
    tally.close(status, null);
    return { kind: "error", status, error, retryAfterMs: null, served: null };
  };
  if (found.kind === "unknown_model") return refuse(404, unknownModel(request.model));
  if (found.kind === "unpriced") return refuse(400, unpricedModel(pricedOnlyBy ?? "key", found.model));
  if (
    kind !== "chat" &&
    found.choices.length === 0 &&
    !pool.members.some((member) => modelsOf(member).length > 0)
  )
    return refuse(400, notServed(kind));
  const choices = askable(found.choices, api);
  if (api.passedOn !== undefined && choices.length === 0) return refuse(400, notPassedOn(api.passedOn.path));
  const rulesFor = (served: ServicePool, { choice }: Winner): AnswerRules => ({
    // Vectors of two models do not mix, so embeddings always name the model that served them.
    model: api.echoesModel
      ? (request.model ?? pool.name)
      : pool.answer_model === "pool" && kind !== "embeddings"
        ? pool.name
        : served.model,
    created: Math.floor(clock.now() / 1000),
    served,
    promptTokens: request.promptTokens,
    maker: thoughtMaker(choice.member),
  });
  const chain = runFailover(deps, {
    pool,
    choices,
    affinity: kind === "chat" ? affinityOf(pool, api, request.body) : null,
    mode: modeOf(request, pool),
    text: request.text,
    body: request.body,
    form: request.form ?? null,
    api,
    promptTokens: request.promptTokens,
    extraHeaders: request.extraHeaders,
    deadlineAt: tally.startedAt + pool.deadline_ms,
    signal,
    trial: request.trial,
    span: request.span,
  });
  if (!request.stream) {
    const result = await chain;
    if (result.kind !== "answer") return tally.closeUnanswered(result);
    const { won, text, media } = result;
    const served = tally.servedBy(won.choice, won.memberCount);
    tellCost(served, tally.close(200, result));
    if (media) return { kind: "answer", text: "", media, served };
    const rules = rulesFor(served, won);
    if (isForwarded(kind)) return { kind: "answer", text: withServed(text, rules.model, served), served };
    const answer = api.answer(text, won.forwarded, rules);
    return { kind: "answer", text: answer, served, leftOut: leftOutOf(won, api) };
  }
  const patience = new LightAbortController();
  const early = await Promise.race([chain, clock.sleep(pool.headers_after_ms, patience).then(() => null)]);
  patience.abort();
  if (early && early.kind !== "streaming" && early.kind !== "buffered") return tally.closeUnanswered(early);
  const begin = (result: StreamingResult) => {
    const served = tally.servedBy(result.won.choice, result.won.memberCount);
    const frames = api.writer(rulesFor(served, result.won), result.won.forwarded);
    const ended = (outcome: CallOutcome | null) => tellCost(served, outcome);
    return { stream: relay(tally, result, frames, api, ended), served };
  };
  if (early === null)
    return { kind: "stream", stream: deferredStream(tally, chain, api, begin), served: null };
  return { kind: "stream", ...begin(early), leftOut: leftOutOf(early.won, api) };
}

/** Adds the cost to the call's description in the answer once it is known. */
function tellCost(served: ServicePool, outcome: CallOutcome | null): void {
  const cost = outcome?.cost ?? null;
  if (cost !== null) served.cost = costNumber(cost);
}

/** The names of the parts that the member was not sent. */
function leftOutOf({ adapted, forwarded }: Winner, api: ApiRequest): readonly string[] {
  const translating = forwarded ? [] : api.leftOut();
  return adapted.length === 0 ? translating : [...new Set([...adapted, ...translating])];
}

/** The members that may be called: requests that cannot be translated are sent only to members that have the API. */
function askable(choices: readonly Choice<Member>[], { format, passedOn }: ApiRequest) {
  if (passedOn === undefined) return choices;
  return choices.filter(({ member, model }) => member.provider.native(format, member.settings, model));
}

function modeOf({ kind, stream, api }: CompletionRequest, pool: Pool): AnswerMode {
  if (kind !== "chat") return kind;
  if (stream) return pool.stream_mode === "complete" ? "buffered" : "stream";
  return pool.whole_answers === "stream" && !api.passedOn?.isWhole ? "folded" : "chat";
}

type StreamingResult = Extract<FailoverResult, { kind: "streaming" } | { kind: "buffered" }>;

/** A stream whose headers are sent before any member has answered: a failure is reported in-band. */
function deferredStream(
  tally: CallTally,
  chain: Promise<FailoverResult>,
  api: ApiRequest,
  begin: (result: StreamingResult) => { stream: ResponseStream },
): ResponseStream {
  let inner: ResponseStream | null = null;
  let over = false;
  return {
    next: async () => {
      if (over) return null;
      if (inner) return await inner.next();
      const result = await chain;
      if (result.kind === "streaming" || result.kind === "buffered") {
        inner = begin(result).stream;
        return await inner.next();
      }
      over = true;
      const completed = tally.closeUnanswered(result);
      return completed.kind === "error" ? api.failed(completed.error, completed.served) : null;
    },
    keepAlive: api.keepAlive,
    cancel: () => {
      over = true;
      if (inner) inner.cancel();
      else {
        // The error of a failed run reaches the code that awaits it; the tally still has to be closed.
        const threw = () => tally.close(500, null);
        void chain.then((result) => tally.closeAbandoned(result), threw);
      }
    },
    stop: () => inner?.stop(),
  };
}

const writtenRun = (frames: StreamWriter, run: FrameRun): string =>
  frames.run?.(run) ?? chunksOf(run).reduce((text, chunk) => text + frames.chunk(chunk), "");

/** Relays a stream to the client, chunk by chunk. */
function relay(
  tally: CallTally,
  result: StreamingResult,
  frames: StreamWriter,
  { keepAlive }: ApiRequest,
  ended: (outcome: CallOutcome | null) => void,
): ResponseStream {
  const { won } = result;
  let over = false;
  let stopped = false;
  let whole = result.kind === "buffered" ? result.chunks : null;
  const end = (status: number, how: "completed" | "failed" | "dropped") => {
    over = true;
    won.settle(how);
    ended(tally.close(status, { ...result, usage: frames.usage }));
  };
  return {
    keepAlive,
    isOver: () => over && !stopped,
    next: async () => {
      let text = "";
      while (!over) {
        const read = whole
          ? { kind: "chunks" as const, chunks: whole }
          : result.kind === "streaming"
            ? await result.stream.next()
            : { kind: "done" as const };
        whole = null;
        if (over) break;
        tally.markFirstByte();
        if (read.kind === "done") {
          end(200, "completed");
          return text + frames.done();
        }
        if (read.kind === "failed") {
          if (result.kind === "streaming") result.stream.cancel();
          won.span?.brokeOff(read.failure);
          end(statusOf(read.failure), read.overtime || read.failure.ignoredByHealth ? "dropped" : "failed");
          return text + frames.failed(read.failure.error);
        }
        if (result.kind === "streaming") won.span?.chunks(read.chunks);
        for (const chunk of read.chunks) {
          tally.addUnits(chunk.units);
          text += chunk.run === undefined ? frames.chunk(chunk) : writtenRun(frames, chunk.run);
        }
        // The end follows in the same text if it is known.
        if (text !== "" && result.kind === "streaming" && !result.stream.hasEnded) return text;
      }
      if (!stopped) return text === "" ? null : text;
      stopped = false;
      return text + frames.failed(shuttingDownError);
    },
    cancel: () => {
      if (over) return;
      if (result.kind === "streaming") result.stream.cancel();
      end(499, "dropped");
    },
    stop: () => {
      if (over) return;
      stopped = true;
      if (result.kind === "streaming") result.stream.cancel();
      end(503, "dropped");
    },
  };
}
