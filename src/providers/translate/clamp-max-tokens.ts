// Lowers the answer limit of a request to the maximum of its model.

import { withMembers } from "#contract/json-text.ts";
import { isObject } from "#contract/normalise.ts";

/** The limit of an answer in chat completions (both names), in Messages and in Responses. */
const names = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
/** The minimum thinking budget that Anthropic accepts. */
const minBudget = 1024;

/** A request's JSON text and its parsed form. */
export interface RequestForm {
  text: string;
  body: Readonly<Record<string, unknown>>;
}

/** How many answer tokens the request allows. Null if it sets no limit. */
export function maxAnswerTokens(body: RequestForm["body"]): number | null {
  const limits = names.map((name) => body[name]).filter((value) => typeof value === "number");
  return limits.length === 0 ? null : Math.max(...limits);
}

/** The limits in the request that are above `maxTokens`, by name. */
export const limitsAbove = (body: RequestForm["body"], maxTokens: number): readonly string[] =>
  names.filter((name) => typeof body[name] === "number" && body[name] > maxTokens);

/** The request with no limit above `maxTokens`, and the names of the limits that were lowered. */
export function clampMaxTokens<Form extends RequestForm>(
  form: Form,
  maxTokens: number,
): [Form, readonly string[]] {
  const { text, body } = form;
  const above = limitsAbove(body, maxTokens);
  if (above.length === 0) return [form, above];
  const changed: Record<string, unknown> = Object.fromEntries(above.map((name) => [name, maxTokens]));
  const { thinking } = body;
  // Anthropic's thinking budget is part of the limit: a fifth of it is left for the answer.
  if (isObject(thinking) && typeof thinking.budget_tokens === "number" && thinking.budget_tokens >= maxTokens)
    changed.thinking = { ...thinking, budget_tokens: Math.max(minBudget, Math.floor(maxTokens * 0.8)) };
  const members = Object.entries(changed).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return [
    { ...form, text: withMembers(text, Object.fromEntries(members)), body: { ...body, ...changed } },
    above,
  ];
}
