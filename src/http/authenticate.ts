// Who is calling: the key from header, query or body in this order, then the plan, then the account's rate.
// The first place with a key that is not empty decides. A key in the header or the query is judged before
// the body is looked at, so a stranger cannot make us parse anything; without one, the body has to be read
// to look for it, and one that cannot be read holds none.

import type { IncomingMessage } from "node:http";
import { type Account, planExpired } from "#accounts/account.ts";
import { normalised } from "#contract/normalise.ts";
import { type Problem, problem, refusals } from "#contract/problem.ts";
import type { ParsedBody } from "./parse-body.ts";
import type { HttpParts } from "./parts.ts";
import type { RateLimit } from "./rate-limit.ts";
import { type BodyLimits, isProblem, readBody } from "./read-body.ts";
import type { UploadGate } from "./upload.ts";
import type { WrongCredentials } from "./wrong-credentials.ts";

/** A key that no account has: stands for a value that is there, but is no text or far too long for a key. */
const noKey = Symbol("not a key");
export type Key = string | typeof noKey;

/** Keys are 32 characters and a little more; nothing longer is worth hashing. */
const longestKey = 1_024;

/** A value that stands where a key belongs; null: it is empty, and so there is none. */
export function asKey(value: unknown): Key | null {
  const key = normalised(value);
  if (key === null) return null;
  if (typeof key === "number") return String(key);
  return typeof key === "string" && key.length <= longestKey ? key : noKey;
}

/** The query of a request's URL. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? "";
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
}

/**
 * Node joins repeated `Api-key` headers with ", ", which is no account's key; the same is done with a
 * repeated query parameter, so that no two parts of a system can read different keys from one request.
 */
export function keyInFront(request: IncomingMessage): Key | null {
  const header = request.headers["api-key"];
  const inHeader = asKey(Array.isArray(header) ? header.join(", ") : header);
  if (inHeader !== null || !request.url?.includes("?")) return inHeader;
  const values = queryOf(request)
    .getAll("api_key")
    .filter((value) => asKey(value) !== null);
  return asKey(values.join(", "));
}

/** The `api_key` of a body that was read. */
export function keyInBody(body: ParsedBody): Key | null {
  const { value } = body;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "api_key")) return null;
  return asKey((value as { api_key: unknown }).api_key);
}

export interface Gate {
  parts: Pick<HttpParts, "authenticate" | "clock">;
  uploads: UploadGate;
  rateLimit: RateLimit;
  wrongCredentials: WrongCredentials;
  bodyLimits: BodyLimits;
}

/** The calling account, and the body when it had to be read already. */
export interface Admitted {
  account: Account;
  body: ParsedBody | null;
}

/** What is said to a request without a key in front whose body could not be read: it holds none, if it came at all. */
export function withoutKey(fault: Problem): Problem {
  return fault.status === 408 ? fault : refusals.missing;
}

/** The account that a key lets in, or why it does not. */
export async function judgeKey(gate: Gate, key: Key): Promise<Account | Problem> {
  const account = key === noKey ? null : await gate.parts.authenticate(key);
  if (account === null) return refusals.invalid;
  if (planExpired(account, gate.parts.clock.now())) return refusals.expired;
  if (account.requestsPerMinute !== null) {
    const retryAfterMs = gate.rateLimit(account.id, account.requestsPerMinute);
    if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  }
  return account;
}

/** Lets a request in, or says why not. Null: the client went away while its body was read. */
export async function authenticate(gate: Gate, request: IncomingMessage): Promise<Admitted | Problem | null> {
  let key = keyInFront(request);
  let body: ParsedBody | null = null;
  if (key === null && request.method === "POST") {
    const found = await readBody(request, gate.bodyLimits);
    if (found === null) return null;
    if (isProblem(found)) return withoutKey(found);
    body = found;
    key = keyInBody(body);
  }
  if (key === null) return refusals.missing;
  const account = await judgeKey(gate, key);
  return isProblem(account) ? account : { account, body };
}
