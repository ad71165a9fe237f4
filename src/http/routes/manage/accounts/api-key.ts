// Rotates an account's API key, and reveals it to a user who enters the password again.

import { issueApiKey } from "#configure/account.ts";
import {
  apiKeyReply,
  revealedKeyReply,
  revealRequest,
  rotateApiKeyRequest,
} from "#contract/manage/accounts.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { countInSession, tooBusy } from "#http/routes/manage/identity/session.ts";
import { findApiKey } from "#store/accounts/accounts.ts";
import { findUser } from "#store/identity/users.ts";

export const rotateApiKeyRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/api-key",
  name: "rotateApiKey",
  tag: "Accounts",
  summary: "Rotate the API key",
  description:
    "The account gets a new API key. The old key stops working within five seconds in every process, or works for `old_works_hours` more, so that callers can change to the new one; a key that a rotation before has left ends at once.",
  scope: "account",
  body: rotateApiKeyRequest,
  replies: { 200: apiKeyReply },
})(async ({ core, account, input }) => {
  const api_key = await issueApiKey(core, account.id, { oldWorksHours: input.old_works_hours });
  return { message: "The account has a new API key.", data: { api_key } };
});

export const revealApiKeyRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/api-key/reveal",
  name: "revealApiKey",
  tag: "Accounts",
  summary: "Reveal the API key",
  description:
    "Only a user who signed in and repeats the password may see the key, and the audit log records it. Management tokens may not. The operation answers 409 where the installation stores only the key's hash.",
  scope: "account",
  refuse: ({ kind }) =>
    kind === "user" ? null : problem("forbidden", { message: "Only a user who signed in may see the key." }),
  body: revealRequest,
  replies: { 200: revealedKeyReply },
  problems: ["forbidden", "conflict"],
})(async (call) => {
  const { principal, account, core } = call;
  const { database, passwords } = core;
  countInSession(call);
  const user = await database.run(findUser, principal.id);
  const right = await passwords.verify(call.input.password, user?.password ?? null);
  if (right === "busy") return tooBusy();
  if (!right) return validationFailed([{ path: ["password"], message: "is wrong" }]);
  const key = await database.run(findApiKey, account.id);
  if (key === null) return problem("conflict", { message: "The account has no API key yet." });
  if (key.sealed === null || !core.showApiKeys) {
    return problem("conflict", { message: "Only the key's hash is stored. The key can be rotated." });
  }
  const api_key = core.sealer.unseal(key.sealed, `api_keys ${account.id} sealed`);
  return { message: "The account's API key.", data: { api_key, created_at: isoTime(key.created_at) } };
});
