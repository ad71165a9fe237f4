// Prepares the request of a call for one member: in the member's format, without the parameters that its model does not accept.

import type { ChatForm } from "#ai/apis/api-request.ts";
import type { Plan } from "#ai/failover/adaptations/adaptation.ts";
import { thoughtMaker, withOwnThoughts } from "#ai/failover/adaptations/unsealed-reasoning.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { withMembers } from "#contract/json-text.ts";
import type { ChatRequest, NativeApi, PreparedRequest, ToolsApi } from "#providers/provider.ts";
import { clampMaxTokens, limitsAbove, type RequestForm } from "#providers/translate/clamp-max-tokens.ts";
import { adapt, isAdaptable } from "#providers/translate/hints.ts";
import { thoughtSignatures, withoutSignatures } from "#providers/translate/thought-signatures.ts";
import type { FailoverCall } from "./call.ts";

/** A request to one member, ready to be sent. `refused`: parameters that its model refused before. */
interface PreparedAttempt {
  prepared: PreparedRequest;
  request: ChatRequest;
  refused: readonly string[];
  /** Parameters that are left out, renamed or lowered for the member. */
  adapted: readonly string[];
}

/** The request of the call for the member in the plan. */
export function prepareAttempt(
  call: FailoverCall,
  plan: Omit<Plan, "key">,
  stream: boolean,
  now: number,
): PreparedAttempt {
  const {
    asked,
    native,
    tools,
    sealed: { foreign },
  } = plan;
  const asking = { call, choice: asked, stream, now };
  const ready = native === null ? asChat(asking, foreign, tools) : forwarded(asking, native, foreign);
  if (foreign.size === 0) return ready;
  const { field } = native?.sealed ?? thoughtSignatures;
  return { ...ready, adapted: [...new Set([...ready.adapted, field])] };
}

/** A whole answer that is folded is requested as a stream. */
function foldedForm({ mode }: FailoverCall, form: Pick<ChatRequest, "text" | "body">) {
  const { text, body } = form;
  if (mode !== "folded") return form;
  return { text: withMembers(text, { stream: "true" }), body: { ...body, stream: true } };
}

/** Which member is called, and how. `now`: monotonic ms. */
interface Asking {
  call: FailoverCall;
  choice: Choice<Member>;
  stream: boolean;
  now: number;
}

function chatPrepared(
  asking: Asking,
  { text, body }: Pick<ChatRequest, "text" | "body">,
  tools: ToolsApi | null,
): PreparedAttempt {
  const {
    call,
    choice: { member, model },
    stream,
    now,
  } = asking;
  const refused = member.health.refused.of(model, body, now);
  // Nearly every request returns here.
  const plain: ChatRequest = { text, body, model, stream, refused, maker: thoughtMaker(member) };
  if (call.pool.params === "strict") {
    const prepared = prepare(member, plain, call, tools);
    const otherwise = prepared.kind === "request" ? (prepared.adapted ?? []) : [];
    return { prepared, request: plain, refused, adapted: [...renamed(refused, body), ...otherwise] };
  }
  const [shorter, above] = shortened(plain, asking);
  let request = refused.length === 0 ? shorter : without(shorter, refused.filter(isAdaptable));
  let prepared = prepare(member, request, call, tools);
  // Each iteration leaves out one more parameter.
  while (prepared.kind === "unsupported_parameter") {
    const { param } = prepared;
    if (!isAdaptable(param) || !Object.hasOwn(request.body, param)) break;
    request = without(request, [param]);
    prepared = prepare(member, request, call, tools);
  }
  const otherwise = prepared.kind === "request" ? (prepared.adapted ?? []) : [];
  if (request === plain && refused.length === 0 && otherwise.length === 0)
    return { prepared, request, refused, adapted: otherwise };
  const dropped = Object.keys(body).filter((name) => !Object.hasOwn(request.body, name));
  const adapted = [...new Set([...dropped, ...above, ...renamed(refused, request.body), ...otherwise])];
  return { prepared, request, refused, adapted };
}

/**
 * The request with its answer limits lowered to the model's maximum, and what was lowered, under the caller's name for it. A pool that does
 * not adapt requests calls another member instead.
 */
