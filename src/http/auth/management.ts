// The gate of the management API, in the same order for every route: who is calling (management token, session, or the command line),
// whether the request comes from our own page (CSRF), whether the caller may (the head's scope, then those of a token), and only then the
// body. Calls that change something or read prompts are written to the audit log here, before and after the handler, so that no route can
// forget it.

import type { IncomingMessage } from "node:http";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { announcesBody } from "#http/body/bytes.ts";
import { mediaOf, type ParsedBody } from "#http/body/parse.ts";
import { readBody } from "#http/body/read.ts";
import type { Call, Head, ManageCall } from "#http/call.ts";
import type { Reply } from "#http/reply/response.ts";
import { cameThroughOperatorSocket } from "#http/server/operator-socket.ts";
import { actorOf, audit, auditOutcome } from "#identity/audit.ts";
import { authenticateToken, maxTokenLength } from "#identity/management-token.ts";
import { commandLinePrincipal, mayManage, type Principal } from "#identity/principal.ts";
import { isCsrfToken, resumeSession, type Session } from "#identity/session.ts";
import { idTime } from "#runtime/ids.ts";
import { hashSecret } from "#runtime/secret.ts";
import { type AccountRow, findAccount, findAccountByName } from "#store/accounts/accounts.ts";
import { rightAddress, sameSite } from "./csrf.ts";
import { isHttps, readCookie } from "./session-cookie.ts";
import { scopeRefusal } from "./token-scopes.ts";

/** What the gate determined before a body is read. `account` is set for routes of that scope. */
interface Admitted {
  principal: Principal | null;
  session: Session | null;
  account: AccountRow | null;
}

/** Few managed resources need more; anonymous clients get less. */
const maxBytes = 1024 * 1024;
const maxAnonymousBytes = 16 * 1024;

/** The 401, with the challenge that HTTP requires. */
export function unauthenticated(message?: string): Problem {
  const refusal = problem("unauthenticated", message === undefined ? {} : { message });
  return { ...refusal, headers: { "WWW-Authenticate": "Bearer" } };
}

/**
 * Prefixes of keys that Trunkline creates for the channel endpoints (`tl_`) and for pools (`tlp_`); management tokens begin with `tlm_`.
 */
const isApiKey = (text: unknown) => typeof text === "string" && /^tlp?_/.test(text);
const apiKeyShown =
  "This is an API key. The management API takes a management token, which an operator makes in the dashboard.";

/** The token of a Bearer header; "" if the header contains no token; null if there is no such header. */
function bearerOf(request: IncomingMessage): string | null {
  const { authorization } = request.headers;
  if (authorization === undefined || !/^bearer\b/i.test(authorization)) return null;
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
}

/** A Bearer header takes precedence over a cookie. Browsers do not add it by themselves, so it needs no CSRF token. */
async function identify(call: Call): Promise<{ principal: Principal; session: Session | null } | Problem> {
  const { request, settings, gate, core } = call;
  const token = bearerOf(request);
  const credential = token ?? readCookie(request, isHttps(settings.publicUrl));
  if (credential === null && cameThroughOperatorSocket(request))
    return { principal: commandLinePrincipal, session: null };
  const refused = () =>
    isApiKey(token ?? request.headers["api-key"]) ? unauthenticated(apiKeyShown) : unauthenticated();
  if (credential === null || credential === "" || credential.length > maxTokenLength) return refused();
  const hash = hashSecret(credential);
  const wait = gate.credentialThrottle.wait(call.caller.ip, "management", hash);
  if (wait > 0) return problem("rate_limited", { retryAfterMs: wait });
  const session = token === null ? await resumeSession(core, credential) : null;
  const principal = token === null ? session?.principal : await authenticateToken(core, token);
  const isValid = principal != null && principal.kind !== "expired";
  const retryAfterMs = gate.credentialThrottle.record(call.caller.ip, "management", hash, isValid);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  if (principal?.kind === "expired")
    return unauthenticated(`This management token ended at ${isoTime(principal.at)}. Create another one.`);
  return principal == null ? refused() : { principal, session };
}

/** Whether a session's request that changes something was made by our own page. */
function hasCsrfToken(call: Call, session: Session): boolean {
  const { request, settings } = call;
  if (sameSite(request, settings.publicUrl, call.caller.host) !== "yes") return false;
  const token = request.headers["x-csrf-token"];
  return typeof token === "string" && isCsrfToken(session, token);
}

/** The 403 for a request that does not come from our pages. It tells a page that was opened at another address the public one. */
function notOurPage({ request, settings, caller }: Call): Problem {
  const address = rightAddress(request, settings.publicUrl, caller.host);
  if (address === null) return problem("forbidden");
  return problem("forbidden", {
    message: `This installation is managed at ${address}, not at the address of this page. Open it there.`,
  });
}

/** The 403 for a request with only a session cookie, which says what a program needs. */
function withoutCsrfToken(call: Call): Problem {
  const { request, settings, caller } = call;
  const isOurs = sameSite(request, settings.publicUrl, caller.host) !== "no";
  if (!isOurs || request.headers["x-csrf-token"] !== undefined) return notOurPage(call);
  const message =
    "A change with a session's cookie needs the session's csrf_token in X-CSRF-Token. A program sends a management token instead.";
  return problem("forbidden", { message });
}

/** By its id or its name. An account that the caller may not manage is treated like one that does not exist. */
async function accountOf(call: Call, principal: Principal): Promise<AccountRow | null> {
  const named = call.params.account ?? "";
  const { database } = call.core;
  const account = isAccountId(named)
    ? await database.run(findAccount, named)
    : await database.run(findAccountByName, named);
  return account !== null && mayManage(principal, account.id) ? account : null;
}

