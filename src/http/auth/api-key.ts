// Who is calling: the key from header, query or body in this order, then the plan, then the account's rate.
// The first place with a key that is not empty decides. A key in the header or the query is judged before
// the body is looked at; without one, a body of 2 MiB at most is read and searched for it, and parsed when it is right.

import type { IncomingMessage } from "node:http";
import { type Account, planExpired } from "#accounts/account.ts";
import { isProblem, type Problem, problem, refusals } from "#contract/problem.ts";
import type { BodyShare } from "#http/body/budget.ts";
import type { ParsedBody } from "#http/body/parse.ts";
import type { Gate } from "#http/call.ts";
import { queryOf } from "#http/request.ts";
import { invalidKey, type Key, parseKey } from "./api-key-text.ts";
import { missingKeyReply, searchBody } from "./key-in-body.ts";

/**
 * Node joins repeated `Api-key` headers with ", ", which is no account's key; the same is done with a
 * repeated query parameter, so that no two parts of a system can read different keys from one request.
 */
export function keyInHeaderOrQuery(request: IncomingMessage): Key | null {
  const header = request.headers["api-key"];
  const inHeader = parseKey(Array.isArray(header) ? header.join(", ") : header);
  if (inHeader !== null || !request.url?.includes("?")) return inHeader;
  const values = queryOf(request)
    .getAll("api_key")
    .filter((value) => parseKey(value) !== null);
  return parseKey(values.join(", "));
}

/** The `api_key` of a body that was read. */
export function keyInBody(body: ParsedBody): Key | null {
  const { value } = body;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "api_key")) return null;
  return parseKey((value as { api_key: unknown }).api_key);
}

/** The calling account, and the body when it had to be read already. */
interface Admitted {
  account: Account;
  body: ParsedBody | null;
}

/** The account that a key lets in, or why it does not. */
export async function checkKey(gate: Gate, key: Key): Promise<Account | Problem> {
  const account = key === invalidKey ? null : await gate.core.authenticator.authenticate(key);
  if (account === null) return refusals.invalid;
  if (planExpired(account, gate.core.clock.now())) return refusals.expired;
  if (account.requestsPerMinute !== null) {
    const retryAfterMs = gate.rateLimit(account.id, account.requestsPerMinute);
    if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  }
  return account;
}

/** Lets a request in, or says why not. Null: the client went away while its body was read. */
export async function authenticate(
  gate: Gate,
  request: IncomingMessage,
  share: BodyShare,
): Promise<Admitted | Problem | null> {
  const inFront = keyInHeaderOrQuery(request);
  if (inFront !== null) {
    const account = await checkKey(gate, inFront);
    if (isProblem(account)) return account;
    share.markAuthenticated();
    return { account, body: null };
  }
  if (request.method !== "POST") return refusals.missing;
  const searched = await searchBody(request, gate.keylessLimits, share);
  if (searched === null || isProblem(searched)) return searched;
  if (searched.key === null) return refusals.missing;
  const account = await checkKey(gate, searched.key);
  if (isProblem(account)) return account;
  share.markAuthenticated();
  const body = searched.parse();
  return isProblem(body) ? missingKeyReply(body) : { account, body };
}
