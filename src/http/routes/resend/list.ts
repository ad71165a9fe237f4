// A page of emails, as Resend's clients read it: https://resend.com/docs/api-reference/pagination

import type { Account } from "#accounts/account.ts";
import { messageIdOf } from "#contract/resend/ids.ts";
import type { Call } from "#http/call.ts";
import { queryOf } from "#http/request.ts";
import { listEmails } from "#messaging/lookup.ts";
import { ResendRefusal } from "./errors.ts";
import { listedEmail } from "./resource.ts";

/** Resend's. */
const defaultLimit = 20;
const maxLimit = 100;

const invalid = (message: string) => new ResendRefusal("validation_error", message);

/** The id of a parameter; null if it is absent. */
function cursorOf(query: URLSearchParams, name: "after" | "before"): string | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  const id = messageIdOf(text);
  if (id === null) throw invalid(`The \`${name}\` must be the id of an email.`);
  return id;
}

function limitOf(query: URLSearchParams): number {
  const text = query.get("limit") || String(defaultLimit);
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) throw invalid(`The \`limit\` must be a number from 1 to ${maxLimit}.`);
  return limit;
}

/** The page that the query asks for. */
export async function emailList({ core, request }: Call, account: Account) {
  const query = queryOf(request);
  const page = { limit: limitOf(query), after: cursorOf(query, "after"), before: cursorOf(query, "before") };
  if (page.after !== null && page.before !== null) throw invalid("Use `after` or `before`, but not both.");
  const { records, hasMore } = await listEmails(core, account, page);
  return { object: "list", has_more: hasMore, data: records.map(listedEmail) };
}
