// GET /api/manage/v1/find: finds the records whose ids are in a pasted text, in every account that the caller may see.

import { findQuery, findReply, type recordKinds } from "#contract/manage/find.ts";
import type { ScopeArea } from "#contract/manage/keys/token-scopes.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { onlyAccountOf } from "#identity/principal.ts";
import { allows } from "#identity/scopes.ts";
import { idTime } from "#runtime/ids.ts";
import { findRecords, idPrefixes } from "#store/find.ts";

/** The area that a token must be allowed to read to see records of a kind. */
const areas: Readonly<Record<(typeof recordKinds)[number], ScopeArea>> = {
  account: "accounts",
  message: "messages",
  request: "messages",
  received: "messages",
  call: "pools",
  gateway: "gateways",
  pool: "pools",
  member: "pools",
  pool_key: "pools",
  domain: "domains",
};

/** Maximum number of ids in one text. */
const atMost = 20;

/** The ids in a text, each once. The id of a message's event contains the message's id. */
export function idsIn(text: string): string[] {
  const ids = new Set<string>();
  for (const [, prefix = "", rest = ""] of text.matchAll(
    /(?<![\w-])([a-z]{2,5})_([0-9a-z]{20,32})(?=_\d|[^\w-]|$)/g,
  )) {
    const id = `${prefix === "evt" ? "msg" : prefix}_${rest}`;
    if (idPrefixes.has(id.slice(0, id.indexOf("_"))) && idTime(id) !== null) ids.add(id);
    if (ids.size === atMost) break;
  }
  return [...ids];
}

export const findRecordsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/find",
  name: "findRecords",
  tag: "Accounts",
  summary: "Find records by what a text names",
  description:
    "Looks up to twenty ids of a text up, and a gateway with this identifier. A member finds what the member's own account has, a token what its scopes let it read.",
  scope: "self",
  query: findQuery,
  replies: { 200: findReply },
})(async ({ core, principal, query }) => {
  const text = query.q.trim();
  const accountId = onlyAccountOf(principal);
  const records = await core.database.run(findRecords, { accountId, ids: idsIn(text), identifier: text });
  const found = records.filter(({ kind }) => allows(principal.scopes, `${areas[kind]}:read`));
  return {
    message: "Records found.",
    data: found.map(({ kind, account_id, account_name, id, title, pool_id, at }) => ({
      kind,
      account: { id: account_id, name: account_name },
      id,
      title,
      pool: pool_id,
      at: isoTime(at),
    })),
  };
});
