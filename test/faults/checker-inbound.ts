// Compares the inbound messages that the provider handed over with what is stored and what the webhook endpoints
// were posted: once each, however often they were posted. Pure.

import { groupBy, type Handed, type Inbound, type Posted } from "./evidence.ts";

export interface InboundEvidence {
  handed: readonly Handed[];
  inbound: readonly Inbound[];
  posted: readonly Posted[];
  /** Whether everything has been posted by now. */
  drained: boolean;
}

/** Every broken promise, one line each. */
export function checkInbound({ handed, inbound, posted, drained }: InboundEvidence): string[] {
  const lines: string[] = [];
  const stored = groupBy(inbound, (message) => message.marker ?? `no marker in ${message.id}`);
  const known = new Set(handed.map(({ marker }) => marker));
  for (const message of handed) lines.push(...judgeHanded(message, stored.get(message.marker) ?? []));
  for (const marker of stored.keys()) {
    if (!known.has(marker)) lines.push(`inbound ${marker}: stored, but never sent`);
  }
  const postsById = groupBy(
    posted.filter(({ type }) => type === "message.received"),
    ({ subject }) => subject ?? "nothing",
  );
  for (const message of inbound)
    lines.push(...judgeReport(message, postsById.get(message.id) ?? [], drained));
  const ids = new Set(inbound.map(({ id }) => id));
  for (const subject of postsById.keys()) {
    if (!ids.has(subject)) lines.push(`message.received told of ${subject}, which is not stored`);
  }
  return lines;
}

function judgeHanded({ marker, account, gateway, taken }: Handed, stored: readonly Inbound[]): string[] {
  const lines: string[] = [];
  if (taken > 0 && stored.length === 0) lines.push(`lost: inbound ${marker}: taken, and not stored`);
  if (stored.length > 1) lines.push(`inbound ${marker}: stored ${stored.length} times`);
  for (const message of stored) {
    if (message.account !== account || message.gateway !== gateway) {
      lines.push(
        `inbound ${marker}: of ${account} by ${gateway}, shown to ${message.account} by ${message.gateway}`,
      );
    }
  }
  return lines;
}

function judgeReport({ id, account }: Inbound, posts: readonly Posted[], drained: boolean): string[] {
  const lines: string[] = [];
  const foreign = posts.find((post) => post.account !== account);
  if (foreign !== undefined) lines.push(`inbound ${id}: of ${account}, told to ${foreign.account}`);
  const events = new Set(posts.map((post) => post.id));
  if (events.size > 1) lines.push(`inbound ${id}: told as ${events.size} events`);
  if (drained && !posts.some(({ answer }) => answer === "ok")) lines.push(`inbound ${id}: never posted`);
  return lines;
}
