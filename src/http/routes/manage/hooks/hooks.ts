// The hooks of an account, their keys, and the preview of what a body becomes.

import { accountFromRow } from "#accounts/authenticate.ts";
import { createHook, hooks, rotateHook } from "#configure/hook.ts";
import { idParam } from "#contract/envelope.ts";
import {
  type HookRecord,
  hookChanges,
  hookFields,
  hookReply,
  hooksReply,
  newHookReply,
  previewHookReply,
  previewHookRequest,
} from "#contract/hooks/hooks.ts";
import { plainExample, presets } from "#contract/hooks/presets.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { type ManagedCall, manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { messageChannels } from "#messaging/channels.ts";
import { hookContacts, hookTexts, templatesOf } from "#messaging/hooks/message.ts";
import { type HookRow, lastBodyContext, readHooks, readLastBody, removeHook } from "#store/hooks/hooks.ts";

const tag = "Hooks";
const hookParam = idParam("The hook's id.");

const dataOf = ({ core }: Pick<ManagedCall, "core">, row: HookRow): HookRecord => ({
  ...hooks.shown(core.sealer, row),
  hint: row.hint,
  last_received_at: isoTime(row.last_received_at),
  last_outcome: row.last_outcome,
});

async function find(call: ManagedCall, id: string): Promise<HookRecord | null> {
  const [row] = await call.core.database.run(readHooks, { accountId: call.account.id, id });
  return row === undefined ? null : dataOf(call, row);
}

export const hookRoutes = manageRoutes({
  tag,
  operations: ["Hook", "Hooks"],
  nouns: ["hook", "hooks"],
  path: "/api/manage/v1/accounts/{account}/hooks",
  param: ["hook", hookParam],
  replies: { one: hookReply, many: hooksReply, created: newHookReply },
  list: {
    summary: "List the account's hooks",
    run: async (call) => {
      const rows = await call.core.database.run(readHooks, { accountId: call.account.id, id: null });
      return { data: rows.map((row) => dataOf(call, row)), next_cursor: null };
    },
  },
  create: {
    summary: "Create a hook",
    description: "Programs post to `/hooks/{name}?key=…`, or with the key as `Authorization: Bearer`.",
    body: hookFields.meta({ id: "CreateHookRequest" }),
    run: async ({ core, account }, fields) => {
      const saved = await createHook(core, account.id, fields);
      return saved.kind === "saved"
        ? { ...saved, issued: { key: saved.key, secret: saved.secret ?? "" } }
        : saved;
    },
  },
  get: { summary: "Get a hook", run: find },
  update: {
    summary: "Update a hook",
    description: "Only the fields of the request change.",
    body: hookChanges.meta({ id: "UpdateHookRequest" }),
    run: ({ core, account }, id, changes) => hooks.update(core, { accountId: account.id }, id, changes),
  },
  delete: {
    summary: "Delete a hook",
    description: "Its key stops working at once. Its messages stay.",
    run: ({ core, account }, id) => core.database.run(removeHook, { accountId: account.id, id }),
  },
});

export const rotateHookKeyRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/hooks/{hook}/rotate-key",
  name: "rotateHookKey",
  tag,
  summary: "Rotate the key of a hook",
  description: "Only this reply shows the new key. The previous one stops working at once.",
  scope: "account",
  params: { hook: hookParam },
  replies: { 200: newHookReply },
})(async (call) => {
  const { core, account, params } = call;
  const issued = orNotFound(await rotateHook(core, account.id, params.hook));
  const data = orNotFound(await find(call, params.hook));
  return { message: "The hook has a new key.", data: { ...data, ...issued } };
});

export const previewHookRoute = endpoint({
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/hooks/preview",
  name: "previewHook",
  tag,
  summary: "Preview the messages of a hook",
  description: "Fills the templates from a body. Nothing is stored or sent.",
  scope: "account",
  body: previewHookRequest,
  changesNothing: true,
  replies: { 200: previewHookReply },
})(async (call) => {
  const { core, account: row, input } = call;
  const last = input.body === undefined && input.hook !== undefined ? await lastBody(call, input.hook) : null;
  const example = input.preset === null ? plainExample : presets[input.preset].example;
  const body = input.body ?? (last === null ? example : last.body);
  const texts = hookTexts(input, body);
  const { channel } = input;
  const contact = hookContacts(input, texts, "preview");
  const send = messageChannels[channel].sending.read({ contact }, { maxContacts: contact.length });
  const { issues } = await core.acceptance.preview({ account: accountFromRow(row), channel, send });
  const { subject, message, missing } = texts;
  return {
    message: "Nothing was sent.",
    data: {
      subject,
      message,
      templates: templatesOf(input),
      missing,
      faults: [...new Set(issues.map((issue) => issue.message))],
      body,
      body_from: input.body !== undefined ? "request" : last === null ? "example" : "last",
    },
  };
});

/** The last body of the account's hook; null if it has none. */
async function lastBody({ core, account }: ManagedCall, id: string): Promise<{ body: unknown } | null> {
  const sealed = await core.database.run(readLastBody, { accountId: account.id, id });
  return sealed === null
    ? null
    : { body: JSON.parse(core.sealer.unseal(sealed, lastBodyContext(id))) as unknown };
}
