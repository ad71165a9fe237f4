// The messages of one request taken together: their states, and changes to all that still wait.

import type { Account } from "#accounts/account.ts";
import type { Core } from "#core/core.ts";
import { idAt, idTime } from "#runtime/ids.ts";
import type { Database } from "#store/database.ts";
import {
  changeRequestMessages,
  findRequest,
  type IdRange,
  type RequestChange,
  type RequestRow,
  type StatusPart,
  sumRequest,
} from "#store/messages/requests.ts";

/** Ids are made shortly after the time that is stored as acceptance. */
export const idSlackMs = 2_000;

/** The range of the ids of a request's messages, given when it was accepted (epoch ms). */
export function messagesAround(acceptedAt: number): IdRange {
  return {
    from: idAt("msg", Math.max(0, acceptedAt - idSlackMs)),
    before: idAt("msg", acceptedAt + idSlackMs),
  };
}

/** Messages changed in one transaction: other work gets its turn between two. */
const atOnce = 500;

export interface RequestSummary {
  request: RequestRow;
  parts: StatusPart[];
}

/** A request of the account, with its messages by status; null if the account has none with this id. */
export async function findRequestSummary(
  database: Database,
  account: Pick<Account, "id">,
  id: string,
): Promise<RequestSummary | null> {
  if (idTime(id) === null) return null;
  const request = await database.run(findRequest, { accountId: account.id, id });
  if (request === null) return null;
  const range = messagesAround(request.created_at);
  return {
    request,
    parts: await database.run(sumRequest, {
      accountId: account.id,
      id,
      contacts: request.contacts,
      ...range,
    }),
  };
}

/**
 * Changes every message of the request that still waits, in batches; returns how many were changed, or null if the account has no request
 * with this id. The call is idempotent: repeat it after a failure.
 */
export async function changeRequest(
  { database }: Pick<Core, "database">,
  account: Pick<Account, "id">,
  id: string,
  change: RequestChange,
): Promise<number | null> {
  if (idTime(id) === null) return null;
  const request = await database.run(findRequest, { accountId: account.id, id });
  if (request === null) return null;
  const range = messagesAround(request.created_at);
  let changed = 0;
  let { from } = range;
  while (true) {
    const input = { accountId: account.id, id, limit: atOnce, change, from, before: range.before };
    const part = await database.run(changeRequestMessages, input);
    changed += part.changed;
    if (part.changed > 0) {
    }
    if (part.last === null || part.looked < atOnce) return changed;
    from = part.last;
  }
}
