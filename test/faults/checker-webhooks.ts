// Compares what the webhook endpoints were sent with what happened, message by message: every change of state
// is posted at least once, nothing else is, and an event says the same each time it is posted. Pure.

import { groupBy, type Happening, type Posted, type Row } from "./evidence.ts";

export interface WebhookEvidence {
  rows: readonly Row[];
  posted: readonly Posted[];
  /** Whether everything has been posted by now; else only what was posted wrongly is seen. */
  drained: boolean;
}

/** Every broken promise, one line each. Events about other things than messages are only compared with themselves. */
export function checkWebhooks({ rows, posted, drained }: WebhookEvidence): string[] {
  const lines: string[] = [];
  const events = groupBy(posted, ({ id }) => id);
  for (const [id, posts] of events) lines.push(...judgeEvent(id, posts));
  const messages = new Map(rows.map((row) => [row.id, row]));
  const changes = posted.filter(({ type }) => type.startsWith("message.") && type !== "message.received");
  const bySubject = groupBy(changes, ({ subject }) => subject ?? "nothing");
  for (const [subject, posts] of bySubject) {
    const row = messages.get(subject);
    if (row === undefined) lines.push(`${posts[0]?.type} told of ${subject}, which is not stored`);
    else lines.push(...judgeMessage(row, posts, drained));
  }
  for (const row of rows) if (!bySubject.has(row.id)) lines.push(...judgeMessage(row, [], drained));
  return lines;
}

/** All posts of one event: signed, to the same account, with the same body. */
function judgeEvent(id: string, posts: readonly Posted[]): string[] {
  const lines: string[] = [];
  const first = posts[0];
  if (first === undefined) return [];
  const bad = posts.filter(({ signed }) => !signed).length;
  if (bad > 0) lines.push(`${id}: ${bad} of ${posts.length} posts with a wrong signature`);
  const happenings = new Set(posts.map(({ type, subject }) => `${type} of ${subject}`));
  if (happenings.size > 1) lines.push(`${id}: names two happenings: ${[...happenings].join(", ")}`);
  else if (new Set(posts.map(({ digest }) => digest)).size > 1) {
    lines.push(`${id} (${[...happenings][0]}): not the same body each time`);
  }
  const accounts = new Set(posts.map(({ account }) => account));
  if (accounts.size > 1) lines.push(`${id}: told to ${[...accounts].join(" and ")}`);
  if (first.status !== null && first.type !== `message.${first.status}`) {
    lines.push(`${id}: ${first.type} with the status ${first.status}`);
  }
  return lines;
}

/** What was posted of a message against its timeline: as often, and of the same instants. */
function judgeMessage(row: Row, posts: readonly Posted[], drained: boolean): string[] {
  const lines: string[] = [];
  const foreign = posts.find(({ account }) => account !== row.account);
  if (foreign !== undefined) lines.push(`${row.id}: of ${row.account}, told to ${foreign.account}`);
  const happened = groupBy(row.timeline, ({ type }) => `message.${type}`);
  const byType = groupBy(posts, ({ type }) => type);
  for (const type of new Set([...happened.keys(), ...byType.keys()])) {
    lines.push(...judgeType(row, type, happened.get(type) ?? [], byType.get(type) ?? [], drained));
  }
  return lines;
}

function judgeType(
  row: Row,
  type: string,
  happened: readonly Happening[],
  reports: readonly Posted[],
  drained: boolean,
): string[] {
  const events = groupBy(reports, ({ id }) => id);
  const taken = new Set(reports.filter(({ answer }) => answer === "ok").map(({ id }) => id));
  if (events.size > happened.length) {
    return [`${row.id}: ${type} told as ${events.size} events, happened ${happened.length} times`];
  }
  if (!drained) return [];
  if (taken.size < happened.length) {
    const tried = events.size > taken.size ? `, ${events.size - taken.size} more without a 2xx` : "";
    return [`${row.id}: ${type} happened ${happened.length} times, told ${taken.size} times${tried}`];
  }
  const when = happened.map(({ at }) => at).sort();
  const reportedAt = [...events.values()].map((posts) => posts[0]?.timestamp ?? "").sort();
  if (when.join() === reportedAt.join()) return [];
  return [`${row.id}: ${type} happened at ${when.join(", ")}, told of ${reportedAt.join(", ")}`];
}
