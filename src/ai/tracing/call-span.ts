// The span of one call: of kind SERVER, from the admission of its key to the last byte of the answer. Each attempt at a member is a child
// span. It follows OpenTelemetry's GenAI conventions:
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/client-inference.md

import { clientApiOf } from "#ai/apis/apis.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { CallKind } from "#contract/ai/operations.ts";
import { type Cost, costNumber } from "#contract/cost.ts";
import type { ClientFormat, PreparedRequest, Usage } from "#providers/provider.ts";
import { type Attributes, type Span, spanKind, type Tracer } from "#runtime/tracing/tracing.ts";
import { AttemptSpan } from "./attempt-span.ts";
import { providerName } from "./provider-name.ts";
import { headersWithin, spanOfCaller } from "./trace-headers.ts";
import { usageAttributes } from "./usage-attributes.ts";

/** A call when it begins. */
interface BegunCall {
  id: string;
  pool: { name: string; accountId: string };
  kind: CallKind;
  /** The API of a completion. */
  format: ClientFormat;
  /** The model that the caller names; null if it names none. */
  model: string | null;
  stream: boolean;
  /** Headers of each request to a member, with the caller's trace position. */
  extraHeaders: Readonly<Record<string, string>> | null;
}

/** How a call ended. */
interface EndedCall {
  status: number;
  member: string | null;
  model: string | null;
  attempts: { readonly length: number };
  usage: Usage;
  estimated: boolean;
  cost: (Cost & { source: string }) | null;
  reused?: string | null;
}

/** What distinguishes an attempt from the others. */
interface BegunAttempt {
  prepared: PreparedRequest;
  stream: boolean;
  /** Whether another member that was called at the same time was first; absent if only one is called. */
  isGivenUp?: (() => boolean) | undefined;
}

/** The conventions name the operations of completions and of embeddings; the others use their name here. */
const operationOf = (kind: CallKind, format: ClientFormat): string =>
  kind === "chat" ? clientApiOf(format).spanOperation : kind;

const notGivenUp = () => false;

export class CallSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #call: BegunCall;
  readonly #shared: Attributes;
  /** The member that was called last. */
  #provider: string | null = null;

  constructor(tracer: Tracer, call: BegunCall) {
    const { id, pool, kind, format, model, stream, extraHeaders } = call;
    const operation = operationOf(kind, format);
    const asked = model ?? pool.name;
    const caller = spanOfCaller(extraHeaders);
    this.#call = call;
    this.#tracer = tracer;
    this.#shared = {
      "gen_ai.operation.name": operation,
      "trunkline.account": pool.accountId,
      "trunkline.pool": pool.name,
      "trunkline.call": id,
      ...(kind === "chat" ? { "trunkline.api": format } : {}),
    };
    const attributes = {
      ...this.#shared,
      "gen_ai.request.model": asked,
      ...(stream ? { "gen_ai.request.stream": true } : {}),
    };
    const name = `${operation} ${asked.slice(0, maxName)}`;
    this.#span = tracer.startSpan(name, { kind: spanKind.server, attributes }, caller);
  }

  /** A member is called. */
  attempt({ member, model }: Choice<Member>, { prepared, stream, isGivenUp }: BegunAttempt): AttemptSpan {
    this.#provider = providerName(member);
    const attributes = {
      ...this.#shared,
      "gen_ai.provider.name": this.#provider,
      "gen_ai.request.model": model,
      ...(stream ? { "gen_ai.request.stream": true } : {}),
      "trunkline.member": member.name,
      ...addressOf(prepared),
    };
    const name = `${this.#shared["gen_ai.operation.name"]} ${model}`;
    const span = this.#tracer.startSpan(name, { kind: spanKind.client, attributes }, this.#span.context);
    return new AttemptSpan(
      span,
      headersWithin(span.context, this.#call.extraHeaders),
      isGivenUp ?? notGivenUp,
    );
  }

  /** The call is over, and its last byte has been handed over. */
  ended({ status, member, model, attempts, usage, estimated, cost, reused }: EndedCall): void {
    const span = this.#span;
    span.setAttributes({
      "gen_ai.provider.name": this.#provider ?? "trunkline",
      ...usageAttributes(usage),
      "trunkline.attempts": attempts.length,
      ...(member === null ? {} : { "trunkline.member": member }),
      ...(model === null ? {} : { "gen_ai.response.model": model }),
      ...(estimated ? { "trunkline.usage.estimated": true } : {}),
      ...(cost === null ? {} : { "trunkline.cost": costNumber(cost), "trunkline.cost.source": cost.source }),
      ...(reused == null ? {} : { "trunkline.reused": reused }),
    });
    this.#close(status, null);
  }

  /** A limit or a budget refused the call. */
  refused(by: string): void {
    this.#span.setAttribute("gen_ai.provider.name", "trunkline");
    this.#close(429, by);
  }

  /** It did not end normally: its key was revoked in between, or this program has a bug. */
  broken(status: number): void {
    this.#span.setAttribute("gen_ai.provider.name", this.#provider ?? "trunkline");
    this.#close(status, null);
  }

  #close(status: number, by: string | null): void {
    const span = this.#span;
    span.setAttribute("http.response.status_code", status);
    if (status === 499) span.setAttribute("error.type", "cancelled");
    else if (status >= 400) {
      span.setAttribute("error.type", by ?? String(status));
      // By the HTTP conventions, an error of the caller is not an error of the server's span.
      if (status >= 500) span.fail();
    }
    span.end();
  }
}

/** Callers choose model names, so the length of a span's name is limited. */
const maxName = 128;

/** The server of the request. The rest of the URL may contain a key. */
function addressOf(prepared: PreparedRequest): Attributes {
  const url = prepared.kind === "request" ? URL.parse(prepared.request.url) : null;
  if (url === null) return {};
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { "server.address": url.hostname, "server.port": port };
}
