// Lists, creates and revokes management tokens. Only the reply to a creation shows the text.

import { idParam } from "#contract/envelope.ts";
import {
  createManagementTokenRequest,
  type ManagementTokenReplyData,
  managementTokensReply,
  newManagementTokenReply,
  peoplePage,
} from "#contract/manage/identity.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { queryOf } from "#http/request.ts";
import { validate, validateQuery } from "#http/validate.ts";
import {
  createManagementToken,
  type ManagementTokenRow,
  managementTokens,
  revokeToken,
} from "#identity/management-token.ts";
import { includesAll, readScopes } from "#identity/scopes.ts";
import { roleAccountIssue } from "#identity/users.ts";
import { idTime } from "#runtime/ids.ts";

const timeOrNull = (at: number | null) => (at === null ? null : isoTime(at));

function dataOf(token: ManagementTokenRow): ManagementTokenReplyData {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    role: token.role,
    account: token.account_id,
    scopes: readScopes(token.scopes),
    expires_at: timeOrNull(token.expires_at),
    last_used_at: timeOrNull(token.last_used_at),
    created_at: isoTime(token.created_at),
    revoked_at: timeOrNull(token.revoked_at),
  };
}

export const listManagementTokensRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/tokens",
  name: "listManagementTokens",
  tag: "Users and tokens",
  summary: "List the management tokens",
  description: "The list includes tokens that were revoked or have ended. The newest token comes first.",
  family: "manage",
  scope: "installation",
  query: peoplePage,
  replies: { 200: managementTokensReply },
  problems: [],
})(async ({ core, request }) => {
  const query = validateQuery(peoplePage, queryOf(request));
  if (isProblem(query)) return query;
  const { limit, cursor = null } = query.value;
  const found = await managementTokens(core.database, { before: cursor, limit: limit + 1 });
  const page = pageOf(found, limit);
  return {
    status: 200,
    body: {
      success: true,
      message: "Tokens found.",
      data: page.rows.map(dataOf),
      next_cursor: page.nextCursor,
    },
  };
});

export const createManagementTokenRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/tokens",
  name: "createManagementToken",
  tag: "Users and tokens",
  summary: "Create a management token",
  description:
    "Only this reply shows the token's text, because only its hash is stored. A token with scopes creates only tokens whose scopes are within its own, and one that ends creates none that ends later.",
  family: "manage",
  scope: "installation",
  body: createManagementTokenRequest,
  replies: { 201: newManagementTokenReply },
  problems: [],
})(async ({ core, body, principal }) => {
  const input = validate(createManagementTokenRequest, body.value);
  if (isProblem(input)) return input;
  const { name, role, account = null, scopes } = input.value;
  const expiresAt = input.value.expires_at === null ? null : Date.parse(input.value.expires_at);
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
    status: 201,
    body: {
      success: true,
      message: "The token has been created. No other reply shows it.",
      data: { ...dataOf(created.row), token: created.token },
    },
  };
});

export const revokeManagementTokenRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/tokens/{token}",
  name: "revokeManagementToken",
  tag: "Users and tokens",
  summary: "Revoke a management token",
  description: "The token stops working at once. Revoking it again changes nothing.",
  family: "manage",
  scope: "installation",
  params: { token: idParam("The token's id.") },
  replies: { 204: noContent },
  problems: ["not_found"],
})(async ({ core, params: { token = "" } }) => {
  if (idTime(token) === null) return problem("not_found");
  const row = await revokeToken(core, token);
  if (row === null) return problem("not_found");
  return deleted;
});
