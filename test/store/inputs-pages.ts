// Inputs for the operations that the management API's pages read with, and on what they show.

import { readOverview } from "#store/accounts/overview.ts";
import * as counts from "#store/counts/message-counts.ts";
import * as suppressions from "#store/feedback/suppressions.ts";
import { keepUnknownWord } from "#store/feedback/unknown-words.ts";
import { findRecords } from "#store/find.ts";
import { readAccountLanes } from "#store/gateways/account-lanes.ts";
import { readGatewaySettings } from "#store/gateways/gateways.ts";
import { deletePauses, readPauses } from "#store/gateways/pauses.ts";
import { noteReport } from "#store/gateways/reports.ts";
import { noteReceiptsMatch, noteReceiptsUnmatched } from "#store/gateways/unmatched-receipts.ts";
import { readSchema } from "#store/maintenance/installation.ts";
import {
  changeRequestMessages,
  findRequest,
  readDueCounts,
  readRequestLanes,
  sumRequest,
} from "#store/messages/requests.ts";
import { rescheduleMessage } from "#store/messages/reschedule.ts";
import { findReferenced } from "#store/messages/search.ts";
import { type SearchDueInput, searchDue } from "#store/messages/search-due.ts";
import { listMessageDeliveries } from "#store/webhooks/delivery-log.ts";
import { accountOf, gatewayOf, id, now } from "./grown.ts";
import { type Case, caseOf } from "./inputs-messages.ts";

const [accountId, gatewayId] = [accountOf(0), gatewayOf(0)];
const limit = 51;

const around = { from: id("msg", 0), before: id("msg", 9) };
const newTime = { at: now, detail: "Moved.", scheduleAt: "2027-01-15 09:00:00", scheduledFor: now };

const dueSearch: SearchDueInput = {
  accountId,
  channels: ["sms", "whatsapp", "email"],
  statuses: null,
  gatewayId: null,
  requestId: null,
  test: null,
  from: 0,
  before: now,
  after: null,
  priorities: [0, 1, 2],
  limit,
  maxScanned: 500,
};

export const pageCases: readonly Case[] = [
  caseOf(readSchema, null),
  caseOf(readGatewaySettings, accountId),
  caseOf(
    suppressions.listSuppressions,
    { accountId, channels: ["sms", "email"], recipients: null, after: null, limit },
    {
      accountId,
      channels: ["sms"],
      recipients: ["+16660", "+16661"],
      after: { channel: "sms", recipient: "+1" },
      limit,
    },
  ),
  caseOf(
    suppressions.addSuppressions,
    { accountId, channel: "sms", recipients: ["+16660", "+1999"], note: null, at: now },
    { accountId: accountOf(3), channel: "email", recipients: ["p30@example.com"], note: null, at: now },
  ),
  caseOf(suppressions.removeSuppressions, {
    accountId,
    channel: "sms",
    reason: "bounce",
    note: null,
    from: 0,
    to: now,
    after: "",
    limit,
  }),
  caseOf(suppressions.removeSuppression, { accountId, channel: "sms", recipient: "+16660" }),
  caseOf(readAccountLanes, accountId),
  caseOf(noteReceiptsMatch, { gatewayId, at: now, references: ["no-1", "no-2"] }),
  caseOf(noteReceiptsUnmatched, { gatewayId, at: now }),
  caseOf(keepUnknownWord, { gateway_id: gatewayId, word: "odd", at: now }),
  caseOf(readPauses, { accountId, identifier: "gateway-0", before: now, limit }),
  caseOf(deletePauses, { before: now, limit }),
  caseOf(noteReport, { gateway_id: gatewayId, at: now }),
  caseOf(listMessageDeliveries, { accountId, messageId: id("msg", 0), limit }),
  caseOf(counts.storeMessageCounts, null),
  caseOf(
    counts.readMessageCounts,
    { accountId, step: "hour", from: now - 86_400_000, before: now, gatewayId: null, channel: null },
    { accountId, step: "day", from: 0, before: now, gatewayId, channel: "sms" },
    {
      accountId,
      step: "endpoint_hour",
      from: now - 86_400_000,
      before: now,
      gatewayId: null,
      channel: null,
    },
  ),
  caseOf(
    counts.deleteMessageCounts,
    { step: "minute", before: now, limit },
    { step: "endpoint_hour", before: now, limit },
  ),
  caseOf(readOverview, {
    accountId,
    failedFrom: { at: 1, id: id("msg", 0) },
    lateBefore: now,
    priorities: [0, 1, 2],
    countTo: 1_000,
    lookTo: 5_000,
  }),
  caseOf(
    findRecords,
    { accountId: null, ids: [id("msg", 0), id("req", 0), id("in", 0)], identifier: "gateway-0" },
    { accountId, ids: [accountId], identifier: "" },
  ),
  caseOf(findRequest, { accountId, id: id("req", 0) }),
  caseOf(readRequestLanes, { accountId, id: id("req", 0), contacts: 9, ...around }),
  caseOf(readDueCounts, { gatewayId, until: now, priorities: [0, 1, 2], countTo: 100_000 }),
  caseOf(sumRequest, { accountId, id: id("req", 0), contacts: 9, ...around }),
  caseOf(
    changeRequestMessages,
    {
      accountId,
      id: id("req", 0),
      limit,
      change: { kind: "cancel", details: { at: now, detail: "Cancelled." } },
      ...around,
    },
    { accountId, id: id("req", 0), limit, change: { kind: "reschedule", to: newTime }, ...around },
  ),
  caseOf(rescheduleMessage, { accountId, channel: null, id: id("msg", 0), to: newTime }),
  caseOf(findReferenced, { accountId, reference: "ref-1", limit }),
  caseOf(searchDue, dueSearch, {
    ...dueSearch,
    statuses: ["scheduled"],
    gatewayId,
    requestId: id("req", 0),
    test: false,
    after: { dueAt: 1, id: id("msg", 0) },
  }),
];
