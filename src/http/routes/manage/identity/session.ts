// POST, GET and DELETE /api/manage/v1/session, POST /api/manage/v1/session/password

import { changePasswordRequest, sessionReply, signInRequest } from "#contract/manage/identity.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { noContent } from "#contract/replies.ts";
import { unauthenticated } from "#http/auth/management.ts";
import {
  deviceCookie,
  isHttps,
  readCookie,
  readDeviceCookie,
  sessionCookie,
} from "#http/auth/session-cookie.ts";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";
import { deviceTtlMs } from "#identity/device.ts";
import type { Principal } from "#identity/principal.ts";
import { resumeSession, type Session, signOut } from "#identity/session.ts";
import { changePassword, type NewSession, signIn } from "#identity/sign-in.ts";
import { hashSecret } from "#runtime/secret.ts";

/** When the queue of password hashes may have room again, ms. */
const busyMs = 1_000;

/**
 * Counts an attempt at the password of the call's own session. Throws the problem `rate_limited` after too many. An open session must not
 * allow guessing its password, and attempts outside of the session do not count.
 */
export function countInSession(call: Call): void {
  const secret = shownSession(call);
  const retryAfterMs = call.gate.signInLimits.inSession(secret === null ? "" : hashSecret(secret));
  if (retryAfterMs > 0) throw new ProblemError(problem("rate_limited", { retryAfterMs }));
}

export const tooBusy = () => problem("rate_limited", { retryAfterMs: busyMs });

function dataOf(principal: Principal, session: Session | null) {
  return {
    kind: principal.kind,
    id: principal.id,
    name: principal.name,
    role: principal.role,
    account: principal.accountId,
    scopes: principal.scopes === null ? null : [...principal.scopes],
    csrf_token: session?.csrfToken ?? null,
    fresh: session?.recentlySignedIn ?? false,
  };
}

/** The reply that gives the browser a new session and marks the browser as known. */
export async function sessionAnswer(call: Call, { secret, device }: NewSession, message: string) {
  const session = await resumeSession(call.core, secret);
  if (session === null) return unauthenticated();
  const https = isHttps(call.settings.publicUrl);
  return {
    status: 200 as const,
    cookies: [sessionCookie(secret, https), deviceCookie(device, deviceTtlMs, https)],
    body: { success: true as const, message, data: dataOf(session.principal, session) },
  };
}

/** The secret of the browser's session, if it has one. Signing in ends that session. */
export function shownSession(call: Call): string | null {
  return readCookie(call.request, isHttps(call.settings.publicUrl));
}

export const signInRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/session",
  name: "signIn",
  tag: "Signing in",
  summary: "Sign in",
  description:
    "The reply sets the session cookie and a second cookie, which exempts this browser's next sign-in from the limits that unknown browsers share. The browser's previous session ends. The reply is the same for an unknown address and a wrong password.",
  scope: "anonymous",
  body: signInRequest,
  replies: { 200: sessionReply },
  problems: ["unauthenticated"],
})(async (call) => {
  const { email, password } = call.input;
  const device = readDeviceCookie(call.request, isHttps(call.settings.publicUrl));
  const result = await signIn(
    call.core,
    { email, password, replaced: shownSession(call), device },
    call.gate.signInLimits.signIn(call.caller.ip),
  );
  if (result.kind === "too_many") return problem("rate_limited", { retryAfterMs: result.retryAfterMs });
  if (result.kind === "busy") return tooBusy();
  if (result.kind === "refused") return unauthenticated("The email address or the password is wrong.");
  return await sessionAnswer(call, result, "Signed in.");
});

export const getSessionRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/session",
  name: "getSession",
  tag: "Signing in",
  summary: "Get the session",
  scope: "self",
  replies: { 200: sessionReply },
})(async ({ principal, session }) => ({ message: "Signed in.", data: dataOf(principal, session) }));

export const signOutRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/session",
  name: "signOut",
  tag: "Signing in",
  summary: "Sign out",
  description: "The session ends on the server, not only in the browser.",
  scope: "self",
  replies: { 204: noContent },
  problems: ["conflict"],
})(async (call) => {
  const secret = call.session === null ? null : shownSession(call);
  if (secret === null)
    return problem("conflict", { message: "A management token has no session. It can be revoked." });
  await signOut(call.core.database, secret);
  return {
    status: 204,
    headers: { "Set-Cookie": sessionCookie(null, isHttps(call.settings.publicUrl)) },
    body: "",
  };
});

export const changePasswordRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/session/password",
  name: "changePassword",
  tag: "Signing in",
  summary: "Change your password",
  description: "All sessions of the user end. The reply sets the cookie of a new one.",
  scope: "self",
  refuse: ({ kind }) =>
    kind === "user" ? null : problem("conflict", { message: "Only a user has a password." }),
  body: changePasswordRequest,
  replies: { 200: sessionReply },
  problems: ["conflict"],
})(async (call) => {
  const { principal } = call;
  countInSession(call);
  const { current_password: current, password } = call.input;
  const result = await changePassword(call.core, principal.id, { current, password });
  switch (result.kind) {
    case "busy":
      return tooBusy();
    case "wrong":
      return validationFailed([{ path: ["current_password"], message: "is wrong" }]);
    case "invalid":
      return validationFailed([{ path: ["password"], message: result.message }]);
    case "overtaken":
      return refused(result);
    case "changed":
      return await sessionAnswer(call, result, "The password has been changed.");
  }
});
