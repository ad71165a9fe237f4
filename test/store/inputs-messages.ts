// Inputs for the operations on messages, mails and webhooks, for rows that `grown.ts` has made: together they take every way
// through an operation that runs a statement of its own.

import { grantCredit, listCreditEntries } from "#store/accounts/ledger.ts";
import type { Operation } from "#store/database.ts";
import * as attachments from "#store/email/attachments.ts";
import * as mails from "#store/email/emails.ts";
import { readRecipients } from "#store/email/mail-recipients.ts";
import { deleteSoftBounces } from "#store/feedback/bounces.ts";
import * as engagements from "#store/feedback/engagements.ts";
import { findInboundFile, recentInbound, searchInbound, storeInbound } from "#store/feedback/inbound.ts";
import { settlePartlyDelivered } from "#store/feedback/partly-delivered.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { deleteReplyWindows, lastHeard } from "#store/feedback/reply-windows.ts";
import { deleteSenderNames } from "#store/feedback/sender-names.ts";
import * as upkeep from "#store/maintenance/overdue.ts";
import * as hold from "#store/maintenance/restore-hold.ts";
import * as retention from "#store/maintenance/retention.ts";
import * as progress from "#store/messages/attempts.ts";
import { readBody, readPayload } from "#store/messages/contents.ts";
import { findFirstAttempt } from "#store/messages/first-attempt.ts";
import {
  findStoredRequest,
  idempotencyTtlMs,
  readRequestMessages,
} from "#store/messages/idempotency-keys.ts";
import { confirmRequest, storeSends } from "#store/messages/insert.ts";
import * as lookup from "#store/messages/lookup.ts";
import * as waiting from "#store/messages/move.ts";
import * as recovery from "#store/messages/recover.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import { type SearchInput, searchMessages } from "#store/messages/search.ts";
import * as deliveries from "#store/webhooks/deliveries.ts";
import * as log from "#store/webhooks/delivery-log.ts";
import * as fanOut from "#store/webhooks/fan-out.ts";
import * as retries from "#store/webhooks/retries.ts";
import { accountOf, gatewayOf, id, now } from "./grown.ts";
import { receiptOf, sendOf } from "./rows.ts";

/** An operation with inputs for it; of a gathered one each input stands for a group of that one call. */
export interface Case {
  operation: Operation<never, unknown>;
  inputs: unknown[];
}

export const caseOf = <I, O>(operation: Operation<I, O>, ...inputs: I[]): Case => ({
  operation: operation as Operation<never, unknown>,
  inputs,
});

const priorities = [0, 1, 2];
const contents = ["text"] as const;
const [accountId, gatewayId, endpointId] = [accountOf(0), gatewayOf(0), id("whe", 0)];
/** Of request 0: due, scheduled, on its way, unknown, held, delivered. Of request 3, an email: sent. */
const [due, due2, sending, unknown, held] = [0, 1, 5, 6, 9].map((number) => id("msg", number)) as [
  string,
  string,
  string,
  string,
  string,
];
const delivered = id("msg", 10);
const mail = id("msg", 30);
const details = { at: now, detail: "" };
const limit = 50;
const page = { accountId, channel: "sms", status: null, before: null, limit } as const;
const received = { accountId, channel: null, senders: null, gatewayId: null, before: null, limit };
const search: SearchInput = {
  accountId,
  channels: ["sms", "whatsapp", "email"],
  statuses: null,
  gatewayId: null,
  recipient: null,
  from: "msg_",
  before: "msg_~",
  acceptedFrom: null,
  acceptedBefore: null,
  limit: 51,
  maxScanned: 500,
  bytes: 1000,
};
const settlement = {
  id: sending,
  laneId: gatewayId,
  fence: 1,
  attempt: 1,
  step: "accepted" as const,
  parts: null,
  receipt: null,
};
const inbound = {
  message: {
    id: "in_new",
    account_id: accountId,
    gateway_id: gatewayId,
    channel: "sms" as const,
    reference: "new",
    sender: "+155501",
    recipient: "+1",
    body: "STOP",
    media: "[]",
    received_at: now,
    consent_keyword: null,
    details: null,
  },
  gatewayIdentifier: "gateway-0",
  replyTo: null,
  sentSince: 0,
};
const engagement = {
  gatewayId: gatewayOf(3),
  kind: "opened" as const,
  messageId: mail,
  reference: null,
  key: "key",
  count: 1,
  at: now,
  receivedAt: now,
  machine: false,
  url: null,
  userAgent: null,
  ip: null,
  reason: null,
  recipient: null,
};
const line = { at: now, ms: 1, status: 500, reason: "no", answer: null };
const narrow = { status: "failed", type: "message.sent", from: 0, to: now } as const;
const place = { createdAt: now - 35_000_000, eventId: id("evt", 200) };
const resolution = { accountId, channel: null, details };
const outcome = { step: "outcome_unknown", details } as const;

