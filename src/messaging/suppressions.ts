// The suppression list by the account's own hand. Recipients are spelled as messages have them, however they were
// written: the list is asked by plain comparison, so another spelling would let a message through.

import type { Account } from "#accounts/account.ts";
import { normaliseAddress } from "#contract/address.ts";
import type { Issue } from "#contract/issue.ts";
import { type Channel, channels } from "#contract/messages/channel.ts";
import { isSendable } from "#contract/normalise.ts";
import { toRecipient } from "#messaging/accept/phone.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { addSuppressions, listSuppressions, removeSuppression } from "#store/feedback/suppressions.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";

/**
 * A recipient as messages of the channel have it: E.164 or a short code; an address in lower case with its domain in
 * ASCII, tags (`+tag`) included. Null when it is none.
 */
export function normaliseRecipient(channel: Channel, written: string, country: string | null): string | null {
  if (channel !== "email") return toRecipient(written, country)?.recipient ?? null;
  return normaliseAddress(written.trim());
}

type Owner = Pick<Account, "id" | "country">;

export type Suppressed =
  /** `added`: how many were not on the list before; the others stay on it. */
  { kind: "suppressed"; added: number; recipients: string[] } | { kind: "invalid"; issues: Issue[] };

/** Puts recipients on the list, all or none of them. */
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
    if (recipient === null)
      issues.push({
        path: ["recipients", i],
        message: channel === "email" ? "is not an email address" : "is not a phone number",
      });
    else recipients.add(recipient);
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

/** Takes a recipient off the list, whatever put it there; false when it was not on it. */
export async function release(
  database: Database,
  account: Owner,
  channel: Channel,
  written: string,
): Promise<boolean> {
  if (!isSendable(written)) return false;
  // As it stands on the list first: what an incoming message gave as its sender may be no number at all, or was
  // none before the account had a country.
  const readable = normaliseRecipient(channel, written, account.country);
  for (const recipient of new Set([written, readable])) {
    if (recipient === null) continue;
    if (await database.run(removeSuppression, { accountId: account.id, channel, recipient })) return true;
  }
  return false;
}

export interface SuppressionPage {
  suppressions: SuppressionsTable[];
  nextCursor: string | null;
}

/** The list, a page at a time; `recipient`: one that is looked for, in any spelling. Null: the cursor is none of ours. */
export async function suppressions(
  database: Database,
  account: Owner,
  query: { channel: Channel | null; recipient: string | null; limit: number; cursor: string | null },
): Promise<SuppressionPage | null> {
  const { channel, recipient, limit, cursor } = query;
  const after = cursor === null ? null : readCursor(cursor);
  if (after === undefined) return null;
  const asked = channel === null ? channels : [channel];
  const spellings = asked.map((each) => recipient && normaliseRecipient(each, recipient, account.country));
  const rows = await database.run(listSuppressions, {
    accountId: account.id,
    channels: asked,
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

/** A place in the list. Not plain text, since a plus in a query would become a space. */
function writeCursor({ channel, recipient }: { channel: Channel; recipient: string }): string {
  return Buffer.from(`${channel} ${recipient}`).toString("base64url");
}

function readCursor(cursor: string): { channel: Channel; recipient: string } | undefined {
  const text = Buffer.from(cursor, "base64url").toString();
  if (!isSendable(text)) return undefined;
  const channel = channels.find((each) => text.startsWith(`${each} `));
  return channel && { channel, recipient: text.slice(channel.length + 1) };
}
