// The named API keys of an account.

import { namedKeys, newKeyText, revokeNamedKey, rotateNamedKey } from "#configure/named-key.ts";
import { idParam } from "#contract/envelope.ts";
import {
  namedKeyChanges,
  namedKeyFields,
  namedKeyReply,
  namedKeysQuery,
  namedKeysReply,
  newNamedKeyReply,
  rotateNamedKeyRequest,
} from "#contract/manage/keys/named-keys.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";
import { type ManagedCall, manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { findNamedKey, listNamedKeys } from "#store/accounts/named-keys.ts";
import type { NamedKeysTable } from "#store/schema/keys.ts";

const tag = "Accounts";
const keyParam = idParam("The key's id.");

function dataOf({ core }: Pick<ManagedCall, "core">, row: NamedKeysTable) {
  const until = row.previous_works_until;
  return {
    ...namedKeys.shown(core.sealer, row),
    hint: row.hint,
    revoked_at: isoTime(row.revoked_at),
    last_used_at: isoTime(row.last_used_at),
    previous_works_until: isoTime(until !== null && until > core.clock.now() ? until : null),
  };
}

async function find(call: ManagedCall, id: string) {
  const row = await call.core.database.run(findNamedKey, { accountId: call.account.id, id });
  return row === null ? null : dataOf(call, row);
}

export const namedKeyRoutes = manageRoutes({
  tag,
  operations: ["NamedKey", "NamedKeys"],
  nouns: ["key", "keys"],
  path: "/api/manage/v1/accounts/{account}/api-keys",
  param: ["key", keyParam],
  replies: { one: namedKeyReply, many: namedKeysReply, created: newNamedKeyReply },
  list: {
    summary: "List an account's named API keys",
    description: "The list includes revoked keys, without their texts. The newest key comes first.",
    query: namedKeysQuery,
    run: async (call, { limit, cursor = null }) => {
      const filter = { accountId: call.account.id, before: cursor, limit: limit + 1 };
      const rows = await call.core.database.run(listNamedKeys, filter);
      return pageOf(rows, limit, (row) => dataOf(call, row));
    },
  },
  create: {
    summary: "Create a named API key",
    description:
      "The key works on the channel endpoints, beside the account's personal key, for what its scopes and its gateways allow. Only this reply shows its text.",
    body: namedKeyFields.meta({ id: "CreateNamedKeyRequest" }),
    run: async ({ core, account }, fields) => {
      const text = newKeyText(core);
      const saved = await namedKeys.create(core, { accountId: account.id, text }, fields);
      return saved.kind === "saved" ? { ...saved, issued: { key: text } } : saved;
    },
  },
  get: { summary: "Get a named API key", run: find },
  update: {
    summary: "Update a named API key",
    description:
      "Only the fields of the request change, within five seconds in every process. Messages that were accepted with the key stay as they are.",
    body: namedKeyChanges.meta({ id: "UpdateNamedKeyRequest" }),
    run: ({ core, account }, id, changes) => namedKeys.update(core, { accountId: account.id }, id, changes),
  },
  delete: {
    name: "revokeNamedKey",
    summary: "Revoke a named API key",
    description:
      "The key stops working within five seconds in every process. It stays in the list until another key takes its name.",
    run: ({ core, account }, id) => revokeNamedKey(core, account.id, id),
  },
});

export const rotateNamedKeyRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/api-keys/{key}/rotate",
  name: "rotateNamedKey",
  tag,
  summary: "Rotate a named API key",
  description:
    "The key gets a new text, which only this reply shows. The text until now works as long as the request says, 24 hours by default; one that a rotation before has left ends at once.",
  scope: "account",
  params: { key: keyParam },
  body: rotateNamedKeyRequest,
  replies: { 200: newNamedKeyReply },
  problems: ["conflict"],
})(async (call) => {
  const { core, account, input } = call;
  const { key: id = "" } = call.params;
  const oldWorksHours = input.old_works_hours;
  const rotated = await rotateNamedKey(core, { accountId: account.id, id, oldWorksHours });
  if (rotated.kind !== "rotated") return refused(rotated);
  const data = orNotFound(await find(call, id));
  return { message: "The key has a new text.", data: { ...data, key: rotated.key } };
});