export const messageCases: Case[] = [
  caseOf(
    storeSends,
    sendOf(accountId, gatewayId, {
      requestId: "req_new",
      count: 2,
      cost: 2,
      idempotencyKey: { path: "/api/sms/send", key: "new", fingerprint: "f" },
    }),
    sendOf(accountId, gatewayId, {
      requestId: "req_repeat",
      idempotencyKey: { path: "/api/sms/send", key: "key0", fingerprint: "f" },
      at: now - 30_000_000,
    }),
    // Refused for its credit, so that its key is freed again.
    sendOf(accountId, gatewayId, {
      requestId: "req_dear",
      cost: 10 ** 9,
      idempotencyKey: { path: "/", key: "dear", fingerprint: "f" },
    }),
    sendOf(accountOf(3), gatewayOf(3), {
      channel: "email",
      requestId: "req_mail",
      attachments: [{ id: id("att", 150), filename: "a", content_type: "b", size: 1, sha256: "c" }],
      at: now - 39_000_000,
      emails: [],
    }),
    sendOf(accountId, gatewayId, {
      requestId: "req_callback",
      statusCallbacks: [{ message_id: "msg_callback", callback: "sealed" }],
    }),
  ),
  caseOf(
    confirmRequest,
    { requestId: id("req", 0), accountId, channel: "sms", at: now },
    { requestId: "req_none", accountId, channel: "sms", at: now },
  ),
  caseOf(grantCredit, {
    accountId,
    channel: "sms",
    amount: 5,
    note: null,
    id: "ce_1",
    at: now,
    renewedFrom: 0,
  }),
  caseOf(
    listCreditEntries,
    { accountId, channel: "sms", before: null, limit },
    { accountId, channel: "sms", before: { at: now - 39_000_000, kind: "reserve", reference: "req" }, limit },
  ),
  caseOf(attachments.storeChunk, { id: "att_new", accountId, seq: 0, content: "QUJD", at: now }),
  caseOf(attachments.deleteUnboundFile, { id: id("att", 350), at: now }),
  caseOf(attachments.findUnboundFiles, { before: now, limit }),
  caseOf(attachments.findUnneededFiles, { after: "", limit }, { after: id("att", 500), limit }),
  caseOf(attachments.deleteFileContent, { id: id("att", 30), at: now }),
  caseOf(deleteSoftBounces, { before: now, limit }),
  caseOf(
    deliveries.readDueDeliveries,
    { laneId: endpointId, priority: 0, now, after: null, limit },
    { laneId: endpointId, priority: 0, now, after: { dueAt: 1, id: "evt" }, limit },
  ),
  caseOf(deliveries.nextDueDelivery, { laneId: endpointId, priorities, now }),
  caseOf(
    deliveries.readPendingDeliveries,
    { endpointId, fence: 1, eventIds: [id("evt", 0), id("evt", 2)] },
    { endpointId: id("whe", 5), fence: 1, eventIds: [`${id("evt", 100)}_1`] },
  ),
  caseOf(
    deliveries.settleDeliveries,
    {
      endpointId,
      eventId: id("evt", 0),
      attempt: 2,
      at: now,
      line,
      outcome: { kind: "failed", dueAt: now, gone: true },
    },
    { endpointId, eventId: id("evt", 2), attempt: 2, at: now, line, outcome: { kind: "delivered" } },
  ),
  caseOf(deliveries.failWaitingDeliveries, { endpointId: id("whe", 10), at: now, reason: "", limit }),
  caseOf(
    log.listDeliveries,
    { accountId, endpointId, filter: {}, before: null, limit, maxScanned: 200 },
    { accountId, endpointId, filter: narrow, before: place, limit, maxScanned: 200 },
  ),
  caseOf(log.findDelivery, { accountId, endpointId, eventId: id("evt", 0) }),
  caseOf(log.replayDelivery, { accountId, endpointId, eventId: id("evt", 6), at: now }),
  caseOf(log.countFailed, { accountId, endpointId, since: 0 }),
  caseOf(log.replayFailed, { accountId, endpointId, after: { createdAt: 0, eventId: "" }, at: now, limit }),
  caseOf(retries.readRetries, { accountId, endpointId, priorities, now }),
  caseOf(retries.retryNow, { accountId, endpointId, priorities, now: 0, limit }),
  caseOf(log.storeTestEvent, {
    accountId,
    endpointId,
    event: { id: "evt_test", type: "test", at: now, body: "{}" },
  }),
  caseOf(log.countWebhooks, null),
  caseOf(engagements.storeEngagements, engagement, {
    ...engagement,
    kind: "complained",
    key: null,
    messageId: null,
    reference: "ref30",
  }),
  caseOf(engagements.unsubscribe, {
    accountId: accountOf(3),
    recipient: "p15@example.com",
    messageId: mail,
    at: now,
  }),
  caseOf(engagements.findMessageGateway, mail),
  caseOf(fanOut.readOutbox, { limit }),
  caseOf(fanOut.storeFanOut, {
    at: now,
    steps: [
      { id: `${id("evt", 0)}_1`, data: "{}", next: null },
      { id: `${id("evt", 20)}_1`, data: "{}", next: "{}" },
    ],
    events: [
      {
        id: "evt_made",
        entry_id: `${id("evt", 0)}_1`,
        account_id: accountId,
        type: "message.sent",
        at: now,
        priority: 0,
        body: "{}",
        endpoints: [endpointId],
      },
    ],
  }),
  caseOf(findFirstAttempt, delivered),
  caseOf(hold.holdPending, { at: now, limit }, { at: now, limit: 10 ** 6 }),
  caseOf(hold.readRestoreHold, null),
  caseOf(hold.deleteEmptyRestoreHold, null),
  caseOf(hold.releaseHeld, { at: now, limit, detail: "" }),
  caseOf(hold.cancelHeld, { at: now, limit, detail: "" }),
  caseOf(
    storeInbound,
    inbound,
    { ...inbound, message: { ...inbound.message, consent_keyword: "out" }, formerSenders: ["+1"] },
    { ...inbound, message: { ...inbound.message, consent_keyword: "in" }, sentAt: now, replyTo: "ref10" },
    { ...inbound, alike: { phoneId: gatewayId, gatewayIds: [gatewayId], from: "ref1", before: "ref2" } },
  ),
  caseOf(findInboundFile, { accountId, id: id("in", 500) }),
  caseOf(lastHeard, { gatewayId: inbound.message.gateway_id, sender: "+17770" }),
  ...[deleteReplyWindows, deleteSenderNames].map((forget) => caseOf(forget, { before: now, limit })),
  caseOf(recentInbound, received, { ...received, channel: "sms", before: id("in", 500) }),
  caseOf(searchInbound, { ...received, senders: ["+17770", "+17771"] }, { ...received, gatewayId }),
  caseOf(
    lookup.findMessage,
    { accountId: accountOf(1), channel: "sms", id: delivered },
    { accountId: accountOf(3), channel: "email", id: mail },
    { accountId: accountOf(1), channel: null, id: delivered },
  ),
  caseOf(
    lookup.recentMessages,
    page,
    { ...page, before: delivered },
    { ...page, status: "sending" },
    { ...page, status: "read", before: delivered },
    { ...page, accountId: accountOf(3), channel: "email" },
  ),
  caseOf(lookup.countByStatus, accountId),
  caseOf(readBody, mail),
  caseOf(readPayload, mail),
  caseOf(mails.readEmail, mail),
  caseOf(readRecipients, { messageId: mail, accountId: accountOf(3) }),
  caseOf(mails.readEmailFiles, id("req", 3)),
  caseOf(mails.readFileChunks, { id: id("att", 30), from: 0, limit: 8 }),
  caseOf(
    progress.readDue,
    { laneId: gatewayId, priority: 0, now, after: null, limit },
    { laneId: gatewayId, priority: 0, now, after: { dueAt: 1, id: "msg" }, limit },
  ),
  caseOf(progress.nextDue, { laneId: gatewayId, priorities, now }),
  caseOf(
    progress.beginAttempts,
    { laneId: gatewayId, fence: 1, ids: [due, due2], at: now, lateBefore: 0, day: "2026-11-22" },
    // Refused, because it is too late.
    { laneId: gatewayId, fence: 1, ids: [due], at: now, lateBefore: now, day: null },
  ),
  caseOf(
    progress.settleMessages,
    { ...settlement, details: { ...details, reference: "new" } },
    { ...settlement, step: "rejected", details },
    { ...settlement, details: { ...details, reference: "ref95" } },
  ),
  caseOf(recovery.revertAttempts, {
    laneId: gatewayId,
    fence: 1,
    ids: [sending],
    details: { ...details, dueAt: now },
  }),
  caseOf(recovery.recoverMessages, { laneId: gatewayId, fence: 2, limit, first: outcome, again: outcome }),
  caseOf(
    storeReceipts,
    receiptOf(gatewayId, "delivered", { messageId: delivered, reference: "other" }),
    receiptOf(gatewayId, "returned", { messageId: delivered, reference: "other" }),
    receiptOf(gatewayOf(9), "read", { reference: "ref95" }),
    receiptOf(gatewayOf(3), "bounced", { messageId: mail, bounce: "soft" }),
    receiptOf(gatewayOf(3), "delivered", { messageId: mail }),
  ),
  caseOf(settlePartlyDelivered, { kinds: ["smpp"], at: now, limit }),
  caseOf(findStoredRequest, { accountId, path: "/api/sms/send", key: "key0", at: now }),
  caseOf(readRequestMessages, {
    accountId,
    request: { request_id: id("req", 0), first_id: due, last_id: held },
  }),
  caseOf(
    resolveUnknown,
    { ...resolution, id: unknown, step: "resent_by_account", details: { ...details, dueAt: now } },
    { ...resolution, id: unknown, step: "marked_failed" },
  ),
  caseOf(
    retention.deleteMessages,
    { after: "", before: "msg_~", unchangedSince: now, limit },
    { after: "", before: "msg_~", unchangedSince: now, limit: 500 },
  ),
  caseOf(retention.deleteInbound, { before: "in_~", limit }),
  caseOf(retention.deleteAuditEntries, { before: "aud_~", limit }),
  caseOf(
    retention.deleteUnmatchedReceipts,
    { after: "", before: now, limit },
    { after: `{"gateway":"${gatewayOf(9)}","reference":"ref90","key":"key90"}`, before: now, limit },
  ),
  caseOf(
    retention.deleteWebhookEvents,
    { after: "", before: now, limit },
    { after: `${now - 35_000_000} evt_1`, before: now, limit },
  ),
  caseOf(
    searchMessages,
    search,
    { ...search, channels: ["sms"] },
    { ...search, channels: ["sms"], statuses: ["sending"] },
    { ...search, channels: ["sms"], statuses: ["suppressed"], before: delivered },
    { ...search, statuses: ["failed", "bounced"], acceptedFrom: 1 },
    { ...search, recipient: "+155501" },
    { ...search, recipient: "+155501", statuses: ["sending"] },
    { ...search, channels: ["sms"], gatewayId },
    { ...search, channels: ["sms"], gatewayId, statuses: ["delivered"] },
    { ...search, channels: ["sms"], gatewayId, statuses: ["sending"] },
    { ...search, channels: ["sms"], acceptedFrom: 1, acceptedBefore: now },
    { ...search, accountId: accountOf(3), channels: ["email"] },
    { ...search, narrowing: { requestId: id("req", 0), test: true, errorCode: "x", held: false } },
    { ...search, narrowing: { held: true } },
    { ...search, narrowing: { ids: [due, due2] }, brief: true },
    { ...search, accountId: accountOf(3), channels: ["email"], ascending: true, brief: true },
    { ...search, channels: ["sms"], gatewayId, ascending: true },
  ),
  caseOf(upkeep.findOverdueLanes, { priorities, now }),
  caseOf(upkeep.expireOverdue, { laneId: gatewayId, lateBefore: now, priorities, at: now, limit }),
  caseOf(upkeep.deleteIdempotencyKeys, { before: now - idempotencyTtlMs, limit }),
  caseOf(upkeep.deleteExpiredSessions, now),
  caseOf(waiting.cancelMessage, { accountId, channel: "sms", id: due, details }),
  caseOf(waiting.moveToDefault, { from: id("gw", 20), to: gatewayId, contents, limit, at: now, detail: "" }),
  caseOf(waiting.moveToFailover, {
    from: id("gw", 10),
    to: id("gw", 30),
    contents,
    probe: false,
    priorities,
    limit,
    at: now,
    detail: "",
  }),
];
