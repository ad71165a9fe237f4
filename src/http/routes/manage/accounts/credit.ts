// The credit of an account on each channel: its balances, its ledger, and extra credit from an operator.

import { accountFromRow } from "#accounts/authenticate.ts";
import { creditOf } from "#accounts/credit.ts";
import { changeCredit } from "#configure/account.ts";
import {
  type CreditEntryData,
  creditReply,
  entriesQuery,
  entriesReply,
  grantReply,
  grantRequest,
} from "#contract/manage/accounts.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { type LedgerCursor, listCreditEntries } from "#store/accounts/ledger.ts";
import type { CreditEntriesTable } from "#store/schema/schema.ts";

function dataOf({ kind, reference, at, amount, remaining, note }: CreditEntriesTable): CreditEntryData {
  return { kind, reference, at: isoTime(at), amount, remaining, note };
}

export const getCreditRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/credit",
  name: "getCredit",
  tag: "Accounts",
  summary: "Get the credit",
  scope: "account",
  replies: { 200: creditReply },
})(async ({ core, account }) => ({
  message: "Credit found.",
  data: await creditOf(core, accountFromRow(account)),
}));

export const grantCreditRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/credit",
  name: "grantCredit",
  tag: "Accounts",
  summary: "Grant or take away credit",
  description:
    "Extra credit comes on top of the allowance until the balance is renewed. Only an operator may change credit. The balance never goes below zero.",
  scope: "account",
  refuse: ({ role }) =>
    role === "operator" ? null : problem("forbidden", { message: "Only an operator may change credit." }),
  body: grantRequest,
  replies: { 200: grantReply },
  problems: ["forbidden", "conflict"],
})(async ({ core, account, input }) => {
  const { channel, amount, note = null } = input;
  const result = await changeCredit(core, account, { channel, amount, note: note || null });
  switch (result.kind) {
    case "unlimited":
      return problem("conflict", { message: `The plan sets no allowance for ${channel}: it is unlimited.` });
    case "too_little":
      return validationFailed([
        { path: ["amount"], message: `takes more than the ${result.remaining} left` },
      ]);
    case "granted":
      return { message: "The credit has been changed.", data: dataOf(result.entry) };
  }
});

export const listCreditEntriesRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/credit/entries",
  name: "listCreditEntries",
  tag: "Accounts",
  summary: "List the ledger of a channel's credit",
  description:
    "Each entry is a change of the balance. The newest entry comes first. The amounts add up to the remaining credit.",
  scope: "account",
  query: entriesQuery,
  replies: { 200: entriesReply },
})(async ({ core, account, query }) => {
  const { channel, limit, cursor } = query;
  const before = cursor === undefined ? null : placeOf(cursor);
  if (before === undefined) return validationFailed([{ path: ["cursor"], message: "is not a cursor" }]);
  const filter = { accountId: account.id, channel, before, limit: limit + 1 };
  const rows = await core.database.run(listCreditEntries, filter);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    message: "Entries found.",
    data: rows.slice(0, limit).map(dataOf),
    next_cursor: last ? cursorOf(last) : null,
  };
});

function cursorOf({ at, kind, reference }: LedgerCursor): string {
  return `${at}.${kind}.${reference}`;
}

/** Undefined if it is not one of ours. */
function placeOf(cursor: string): LedgerCursor | undefined {
  const found = /^(\d{1,15})\.([a-z]+)\.([\w-]{1,100})$/.exec(cursor);
  return found
    ? { at: Number(found[1]), kind: found[2] as LedgerCursor["kind"], reference: found[3]! }
    : undefined;
}
