// Authenticates the caller: the key from header, query or body in this order, then the plan, the key's scopes, and the rates of the account
// and of a named key. The first place with a non-empty key decides. A key in the header or the query is checked before the body is read;
// without one, a body of at most 2 MiB is read and searched for it, and parsed if the key is valid.

import type { IncomingMessage } from "node:http";
import { type Account, planExpired } from "#accounts/account.ts";
import type { KeyScope } from "#contract/manage/keys/named-keys.ts";
import { isProblem, type Problem, problem, refusals } from "#contract/problem.ts";
import type { ParsedBody } from "#http/body/parse.ts";
import type { Call, Gate, Head } from "#http/call.ts";
import { isChannel } from "#http/path-params.ts";
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

type KeyCall = Pick<Call, "gate" | "logged" | "params" | "request" | "share">;

/** Whether the caller's key has one of the scopes. The personal key has every right. */
export const hasScope = ({ key }: Account, ...scopes: KeyScope[]): boolean =>
  key === undefined || scopes.some((scope) => key.scopes.includes(scope));

/** The calling account, and the body if it already had to be read. */
interface Admitted {
  account: Account;
  body: ParsedBody | null;
}

/** The scopes of which a request to an endpoint needs one. Null if its path names no channel, so that its handler finds nothing. */
function scopesOf(
  { right, channel }: Pick<Head, "right" | "channel">,
  params: Call["params"],
): readonly KeyScope[] | null {
  if (right === "account") return ["read"];
  if (right === "read") return ["read", "read:own"];
  const of = channel ?? params.channel ?? "";
  return isChannel(of) ? [`send:${of}`] : null;
}

/** Counts one request of the account and of its named key; 0, or the ms until both have room. */
export function rateWait(
  { rateLimit }: Pick<Gate, "rateLimit">,
  { id, requestsPerMinute, key }: Account,
): number {
  const limits: [name: string, perMinute: number][] = [];
  if (requestsPerMinute !== null) limits.push([id, requestsPerMinute]);
  if (key !== undefined && key.requestsPerMinute !== null) limits.push([key.id, key.requestsPerMinute]);
  // Checked first: a request that one of the two refuses consumes nothing of the other.
  const wait = Math.max(0, ...limits.map(([name, perMinute]) => rateLimit(name, perMinute, 0)));
  if (wait === 0) for (const [name, perMinute] of limits) rateLimit(name, perMinute);
  return wait;
}

/** The account whose key admits the request to an endpoint, or the reason for refusing it. */
export async function checkKey(
  { gate, logged, params }: KeyCall,
  head: Pick<Head, "right" | "channel">,
  key: Key,
): Promise<Account | Problem> {
  const account = key === invalidKey ? null : await gate.core.authenticator.authenticate(key);
  if (account === null) return refusals.invalid;
  if (planExpired(account, gate.core.clock.now())) return refusals.expired;
  if (account.key !== undefined) {
    const needed = scopesOf(head, params);
    logged.account = account.id;
    logged.keyId = account.key.id;
    if (needed !== null && !hasScope(account, ...needed)) return refusals.notAllowed;
  }
  const retryAfterMs = rateWait(gate, account);
  return retryAfterMs > 0 ? problem("rate_limited", { retryAfterMs }) : account;
}

/** Admits a request or returns the reason for refusing it. Null if the client disconnected while its body was read. */
export async function authenticate(call: KeyCall, head: Head): Promise<Admitted | Problem | null> {
  const { gate, request, share } = call;
  const inFront = keyInHeaderOrQuery(request);
  if (inFront !== null) {
    const account = await checkKey(call, head, inFront);
    if (isProblem(account)) return account;
    share.markAuthenticated();
    return { account, body: null };
  }
  if (request.method !== "POST") return refusals.missing;
  const searched = await searchBody(request, gate.keylessLimits, share);
  if (searched === null || isProblem(searched)) return searched;
  if (searched.key === null) return refusals.missing;
  const account = await checkKey(call, head, searched.key);
  if (isProblem(account)) return account;
  share.markAuthenticated();
  const body = searched.parse();
  return isProblem(body) ? missingKeyReply(body) : { account, body };
}
