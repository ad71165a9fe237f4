// Adds, removes and lists suppressions manually. Recipients are normalised as those of messages are, because sending compares plain texts:
// another spelling would let a message through.

import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { isSendable } from "#contract/normalise.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import {
  addSuppressions,
  listSuppressions,
  removeSuppression,
  removeSuppressions,
} from "#store/feedback/suppressions.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";
import { messageChannels, normaliseRecipient } from "./channels.ts";

type Owner = Pick<Account, "id" | "country">;

type Suppressed =
  /** `added`: how many were not on the list before. */
  { kind: "suppressed"; added: number; recipients: string[] } | { kind: "invalid"; issues: Issue[] };

/** Adds all recipients, or none if one of them is invalid. */
export async function suppress(
  { database, clock }: { database: Database; clock: Clock },
  account: Owner,
  input: { channel: Channel; recipients: readonly string[]; note: string | null },
): Promise<Suppressed> {
  const { channel, note } = input;
  const issues: Issue[] = [];
  const recipients = new Set<string>();
  for (const [i, written] of input.recipients.entries()) {
    const recipient = normaliseRecipient(channel, written, account.country);
    if (recipient === null) {
      const { noun, adviceOn } = messageChannels[channel].recipients;
      const advice = adviceOn(written, account.country);
      issues.push({
        path: ["recipients", i],
        message: advice === "" ? `is not ${noun}` : `is not ${noun}. ${advice}`,
      });
    } else recipients.add(recipient);
  }
  if (issues.length > 0) return { kind: "invalid", issues };
  const added = await database.run(addSuppressions, {
    accountId: account.id,
    channel,
    recipients: [...recipients],
    note,
    at: clock.now(),
  });
  return { kind: "suppressed", added, recipients: [...recipients] };
}

/** Removes a recipient, for any reason; false if it was not on the list. */
export async function release(
  database: Database,
  account: Owner,
  channel: Channel,
  written: string,
): Promise<boolean> {
  if (!isSendable(written)) return false;
  // First in the form on the list: the sender of an inbound message may not be a phone number, or could not be parsed as one before the
  // account had a country.
  const normalised = normaliseRecipient(channel, written, account.country);
  for (const recipient of new Set([written, normalised])) {
    if (recipient === null) continue;
    if (await database.run(removeSuppression, { accountId: account.id, channel, recipient })) return true;
  }
  return false;
}

/** Entries that one transaction reads. */
const pageSize = 1_000;

/** Removes all entries with one reason that were made in a period, with these words in their note. Returns how many. */
export async function releaseAll(
  database: Database,
  account: Owner,
  which: Pick<SuppressionsTable, "channel" | "reason" | "note"> & { from: number; to: number },
): Promise<number> {
  let removed = 0;
  for (let after: string | null = ""; after !== null; ) {
    const step: { removed: number; next: string | null } = await database.run(removeSuppressions, {
      ...which,
      accountId: account.id,
      after,
      limit: pageSize,
    });
    removed += step.removed;
    after = step.next;
  }
  return removed;
}

interface SuppressionPage {
  suppressions: SuppressionsTable[];
  nextCursor: string | null;
}

/** A page of the list. `recipient`: only this one, in any spelling. Null for an invalid cursor. */
export async function suppressions(
  database: Database,
  account: Owner,
  query: { channel: Channel | null; recipient: string | null; limit: number; cursor: string | null },
): Promise<SuppressionPage | null> {
  const { channel, recipient, limit, cursor } = query;
  const after = cursor === null ? null : readCursor(cursor);
  if (after === undefined) return null;
  const listed = channel === null ? channels : [channel];
  const spellings = listed.map((name) => recipient && normaliseRecipient(name, recipient, account.country));
  const rows = await database.run(listSuppressions, {
    accountId: account.id,
    channels: listed,
    recipients:
      recipient === null
        ? null
        : [...new Set([recipient, ...spellings.filter((spelling) => spelling !== null)])],
    after,
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    suppressions: page,
    nextCursor: rows.length > limit && last ? writeCursor(last) : null,
  };
}

/** A position in the list, encoded because a plus in a query would become a space. */
function writeCursor({ channel, recipient }: { channel: Channel; recipient: string }): string {
  return Buffer.from(`${channel} ${recipient}`).toString("base64url");
}

function readCursor(cursor: string): { channel: Channel; recipient: string } | undefined {
  const text = Buffer.from(cursor, "base64url").toString();
  if (!isSendable(text)) return undefined;
  const channel = channels.find((name) => text.startsWith(`${name} `));
  return channel && { channel, recipient: text.slice(channel.length + 1) };
}
