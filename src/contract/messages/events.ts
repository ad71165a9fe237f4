// The types of webhook events, and the patterns with which an endpoint subscribes to them.

import { statuses } from "./channel.ts";

export const eventTypes = [
  ...statuses.map((status) => `message.${status}` as const),
  "message.received",
  "message.opened",
  "message.clicked",
  "message.complained",
  "message.recipient_bounced",
  "gateway.paused",
  "gateway.resumed",
  "gateway.linked",
  "gateway.unlinked",
  "gateway.limited",
  "gateway.outdated",
  "gateway.receipts_unmatched",
  "credit.low",
  "pool.member_down",
  "pool.member_up",
  "budget.low",
  "completion.done",
] as const;
export type EventType = (typeof eventTypes)[number];

/** `*`, a type, or a family such as `message.*`. */
export function isEventPattern(text: string): boolean {
  return eventTypes.some((type) => matches(text, type));
}

function matches(pattern: string, type: string): boolean {
  if (pattern === "*" || pattern === type) return true;
  return pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1));
}

/** Whether any of the patterns matches the event type. */
export function matchesPattern(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matches(pattern, type));
}
