// The audit log of the installation and of an account: who changed which fields of what.

import type { z } from "zod";
import { type AuditReplyData, accountAuditQuery, auditQuery, auditReply } from "#contract/manage/identity.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
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

async function pageAnswer(database: Database, query: z.output<typeof auditQuery>) {
  const { account = null, actor = null, action = null, cursor = null, limit } = query;
  const selection = { accountId: account, actorId: actor, action, before: cursor, limit: limit + 1 };
  const entries = await database.run(listAuditEntries, selection);
  return { message: "Entries found.", ...pageOf(entries, limit, dataOf) };
}

const about = {
  method: "GET",
  tag: "Audit log",
  description:
    "Each entry says who changed what. The newest entry comes first. The log has the names of the fields, never their values.",
  replies: { 200: auditReply },
} as const;

export const listAuditEntriesRoute = endpoint({
  ...about,
  path: "/api/manage/v1/audit",
  name: "listAuditEntries",
  summary: "List the audit log of the installation",
  scope: "installation",
  query: auditQuery,
})(async ({ core, query }) => await pageAnswer(core.database, query));

export const listAccountAuditEntriesRoute = endpoint({
  ...about,
  path: "/api/manage/v1/accounts/{account}/audit",
  name: "listAccountAuditEntries",
  summary: "List the audit log of an account",
  scope: "account",
  query: accountAuditQuery,
})(async ({ core, account, query }) => await pageAnswer(core.database, { ...query, account: account.id }));
