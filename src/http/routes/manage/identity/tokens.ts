// GET and POST /api/manage/v1/tokens, DELETE /api/manage/v1/tokens/{token}

import {
  createManagementTokenRequest,
  type ManagementTokenReplyData,
  managementTokenReply,
  managementTokensReply,
  newManagementTokenReply,
  peoplePage,
} from "#contract/manage/identity.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/pagination.ts";
import { queryOf } from "#http/request.ts";
import { validate, validateQuery } from "#http/validate.ts";
import {
  type ManagementTokenRow,
  makeManagementToken,
  managementTokens,
  revokeToken,
} from "#identity/management-token.ts";
import { roleAccountIssue } from "#identity/users.ts";
import { idTime } from "#runtime/ids.ts";

function dataOf(token: ManagementTokenRow): ManagementTokenReplyData {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    role: token.role,
    account: token.account_id,
    created_at: isoTime(token.created_at),
    revoked_at: token.revoked_at === null ? null : isoTime(token.revoked_at),
  };
}

export const listManagementTokensRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/tokens",
  name: "listManagementTokens",
  tag: "Users and tokens",
  summary: "List the management tokens",
  description: "Newest first, a page at a time; revoked ones too.",
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
  summary: "Make a management token",
  description: "The token is shown this once; only its hash is kept.",
  family: "manage",
  scope: "installation",
  body: createManagementTokenRequest,
  replies: { 200: newManagementTokenReply },
  problems: ["conflict"],
})(async ({ core, body }) => {
  const given = validate(createManagementTokenRequest, body.value);
  if (isProblem(given)) return given;
  const { name, role, account = null } = given.value;
  const fault = await roleAccountIssue(core.database, role, account);
  if (fault !== null) return validationFailed([{ path: ["account"], message: fault }]);
  const made = await makeManagementToken(core, { name, role, accountId: account });
  if (made === null) return problem("conflict", { message: "A token with this name is there already." });
  return {
    status: 200,
    body: {
      success: true,
      message: "The token has been made. It is shown this once.",
      data: { ...dataOf(made.row), token: made.token },
    },
  };
});

export const revokeManagementTokenRoute = endpoint({
  method: "DELETE",
  path: "/api/manage/v1/tokens/{token}",
  name: "revokeManagementToken",
  tag: "Users and tokens",
  summary: "Revoke a management token",
  description: "It stops working at once. Revoking it again is fine and changes nothing.",
  family: "manage",
  scope: "installation",
  params: { token: "The token's id." },
  replies: { 200: managementTokenReply },
  problems: ["not_found"],
})(async ({ core, params: { token = "" } }) => {
  if (idTime(token) === null) return problem("not_found");
  const row = await revokeToken(core, token);
  if (row === null) return problem("not_found");
  return { status: 200, body: { success: true, message: "The token has been revoked.", data: dataOf(row) } };
});
