// Twilio's Messages API (https://www.twilio.com/docs/messaging/api/message-resource), below /api/twilio: for applications that have Twilio's
// packages. Its shapes are Twilio's, so the OpenAPI document, which describes ours, leaves these paths out.

import { z } from "zod";
import { isProblem, type Problem, problem } from "#contract/problem.ts";
import { addressOf } from "#contract/twilio/addresses.ts";
import { idOfSid, sidOf } from "#contract/twilio/sids.ts";
import { hasScope } from "#http/auth/api-key.ts";
import type { Call, HttpCore } from "#http/call.ts";
import { type Endpoint, endpoint, inTurn } from "#http/endpoint.ts";
import { isStorageOutage } from "#http/storage-errors.ts";
import { cancel, lookup } from "#messaging/lookup.ts";
import { signingToken, twilioVersion } from "#webhooks/twilio-request.ts";
import { callerOf, type TwilioCaller } from "./caller.ts";
import { TwilioRefusal } from "./errors.ts";
import { readTwilioForm } from "./form.ts";
import { listMessages } from "./list.ts";
import { messageResource, messageUri, twilioDate } from "./resource.ts";
import { type CreatedMessage, createMessage } from "./send.ts";
import { sendersOf } from "./senders.ts";

const base = `/api/twilio/${twilioVersion}/Accounts` as const;
const resource = z.looseObject({});
const head = { tag: "Twilio", family: "open", problems: ["commit_unknown"] } as const;

/** The message of a SID that the caller may see; throws Twilio's 404. */
async function findMessage(core: HttpCore, { account }: TwilioCaller, sid: string) {
  const id = idOfSid("SM", sid, "msg");
  const record = id === null ? null : await lookup(core, account, null, id);
  if (record === null || record.channel === "email")
    throw new TwilioRefusal("notFound", "There is no such message.");
  return record;
}

/** The message as it was accepted. It is, whether it can be read back or not. */
async function created(core: HttpCore, caller: TwilioCaller, message: CreatedMessage) {
  const { account, accountSid } = caller;
  try {
    const record = await lookup(core, account, message.channel, message.id);
    const senders = await sendersOf(core, account);
    if (record !== null && record.channel !== "email")
      // It may have been sent already: the answer to its creation says what became of the request.
      return { ...messageResource(record, { account, accountSid, senders }), status: message.status };
  } catch (error) {
    if (!isStorageOutage(error)) throw error;
  }
  const sid = sidOf("SM", message.id);
  const now = twilioDate(new Date(core.clock.now()).toISOString());
  return {
    sid,
    account_sid: accountSid,
    api_version: twilioVersion,
    body: message.body,
    date_created: now,
    date_updated: now,
    direction: "outbound-api",
    num_segments: "0",
    status: message.status,
    to: addressOf(message.channel, message.to),
    uri: messageUri(accountSid, sid),
  };
}

const create = endpoint({
  ...head,
  method: "POST",
  path: `${base}/{account}/Messages.json`,
  name: "createTwilioMessage",
  summary: "Create a message",
  replies: { 201: resource },
})(async (call) => {
  const caller = await callerOf(call);
  if (isProblem(caller)) return caller;
  const form = await readTwilioForm(call);
  if (form === null || isProblem(form)) return form;
  const message = await createMessage(call, caller, form);
  if (isProblem(message)) return message;
  return {
    status: 201,
    body: await created(call.core, caller, message),
    ...(message.replayed ? { headers: { "Idempotent-Replayed": "true" } } : {}),
  };
});

const list = endpoint({
  ...head,
  method: "GET",
  path: `${base}/{account}/Messages.json`,
  name: "listTwilioMessages",
  summary: "List messages",
  replies: { 200: resource },
})(async (call) => {
  const caller = await readerOf(call);
  if (isProblem(caller)) return caller;
  const page = await inTurn(call, () => listMessages(call, caller));
  return isProblem(page) ? page : { status: 200, body: page };
});

const fetch = endpoint({
  ...head,
  method: "GET",
  path: `${base}/{account}/Messages/{message}.json`,
  name: "fetchTwilioMessage",
  summary: "Fetch a message",
  replies: { 200: resource },
})(async (call) => {
  const caller = await readerOf(call);
  if (isProblem(caller)) return caller;
  const { core, params } = call;
  const record = await findMessage(core, caller, params.message ?? "");
  const senders = await sendersOf(core, caller.account);
  return { status: 200, body: messageResource(record, { ...caller, senders }) };
});

const update = endpoint({
  ...head,
  method: "POST",
  path: `${base}/{account}/Messages/{message}.json`,
  name: "updateTwilioMessage",
  summary: "Cancel a message",
  replies: { 200: resource },
})(async (call) => {
  const caller = await callerOf(call);
  if (isProblem(caller)) return caller;
  const { core, params } = call;
  const { account } = caller;
  const form = await readTwilioForm(call);
  if (form === null || isProblem(form)) return form;
  if (form.get("Status") !== "canceled")
    throw new TwilioRefusal("invalidParameter", "A message can only be changed to the Status canceled.");
  const { id, channel } = await findMessage(core, caller, params.message ?? "");
  if (!hasScope(account, `send:${channel}`))
    throw new TwilioRefusal("forbidden", `The API key may not send by ${channel}.`);
  const result = await cancel(core, account, channel, id);
  if (result.kind === "not_found") return problem("not_found");
  if (result.kind === "not_cancellable")
    throw new TwilioRefusal("notCancelable", "The message can no longer be canceled.");
  const senders = await sendersOf(core, account);
  if (result.record.channel === "email") return problem("not_found");
  return { status: 200, body: messageResource(result.record, { ...caller, senders }) };
});

const fetchAccount = endpoint({
  ...head,
  method: "GET",
  path: `${base}/{account}.json`,
  name: "fetchTwilioAccount",
  summary: "Fetch the account",
  replies: { 200: resource },
})(async (call) => {
  const caller = await callerOf(call);
  if (isProblem(caller)) return caller;
  const { account, accountSid, key } = caller;
  const body = {
    sid: accountSid,
    owner_account_sid: accountSid,
    friendly_name: account.name,
    status: "active",
    type: "Full",
    // Of this key: with it, a receiver checks the callbacks of the messages that the key sends.
    auth_token: signingToken(key),
    date_created: null,
    date_updated: null,
    uri: `/${twilioVersion}/Accounts/${accountSid}.json`,
    subresource_uris: { messages: `/${twilioVersion}/Accounts/${accountSid}/Messages.json` },
  };
  return { status: 200, body };
});

/** A caller whose key may read messages. */
async function readerOf(call: Call): Promise<TwilioCaller | Problem> {
  const caller = await callerOf(call);
  if (!isProblem(caller) && !hasScope(caller.account, "read", "read:own"))
    throw new TwilioRefusal("forbidden", "The API key may not read messages.");
  return caller;
}

export const twilioEndpoints: readonly Endpoint[] = [create, list, fetch, update, fetchAccount];
