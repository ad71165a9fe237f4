// The audit log of the installation and of an account: who changed which fields of what.

import { idParam } from "#contract/envelope.ts";
import { type AuditReplyData, accountAuditQuery, auditQuery, auditReply } from "#contract/manage/identity.ts";
import { isProblem } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { queryOf } from "#http/request.ts";
import { validateQuery } from "#http/validate.ts";
import type { Database } from "#store/database.ts";
import { listAuditEntries } from "#store/identity/audit.ts";
import type { AuditEntriesTable } from "#store/schema/identity.ts";

function dataOf(entry: AuditEntriesTable): AuditReplyData {
  const { fields = [] } = JSON.parse(entry.detail) as { fields?: string[] };
  return {
    id: entry.id,
    at: isoTime(entry.at),
    actor: { kind: entry.actor_kind, id: entry.actor_id, name: entry.actor_name },
    account: entry.account_id,
    action: entry.action,
    target: entry.target,
    fields,
    outcome: entry.outcome,
  };
}

async function pageAnswer(
  database: Database,
  filter: {
    account: string | undefined;
    actor?: string | undefined;
    action?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
) {
  const { account = null, actor = null, action = null, cursor = null, limit } = filter;
  const selection = { accountId: account, actorId: actor, action, before: cursor, limit: limit + 1 };
  const page = pageOf(await database.run(listAuditEntries, selection), limit);
  return {
    status: 200 as const,
    body: {
      success: true as const,
      message: "Entries found.",
      data: page.rows.map(dataOf),
      next_cursor: page.nextCursor,
    },
  };
}

const about = {
  method: "GET",
  tag: "Audit log",
  description:
    "Each entry says who changed what. The newest entry comes first. The log has the names of the fields, never their values.",
  family: "manage",
  replies: { 200: auditReply },
  problems: [],
} as const;

export const listAuditEntriesRoute = endpoint({
  ...about,
  path: "/api/manage/v1/audit",
  name: "listAuditEntries",
  summary: "List the audit log of the installation",
  scope: "installation",
  query: auditQuery,
})(async ({ core, request }) => {
  const query = validateQuery(auditQuery, queryOf(request));
  if (isProblem(query)) return query;
  return await pageAnswer(core.database, { ...query.value, account: query.value.account });
});

export const listAccountAuditEntriesRoute = endpoint({
  ...about,
  path: "/api/manage/v1/accounts/{account}/audit",
  name: "listAccountAuditEntries",
  summary: "List the audit log of an account",
  scope: "account",
  params: { account: idParam("The account's id.") },
  query: accountAuditQuery,
})(async ({ core, request, account }) => {
  const query = validateQuery(accountAuditQuery, queryOf(request));
  if (isProblem(query)) return query;
  return await pageAnswer(core.database, { ...query.value, account: account.id });
});
