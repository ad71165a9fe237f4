// Thoughts of a call that their vendor did not seal: who made those of an answer, which of them a member gets back, and how it is called
// after it refused a conversation that lacks them.

import { hash } from "node:crypto";
import type { ChatForm } from "#ai/apis/api-request.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { withMembers } from "#contract/json-text.ts";
import type { Failure, ToolsApi } from "#providers/provider.ts";
import { fillerFor, hasMakers, messagesFor } from "#providers/translate/unsealed-thoughts.ts";
import { oncePer } from "#runtime/once-per.ts";
import type { FailedAttempt, Reading } from "./adaptation.ts";

/**
 * Names the group of members that get each other's unsealed thoughts back: those of one vendor, or with one address, which the name does
 * not reveal. Clients see it.
 */
export const thoughtMaker = oncePer(({ provider, settings }: Member): string => {
  const vendor = provider.vendor(settings);
  return vendor ?? hash("sha256", provider.urls(settings)[0] ?? provider.kind, "base64url").slice(0, 16);
});

/** The request with only the member's own thoughts, in its form. `isLess`: others were left out. */
export function withOwnThoughts(
  chat: ChatForm,
  { member, model }: Choice<Member>,
  tools: ToolsApi | null,
  now: number,
): { chat: ChatForm; isLess: boolean } {
  const { provider, health } = member;
  const filler = health.refused.filler(model, now);
  if (filler === null && !hasMakers(chat.text)) return { chat, isLess: false };
  // The Responses API has its own seals.
  const form = tools === null ? provider.thoughts : null;
  const changed = messagesFor(chat.text, { maker: thoughtMaker(member), form, filler });
  if (changed === null) return { chat, isLess: false };
  const { messages, isLess } = changed;
  const body = { ...chat.body, messages: JSON.parse(messages) };
  return { chat: { kind: "chat", text: withMembers(chat.text, { messages }), body }, isLess };
}

const mayLack: readonly Failure["kind"][] = ["invalid_request", "unsupported"];

const lackOf = ({ kind, error }: Failure) => (mayLack.includes(kind) ? fillerFor(error.message) : null);

/** The failure, marked as specific to this member if it misses thoughts that others do without. */
export const asLack = (_: FailedAttempt, reading: Reading): Reading =>
  reading.failure.kind === "invalid_request" && lackOf(reading.failure) !== null
    ? { ...reading, failure: { ...reading.failure, kind: "unsupported" } }
    : reading;

/** Whether the member is called once more, with what it accepts in place of the thoughts that the conversation lacks. */
export function canGoFilled(
  { choice, plan: { native }, run, now }: FailedAttempt,
  { failure }: Reading,
): boolean {
  const filler = native === null ? lackOf(failure) : null;
  if (filler === null || run.learned.about(choice).filled) return false;
  run.learned.add(choice, { filled: true });
  choice.member.health.refused.learnFiller(choice.model, filler, now);
  return true;
}
