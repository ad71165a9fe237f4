// Inputs for the operations on phones, for rows that `grown.ts` has made.

import { endUnreported, findUnreported, pullItems, readLines } from "#store/phones/phone-items.ts";
import { storePhoneReports } from "#store/phones/phone-reports.ts";
import * as phones from "#store/phones/phones.ts";
import {
  deleteSpreadChoices,
  distributeSpread,
  readSpreadAccounts,
  type Spread,
} from "#store/phones/spread.ts";
import { accountOf, gatewayOf, id, now } from "./grown.ts";
import { type Case, caseOf } from "./inputs-messages.ts";

const priorities = [0, 1, 2];
const [accountId, gatewayId] = [accountOf(0), gatewayOf(0)];

/** A gateway as a spread of itself and of another one of the account: both have messages that wait. */
const member = gatewayOf(0);
const grownSpread: Spread = {
  id: gatewayOf(20),
  kind: "spread",
  identifier: "spread",
  members: [
    {
      gatewayId: member,
      identifier: "phone",
      phoneId: member,
      isOpen: true,
      day: { name: "2027-01-15", limit: 1000 },
    },
  ],
  others: [{ gatewayId: gatewayOf(10), identifier: "another" }],
  lateBefore: 0,
  offlineBefore: 0,
};

export const phoneCases: Case[] = [
  caseOf(readSpreadAccounts, "http-api"),
  caseOf(distributeSpread, {
    spread: grownSpread,
    at: now,
    point: 0.5,
    priorities,
    limit: 100,
    eventId: "gp_5",
  }),
  caseOf(deleteSpreadChoices, { before: now, limit: 100 }),
  caseOf(phones.findPhoneBy, { secret: "token", hash: "token0" }),
  caseOf(phones.readPhone, gatewayId),
  caseOf(phones.readPhoneTokens, [gatewayId]),
  caseOf(phones.readPulledGateways, { accountId, kind: "http-api" }),
  caseOf(phones.offerPairing, {
    gateway_id: gatewayId,
    account_id: accountId,
    enrolment_hash: "enrolment",
    code_hash: "code",
    page_hash: "page",
    pairing: "sealed",
    pairing_expires_at: now,
    at: now,
    eventId: "gs_1",
  }),
  caseOf(phones.describePhone, {
    id: gatewayId,
    tokenHash: "token0",
    at: now,
    description: { battery: 50 },
  }),
  caseOf(phones.findSilentPhones, now),
  caseOf(findUnreported, now + 10 * 86_400_000),
  caseOf(endUnreported, { phoneId: gatewayId, at: now + 10 * 86_400_000 }),
  caseOf(phones.disconnectPhone, {
    id: gatewayId,
    gatewayIds: [gatewayId],
    before: now,
    at: now,
    reason: "silent",
    eventId: "gp_1",
  }),
  caseOf(phones.stopForSim, { gatewayIds: [gatewayId], at: now, reason: "another SIM", eventId: "gp_2" }),
  caseOf(readLines, { phoneId: gatewayId, gatewayIds: [gatewayId], priorities }),
  caseOf(pullItems, {
    phoneId: gatewayId,
    tokenHash: "token0",
    lines: [
      {
        gatewayId,
        ahead: 50,
        keepMs: 86_400_000,
        latenessMs: 86_400_000,
        gapMs: 10,
        catchesUp: true,
        isOpen: true,
        day: { name: "2027-01-15", limit: 1000 },
      },
    ],
    priorities,
    at: now,
    eventId: "gp_3",
    newestFirst: false,
  }),
  caseOf(storePhoneReports, {
    phoneId: gatewayId,
    tokenHash: "token0",
    reports: [{ messageId: id("msg", 5), transmission: 1, recipient: null, state: "Sent", failure: null }],
    at: now,
    steadyAt: now,
    eventId: "gp_4",
    delaysMs: [1],
    retryForMs: 1,
    gapsMs: { [gatewayId]: 1 },
  }),
  caseOf(phones.registerPhone, {
    secret: "code",
    hash: "code1",
    tokenHash: "another",
    at: now,
    eventId: "gs_2",
    phone: { name: "Phone", app_version: "1.68.0", sims: "[]", uses_push: 0 },
  }),
  caseOf(phones.revokePhone, {
    id: gatewayId,
    gatewayIds: [gatewayId],
    at: now,
    reason: "by hand",
    eventId: "gs_3",
  }),
];