function shortened<Form extends RequestForm>(
  form: Form,
  { call, choice: { member, model }, now }: Asking,
): [Form, readonly string[]] {
  const limit = call.pool.params === "strict" ? null : member.health.limits.of(model, now);
  if (limit === null) return [form, []];
  const [shorter, above] = clampMaxTokens(form, limit);
  return [shorter, above.length === 0 ? above : limitsAbove(call.body, limit)];
}

/** Hints that the adapter leaves out, and parameters that it renames. */
const renamed = (refused: readonly string[], body: ChatRequest["body"]): readonly string[] =>
  refused.length === 0
    ? refused
    : [...adapt(refused).changes.keys()].filter((name) => Object.hasOwn(body, name));

function without(request: ChatRequest, names: readonly string[]): ChatRequest {
  if (names.length === 0) return request;
  const changes = Object.fromEntries(names.map((name) => [name, undefined]));
  const body = Object.fromEntries(Object.entries(request.body).filter(([name]) => !names.includes(name)));
  return { ...request, text: withMembers(request.text, changes), body };
}

/** The kinds of members that accept cache marks; each adapter reports those that its model does not accept. */
const caching: ReadonlySet<string> = new Set(["anthropic", "bedrock", "vertex"]);

/** The request as a chat completion, without the optional parameters that the model refused before. */
function asChat(asking: Asking, foreign: ReadonlySet<string>, tools: ToolsApi | null): PreparedAttempt {
  const { call, choice, stream, now } = asking;
  const { api } = call;
  const asked = api.chat();
  if (asked.kind === "unsupported_parameter")
    return {
      prepared: asked,
      request: { text: call.text, body: call.body, model: choice.model, stream },
      refused: [],
      adapted: [],
    };
  const { marked } = asked;
  const takesMarks = marked !== undefined && caching.has(choice.member.provider.kind);
  const chosen = takesMarks ? { ...asked, ...marked() } : asked;
  const own = withOwnThoughts(foreign.size > 0 ? unsigned(chosen, foreign) : chosen, choice, tools, now);
  const { chat } = own;
  const optional = choice.member.health.refused
    .of(choice.model, chat.body, now)
    .filter((name) => api.optional.has(name) && Object.hasOwn(chat.body, name));
  const less = [
    ...optional,
    ...(own.isLess ? [thoughtSignatures.field] : []),
    ...(marked !== undefined && !takesMarks ? ["cache_control"] : []),
  ];
  if (less.length === 0) return chatPrepared(asking, foldedForm(call, chat), tools);
  const form = without({ ...chat, ...foldedForm(call, chat), model: choice.model, stream }, optional);
  const ready = chatPrepared(asking, form, tools);
  return {
    ...ready,
    refused: [...ready.refused, ...optional],
    adapted: [...ready.adapted, ...less],
  };
}

/** The request without the thought signatures that the member did not make. */
function unsigned(chat: ChatForm, foreign: ReadonlySet<string>): ChatForm {
  const messages = withoutSignatures(chat.text, foreign);
  if (messages === null) return chat;
  const body = { ...chat.body, messages: JSON.parse(messages) };
  return { kind: "chat", text: withMembers(chat.text, { messages }), body };
}

function forwarded(asking: Asking, native: NativeApi, foreign: ReadonlySet<string>): PreparedAttempt {
  const {
    call,
    choice: { model },
    stream,
  } = asking;
  const { headers } = call.api;
  const form: RequestForm = foldedForm(call, call);
  const [{ text, body }, shorter] = shortened(form, asking);
  const prepared = native.prepare({ text, body, model, stream, headers, foreign });
  return { prepared, request: { text, body, model, stream }, refused: [], adapted: shorter };
}

function prepare(
  { provider, settings }: Member,
  request: ChatRequest,
  { mode, form }: FailoverCall,
  tools: ToolsApi | null,
): PreparedRequest {
  switch (mode) {
    case "chat":
    case "stream":
    case "buffered":
    case "folded":
      return tools === null ? provider.chat(request, settings) : tools.chat(request);
    case "embeddings":
      return provider.embeddings(request, settings);
    default:
      return provider.forward(mode, { ...request, form }, settings);
  }
}
