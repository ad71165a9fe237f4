// Lists, creates and revokes management tokens. Only the reply to a creation shows the text.

import { idParam } from "#contract/envelope.ts";
import {
  createManagementTokenRequest,
  type ManagementTokenReplyData,
  managementTokensReply,
  newManagementTokenReply,
  peoplePage,
} from "#contract/manage/identity.ts";
import { problem, validationFailed } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import {
  createManagementToken,
  type ManagementTokenRow,
  managementTokens,
  revokeToken,
} from "#identity/management-token.ts";
import { includesAll, readScopes } from "#identity/scopes.ts";
import { roleAccountIssue } from "#identity/users.ts";

function dataOf(token: ManagementTokenRow): ManagementTokenReplyData {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    role: token.role,
    account: token.account_id,
    scopes: readScopes(token.scopes),
    expires_at: isoTime(token.expires_at),
    last_used_at: isoTime(token.last_used_at),
    created_at: isoTime(token.created_at),
    revoked_at: isoTime(token.revoked_at),
  };
}

export const listManagementTokensRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/tokens",
  name: "listManagementTokens",
  tag: "Users and tokens",
  summary: "List the management tokens",
  description: "The list includes tokens that were revoked or have ended. The newest token comes first.",
  scope: "installation",
  query: peoplePage,
  replies: { 200: managementTokensReply },
})(async ({ core, query }) => {
  const { limit, cursor = null } = query;
  const found = await managementTokens(core.database, { before: cursor, limit: limit + 1 });
  return { message: "Tokens found.", ...pageOf(found, limit, dataOf) };
});

export const createManagementTokenRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/tokens",
  name: "createManagementToken",
  tag: "Users and tokens",
  summary: "Create a management token",
  description:
    "Only this reply shows the token's text, because only its hash is stored. A token with scopes creates only tokens whose scopes are within its own, and one that ends creates none that ends later.",
  scope: "installation",
  body: createManagementTokenRequest,
  replies: { 201: newManagementTokenReply },
})(async ({ core, principal, input }) => {
  const { name, role, account = null, scopes } = input;
  const expiresAt = input.expires_at === null ? null : Date.parse(input.expires_at);
  if (!includesAll(principal.scopes, scopes))
    return problem("forbidden", {
      message: "A token with scopes creates only tokens whose scopes are within its own.",
    });
  const latest = principal.endsAt ?? null;
  if (latest !== null && (expiresAt === null || expiresAt > latest))
    return problem("forbidden", {
      message: `This token ends at ${isoTime(latest)}, and creates no token that ends later.`,
    });
  if (expiresAt !== null && expiresAt <= core.clock.now())
    return validationFailed([{ path: ["expires_at"], message: "must be in the future" }]);
  const fault = await roleAccountIssue(core.database, role, account);
  if (fault !== null) return validationFailed([{ path: ["account"], message: fault }]);
  const created = await createManagementToken(core, { name, role, accountId: account, scopes, expiresAt });
  if (created === null) return validationFailed([{ path: ["name"], message: "is taken" }]);
  return {
    message: "The token has been created. No other reply shows it.",
    data: { ...dataOf(created.row), token: created.token },
  };
});

export const revokeManagementTokenRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/tokens/{token}",
  name: "revokeManagementToken",
  tag: "Users and tokens",
  summary: "Revoke a management token",
  description: "The token stops working immediately. Revoking it again changes nothing.",
  scope: "installation",
  params: { token: idParam("The token's id.") },
  replies: { 204: noContent },
  problems: ["not_found"],
})(async ({ core, params: { token } }) => {
  orNotFound(await revokeToken(core, token));
  return deleted;
});