function isAccountId(text: string): boolean {
  return text.startsWith("acc_") && idTime(text) !== null;
}

async function admit(head: Head, call: Call): Promise<Admitted | Problem> {
  const changes = head.method !== "GET";
  if (head.scope === "anonymous") {
    const { request, settings, caller } = call;
    // A page of another site must not sign a user in as a different one.
    if (changes && sameSite(request, settings.publicUrl, caller.host) === "no") return notOurPage(call);
    return { principal: null, session: null, account: null };
  }
  const asking = await identify(call);
  if (isProblem(asking)) return asking;
  const { principal, session } = asking;
  if (changes && session !== null && !hasCsrfToken(call, session)) return withoutCsrfToken(call);
  if (head.scope === "account") {
    const account = await accountOf(call, principal);
    return account === null
      ? problem("not_found")
      : (scopeRefusal(head, principal) ?? { principal, session, account });
  }
  if (head.scope === "installation" && principal.role !== "operator") return problem("forbidden");
  return scopeRefusal(head, principal) ?? { principal, session, account: null };
}

async function bodyOf(head: Head, call: Call): Promise<ParsedBody | Problem | null> {
  const { request, gate } = call;
  if (head.body === undefined) return { value: null, files: [] };
  // A form is the only request that a page of another site can send without permission.
  if (announcesBody(request) && mediaOf(request.headers) !== "json") {
    return problem("unsupported_media_type", {
      message: "The body must be application/json, and not compressed.",
    });
  }
  const maxOfScope = head.scope === "anonymous" ? maxAnonymousBytes : (head.maxBytes ?? maxBytes);
  const limits = { ...gate.bodyLimits, maxBytes: Math.min(gate.bodyLimits.maxBytes, maxOfScope) };
  const body = await readBody(request, limits, call.share);
  // An object without members explicitly changes nothing; a missing body means that the client lost it.
  if (body !== null && !isProblem(body) && body.value === null) {
    if (head.method === "PATCH") return nothingToChange;
    if (announcesBody(request)) return noObject;
  }
  return body;
}

/** `null` counts as a body, and so does whitespace. */
const noObject = problem("malformed_body", { message: "The body must be a JSON object." });
const nothingToChange = problem("malformed_body", {
  message: "The body must be a JSON object that says what to change.",
});

/** Which fields of the head's body the request has. Other names are not repeated: an unknown one may be a secret. */
function fieldsOf(head: Head, body: ParsedBody): string[] {
  const { value } = body;
  if (head.body === undefined || typeof value !== "object" || value === null) return [];
  return Object.keys(head.body.shape).filter((name) => Object.hasOwn(value, name));
}

/** The ids in the path, except the account's. */
function targetOf(params: Call["params"]): string | null {
  const ids = Object.entries(params).filter(([name, id]) => name !== "account" && id !== undefined);
  return ids.length === 0 ? null : ids.map(([, id]) => id).join("/");
}

function createdId(answer: Reply): string | null {
  const data = typeof answer.body === "object" && "data" in answer.body ? answer.body.data : null;
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : null;
  return typeof id === "string" ? id : null;
}

/** Whether the credential of an answered request still opens the account. It does not count as a use of the session or the token. */
export async function isStillAdmitted(head: Head, call: Call, accountId: string): Promise<boolean> {
  const { request, settings, core } = call;
  const token = bearerOf(request);
  const credential = token ?? readCookie(request, isHttps(settings.publicUrl));
  if (credential === null) return cameThroughOperatorSocket(request);
  const principal =
    token === null
      ? (await resumeSession(core, credential, { unattended: true }))?.principal
      : await authenticateToken(core, token, { unattended: true });
  if (principal == null || principal.kind === "expired") return false;
  return mayManage(principal, accountId) && scopeRefusal(head, principal) === null;
}

type Handle = (call: ManageCall) => Promise<Reply | null>;

async function audited(head: Head, call: ManageCall, account: AccountRow | null, handle: Handle) {
  const { core, params } = call;
  const { database } = core;
  const named = params.account !== undefined && isAccountId(params.account) ? params.account : null;
  const entry = await audit(core, {
    actor: actorOf(call.principal),
    accountId: account?.id ?? named,
    action: head.name,
    target: targetOf(params),
    fields: fieldsOf(head, call.body),
    outcome: "started",
  });
  const end = async (outcome: string, made: string | null) => {
    try {
      await auditOutcome({ database }, entry, outcome, made);
    } catch (error) {
      // The action was done, and its entry says so; only its outcome is missing there.
      core.log.warn(
        { event: "audit.not_finished", requestId: call.requestId, audit: entry, error },
        "The outcome of a change could not be added to its audit entry.",
      );
    }
  };
  try {
    const answer = await handle(call);
    await end(answer === null ? "gone" : String(answer.status), answer === null ? null : createdId(answer));
    return answer;
  } catch (error) {
    await end("error", null);
    throw error;
  }
}

/** Answers a route of the management API: `handle` is called only with what its head's scope guarantees. */
export async function answerManaged(head: Head, call: Call, handle: Handle): Promise<Reply | null> {
  const admitted = await admit(head, call);
  if (isProblem(admitted)) return admitted;
  if (admitted.principal !== null) call.share.markAuthenticated();
  const body = await bodyOf(head, call);
  if (body === null || isProblem(body)) return body;
  const { principal, session, account } = admitted;
  // A route for anyone gets no principal, by its type; its handler writes its own audit entry.
  const full = { ...call, body, principal, session, account } as unknown as ManageCall;
  const isQuiet = head.method === "GET" ? !head.audited : head.changesNothing;
  if (principal === null || isQuiet) return await handle(full);
  return await audited(head, full, account, handle);
}
