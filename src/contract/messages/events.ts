// The types of webhook events, and the patterns by which endpoints subscribe to them.

import { statuses } from "./channel.ts";

export const eventTypes = [
  ...statuses.map((status) => `message.${status}` as const),
  "message.received",
  "message.opened",
  "message.clicked",
  "message.complained",
  "gateway.paused",
  "gateway.resumed",
  "credit.low",
  "pool.member_down",
  "pool.member_up",
] as const;
export type EventType = (typeof eventTypes)[number];

/** `*`, a type, or a family such as `message.*`. */
export function isEventPattern(text: string): boolean {
  return eventTypes.some((type) => matchesOnePattern(text, type));
}

function matchesOnePattern(pattern: string, type: string): boolean {
  if (pattern === "*" || pattern === type) return true;
  return pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1));
}

/** Whether one of the patterns matches events of this type. */
export function matchesPattern(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matchesOnePattern(pattern, type));
}
