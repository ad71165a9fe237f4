// A whole system as those who manage it see it: by token, or in a browser with a session. What breaks these would
// break every test of the management API, so they assert nothing but that they worked.

import assert from "node:assert/strict";
import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";
import { createManagementToken } from "#identity/management-token.ts";
import { createPasswordHasher } from "#identity/password.ts";
import { createUser } from "#identity/users.ts";
import type { Role } from "#store/schema/identity.ts";
import { type Harness, seededRandom } from "../harness.ts";
import { type Injected, inject } from "../inject.ts";
import { testPasswordCost } from "../password-cost.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Request {
  headers?: Record<string, string>;
  body?: unknown;
  /** Where the request comes from. */
  from?: string;
}

/** Below `/api/manage/v1`. */
export function manage(
  it: Harness,
  method: Method,
  path: string,
  { headers = {}, body, from = "192.0.2.10" }: Request = {},
): Promise<Injected> {
  return inject(it.system.app, {
    method,
    url: `/api/manage/v1${path}`,
    remoteAddress: from,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let made = 0;
/** A new token; without an account, an operator's; with `scopes`, bound to them. */
export async function tokenFor(
  it: Harness,
  accountId: string | null = null,
  scopes: readonly TokenScope[] | null = null,
): Promise<string> {
  made += 1;
  const { database, core } = it.system;
  const { random, clock, newId } = core;
  const role: Role = accountId === null ? "operator" : "member";
  const result = await createManagementToken(
    { database, random, clock, newId },
    { name: `token ${made}`, role, accountId, scopes },
  );
  assert.ok(result);
  return result.token;
}

export const passwordOf = (email: string) => `the long password of ${email}`;

/** A new user, whose password `passwordOf` tells. Returns the id. */
export async function userFor(it: Harness, email: string, accountId: string | null = null): Promise<string> {
  const { database, core } = it.system;
  const { clock, newId } = core;
  const result = await createUser(
    { database, clock, newId, passwords: createPasswordHasher(seededRandom(7), testPasswordCost) },
    {
      email,
      name: email,
      role: accountId === null ? "operator" : "member",
      accountId,
      password: passwordOf(email),
    },
  );
  assert.ok(result.kind === "saved");
  return result.user.id;
}

/** A browser with a session. */
export interface Browser {
  cookie: string;
  csrfToken: string;
  /** What its own pages send with a change. */
  headers: Record<string, string>;
}

export function browserOf(reply: Injected): Browser {
  assert.equal(reply.statusCode, 200, reply.body);
  const cookie = String(reply.headers["set-cookie"]).split(";", 1)[0]!;
  const csrfToken: string = reply.json().data.csrf_token;
  return {
    cookie,
    csrfToken,
    headers: { cookie, "x-csrf-token": csrfToken, "sec-fetch-site": "same-origin" },
  };
}

export async function signedIn(it: Harness, email: string, from = "192.0.2.10"): Promise<Browser> {
  const body = { email, password: passwordOf(email) };
  return browserOf(await manage(it, "POST", "/session", { body, from }));
}

export interface Entry {
  id: string;
  at: string;
  actor: { kind: string; id: string | null; name: string };
  account: string | null;
  action: string;
  target: string | null;
  fields: string[];
  outcome: string;
}

/** The newest entries of the audit log, oldest of them first. */
export async function auditOf(it: Harness, query = ""): Promise<Entry[]> {
  const reply = await manage(it, "GET", `/audit${query}`, { headers: bearer(await tokenFor(it)) });
  assert.equal(reply.statusCode, 200, reply.body);
  return (reply.json().data as Entry[]).reverse();
}
