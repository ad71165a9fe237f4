// Models that accept function tools only in another API of their vendor, not in chat completions: when that API is used, and what is
// learned from a refusal.

import type { FailoverCall } from "#ai/failover/call.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { NativeApi, ToolsApi } from "#providers/provider.ts";
import type { FailedAttempt, Reading } from "./adaptation.ts";

/** Without a reasoning effort, these models accept tools in chat completions too. */
const hasTools = ({ tools, reasoning_effort: effort }: FailoverCall["body"]) =>
  Array.isArray(tools) && tools.length > 0 && effort !== "none";

/** The member's other API for tools; null if it has none or turned out to lack it. */
function elsewhere({ member, model }: Choice<Member>, now: number): ToolsApi | null {
  const there = member.provider.toolsApi(member.settings);
  return there?.assumed && member.health.missingApis.has(model, "responses", now) ? null : there;
}

/** The API that the member is called with for a chat completion; null for chat completions. `native`: it receives the request unchanged. */
export function toolsApiFor(
  choice: Choice<Member>,
  { api, mode }: FailoverCall,
  native: NativeApi | null,
  now: number,
): ToolsApi | null {
  if (native !== null || mode === "embeddings") return null;
  const { member, model } = choice;
  const there = elsewhere(choice, now);
  if (there === null || !(there.always || member.health.refused.toolsApiRequired(model, now))) return null;
  const chat = api.chat();
  return chat.kind === "chat" && hasTools(chat.body) ? there : null;
}

/** Whether the model is known to refuse the tools of the chat completion while the member has no other API for them. */
export const lacksTools = (choice: Choice<Member>, body: FailoverCall["body"], now: number): boolean =>
  choice.member.health.refused.toolsApiRequired(choice.model, now) &&
  hasTools(body) &&
  elsewhere(choice, now) === null;

/** Records where the model accepts tools. True if the member has that API and is called once more, there. */
export function learnToolsApi(
  { choice, plan, now }: FailedAttempt,
  { failure: { toolsApiRequired } }: Reading,
): boolean {
  if (!toolsApiRequired || plan.tools !== null) return false;
  choice.member.health.refused.learnToolsApiRequired(choice.model, now);
  return elsewhere(choice, now) !== null;
}

/**
 * What it means if the server has no such path although the vendor documents the API: the member lacks the API, which is recorded, and
 * accepts no tools. Any other failure keeps its meaning.
 */
export function withoutToolsApi(
  { choice: { member, model }, plan: { tools }, now }: FailedAttempt,
  reading: Reading,
): Reading {
  const { status } = reading.failure;
  if (!tools?.assumed || (status !== 404 && status !== 405)) return reading;
  member.health.missingApis.learn(model, "responses", now);
  return { failure: vendorFailure("unsupported", 400, lacksApi, { param: "tools" }) };
}

const lacksApi =
  "The model accepts function tools only in the Responses API, which its server does not have.";
