// Models that take function tools in another API of their vendor than chat completions: when a member is asked there, and
// what is learned of a refusal.

import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { Failure, NativeApi, ToolsApi } from "#providers/provider.ts";
import type { FailoverCall } from "./call.ts";

/** Without an effort to think, these models take tools in chat completions too. */
const hasTools = ({ tools, reasoning_effort: effort }: FailoverCall["body"]) =>
  Array.isArray(tools) && tools.length > 0 && effort !== "none";

/** The API in which the member is asked for a chat completion; null: chat completions. `native`: it gets the request as it came. */
export function toolsApiFor(
  { member, model }: Choice<Member>,
  { api, mode }: FailoverCall,
  native: NativeApi | null,
  now: number,
): ToolsApi | null {
  if (native !== null || mode === "embeddings") return null;
  const there = member.provider.toolsApi(member.settings);
  if (there === null || !(there.always || member.health.refused.toolsElsewhere(model, now))) return null;
  const chat = api.chat();
  return chat.kind === "chat" && hasTools(chat.body) ? there : null;
}

/** Whether the model is known to refuse the tools of the chat completion, and the member has no other API for them. */
export const lacksTools = (
  { member, model }: Choice<Member>,
  body: FailoverCall["body"],
  now: number,
): boolean =>
  member.health.refused.toolsElsewhere(model, now) &&
  hasTools(body) &&
  member.provider.toolsApi(member.settings) === null;

/** Remembers where the model takes tools. True: the member has that API, and is asked once more, there. */
export function rememberToolsElsewhere(
  { member, model }: Choice<Member>,
  asked: ToolsApi | null,
  { toolsElsewhere }: Failure,
  now: number,
): boolean {
  if (!toolsElsewhere || asked !== null) return false;
  member.health.refused.learnToolsElsewhere(model, now);
  return member.provider.toolsApi(member.settings) !== null;
}
