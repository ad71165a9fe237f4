// Inputs for the operations on accounts, gateways, lanes, people and pools, for rows that `grown.ts` has made.

import * as accounts from "#store/accounts/accounts.ts";
import * as changes from "#store/accounts/changes.ts";
import * as domains from "#store/email/sending-domains.ts";
import { probeRead, probeWrite } from "#store/engine/probe.ts";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { claimSignature, deleteExpiredSignatures } from "#store/feedback/callback-signatures.ts";
import { keepUnknownWord } from "#store/feedback/unknown-words.ts";
import { storeAccountUpdate } from "#store/gateways/account-updates.ts";
import * as states from "#store/gateways/actions.ts";
import * as gateways from "#store/gateways/gateways.ts";
import * as sessions from "#store/gateways/sessions.ts";
import * as audit from "#store/identity/audit.ts";
import * as tokens from "#store/identity/tokens.ts";
import * as people from "#store/identity/users.ts";
import { findLanesToRecover, readDueLanes } from "#store/lanes/due.ts";
import * as lanes from "#store/lanes/lanes.ts";
import * as provisioned from "#store/maintenance/provisioned.ts";
import { findAccountGateway } from "#store/messages/search.ts";
import * as webhooks from "#store/webhooks/endpoints.ts";
import { endpointOf } from "./endpoints.ts";
import { accountOf, gatewayOf, id, now } from "./grown.ts";
import { type Case, given } from "./inputs-messages.ts";

const priorities = [0, 1, 2];
const limit = 50;
const [accountId, gatewayId, endpointId] = [accountOf(0), gatewayOf(0), id("whe", 0)];
const account = {
  id: accountId,
  name: "account 0",
  time_zone: "UTC",
  country: null,
  plan_name: "p",
  plan_expires_at: null,
  requests_per_minute: null,
  lateness_ms: 1,
  channel_failover: 0 as const,
  attachment_files: 1,
  attachment_bytes: 1,
  ai_budget: null,
  revision: 1,
  created_at: 1,
  updated_at: 1,
};
const gateway = {
  id: gatewayId,
  account_id: accountId,
  identifier: "gateway-0",
  channel: "sms" as const,
  kind: "http-api",
  active: 1 as const,
  is_default: 1 as const,
  test: 0 as const,
  settings: "sealed",
  rules: "{}",
  revision: 0,
  created_at: 1,
  updated_at: now,
};
const entry = {
  id: "aud_new",
  at: now,
  actor_kind: "user" as const,
  actor_id: id("usr", 0),
  actor_name: "A",
  account_id: accountId,
  action: "updateGateway",
  target: null,
  detail: "{}",
  outcome: "started",
};
const auditPage = { accountId: null, actorId: null, action: null, before: null, limit };
const user = {
  id: "usr_new",
  email: "new@example.com",
  name: "N",
  role: "operator" as const,
  account_id: null,
  password: "p",
  active: 1 as const,
  revision: 1,
  created_at: now,
  updated_at: now,
  signed_in_at: null,
};
const token = {
  id: "tok_new",
  hash: "new",
  name: "new",
  hint: "h",
  role: "operator" as const,
  account_id: null,
  created_at: now,
  revoked_at: null,
};
const session = { hash: "new", user_id: id("usr", 0), created_at: now, seen_at: now, expires_at: now + 1 };
const domain = { id: "dom_new", account_id: accountId, domain: "new.test", created_at: now, updated_at: now };
const dkim = {
  id: "dkm_new",
  domain_id: id("dom", 0),
  account_id: accountId,
  selector: "new",
  algorithm: "rsa-sha256" as const,
  public_key: "p",
  private_key: "p",
  state: "active" as const,
  created_at: now,
  updated_at: now,
};
const ofDomain = { accountId, domainId: id("dom", 0), at: now };

export const managementCases: Case[] = [
  given(changes.createAccount, {
    account: { ...account, id: "acc_new", name: "new" },
    allowances: [{ channel: "sms", allowance: 5, id: "ce_1" }],
    renews: null,
  }),
  given(changes.changeAccount, {
    id: accountId,
    revision: 1,
    columns: { name: "other", lateness_ms: 5 },
    allowances: [
      { channel: "sms", allowance: 5, id: "ce_2" },
      { channel: "email", allowance: 5, id: "ce_3" },
    ],
    renews: null,
    at: now,
  }),
  given(
    changes.listAccounts,
    { only: null, search: null, before: null, limit },
    { only: accountId, search: "acc", before: "acc_~", limit },
  ),
  given(accounts.findAccountByKey, "hash0"),
  given(accounts.findAccountByName, "account 0"),
  given(accounts.findAccount, accountId),
  given(accounts.countAccounts, null),
  given(accounts.replaceApiKey, { accountId, hash: "new", sealed: null, at: now }),
  given(accounts.findApiKey, accountId),
  given(accounts.readCredits, accountId),
  given(audit.insertAuditEntry, entry),
  given(audit.finishAuditEntry, { id: id("aud", 0), outcome: "ok", createdId: null }),
  given(
    audit.listAuditEntries,
    auditPage,
    { ...auditPage, before: id("aud", 500) },
    { ...auditPage, accountId },
    { ...auditPage, accountId, before: id("aud", 500) },
    { ...auditPage, actorId: id("usr", 0) },
    { ...auditPage, action: "updateGateway", before: id("aud", 500) },
    { ...auditPage, accountId, actorId: id("usr", 0), action: "updateGateway" },
  ),
  given(
    states.readGateways,
    { accountId, identifier: null, countTo: 1000 },
    { accountId, identifier: "gateway-0", countTo: 1000 },
  ),
  given(sessions.readSession, gatewayId),
  given(sessions.readSessionValues, gatewayId),
  given(sessions.recordSession, {
    linked: true,
    fence: 1,
    eventId: "gs_0",
    session: {
      gateway_id: gatewayId,
      status: "connected",
      reason: null,
      pairing: null,
      pairing_expires_at: null,
      changed_at: now,
      details: null,
    },
  }),
  given(sessions.requestLink, {
    accountId,
    identifier: "gateway-0",
    at: now,
    request: "{}",
    limits: { kinds: ["sandbox"], inAll: 20, ofAccount: 5 },
  }),
  given(sessions.takeLinkRequest, { gatewayId, fence: 1 }),
  given(sessions.saveSessionValues, {
    gatewayId,
    fence: 1,
    changes: [
      { key: "kept", value: "v1.sealed" },
      { key: "removed", value: null },
    ],
  }),
  given(states.pauseByOperator, { accountId, identifier: "gateway-0", at: now, reason: "" }),
  given(states.resumeByOperator, { accountId: accountOf(10), identifier: "gateway-10", at: now }),
  given(
    states.deleteGateway,
    { accountId, identifier: "gateway-0", quietSince: now },
    { accountId, identifier: "gateway-40", quietSince: now },
  ),
  given(gateways.findGateway, gatewayId),
  given(gateways.findGatewayByIdentifier, "gateway-0"),
  given(gateways.findGatewayForLane, gatewayId),
  given(gateways.saveGateway, gateway, {
    ...gateway,
    id: id("gw", 10),
    account_id: accountOf(10),
    identifier: "gateway-10",
    revision: 1,
  }),
  given(gateways.findWaitingOnInactive, null),
  given(gateways.readFailoverGateways, now),
  given(lanes.readLanes, null),
  given(findLanesToRecover, [gatewayId, id("gw", 10)]),
  given(readDueLanes, { priorities, until: now }),
  given(claimSignature, { signature_hash: "new", event_hash: "e", expires_at: now }),
  given(deleteExpiredSignatures, { now, limit }),
  given(storeAccountUpdate, {
    gatewayId,
    at: now,
    facts: { quality: "low" },
    aboutNumber: null,
    notice: "Restricted",
    pauseUntil: now + 1000,
    lifted: false,
    now,
  }),
  given(keepUnknownWord, { gateway_id: gatewayId, word: "odd", at: now }),
  given(lanes.ensureLane, { id: "maintenance", kind: "maintenance" }),
  given(lanes.heartbeat, { processId: "prc_0", at: now }),
  given(lanes.claimLanes, {
    processId: "prc_0",
    lanes: [
      { id: gatewayId, owner: null, fence: 1 },
      { id: endpointId, owner: "prc_1", fence: 1 },
    ],
  }),
  given(lanes.releaseLanes, { processId: "prc_0", lanes: [{ id: gatewayId, fence: 1 }] }),
  given(lanes.requestLane, { id: gatewayId, processId: "prc_1" }),
  given(lanes.withdrawRequest, { id: gatewayId, processId: "prc_1" }),
  given(lanes.deleteProcesses, ["prc_0", "prc_1"]),
  given(lanes.pauseLane, {
    id: gatewayId,
    fence: 1,
    at: now,
    until: now,
    reason: "",
    pauses: 1,
    eventId: "x_1",
  }),
  given(lanes.resumeLane, { id: id("gw", 10), fence: 1, at: now, eventId: "x_2" }),
  given(lanes.countWaiting, { priorities, now }),
  given(tokens.findManagementToken, "hash0"),
  given(tokens.listManagementTokens, { before: null, limit }, { before: "tok_~", limit }),
  given(tokens.insertManagementToken, token),
  given(tokens.saveManagementToken, token),
  given(tokens.revokeManagementToken, { id: id("tok", 0), at: now }),
  given(people.findUserByEmail, "u0@example.com"),
  given(people.findUser, id("usr", 0)),
  given(people.listUsers, { before: null, limit }, { before: "usr_~", limit }),
  given(people.insertUser, user),
  given(people.changeUser, { id: id("usr", 0), revision: 1, change: { password: "q" }, at: now }),
  given(people.startSession, { session, password: "p", replaces: "hash0", idleSince: 1 }),
  given(people.findSession, { hash: "hash0", now, idleSince: 1 }),
  given(people.touchSession, { hash: "hash0", at: now + 1 }),
  given(people.endSession, "hash0"),
  given(people.storeSetupCode, { hash: "new", created_at: now, expires_at: now + 1 }),
  given(people.findSetupCode, { hashes: ["hash0", "hash1"], now }),
  given(
    people.consumeSetupCode,
    { hash: "hash0", user, recovers: false, at: now },
    { hash: "hash0", user: { ...user, email: "u0@example.com" }, recovers: true, at: now },
    { hash: "hash0", user: { ...user, email: "u0@example.com" }, recovers: false, at: now },
  ),
  given(provisioned.readProvisionMarks, null),
  given(provisioned.storeProvisionMark, { kind: "account", name: "n", hash: "h" }),
  given(provisioned.saveProvisioned, [
    {
      save: { kind: "gateway", row: gateway },
      mark: { kind: "gateway", name: "g", hash: "h" },
      audit: { ...entry, id: "aud_1" },
    },
    {
      save: { kind: "endpoint", endpoint: endpointOf(accountId), maxEndpoints: 5 },
      mark: { kind: "webhook", name: "w", hash: "h" },
      audit: { ...entry, id: "aud_2" },
    },
  ]),
  given(provisioned.getOrSetFact, { name: "n", value: "v" }),
  given(probeRead, null),
  given(probeWrite, now),
  given(findAccountGateway, { accountId, identifier: "gateway-0" }),
  given(domains.readSendingDomains, { accountId, id: null }, { accountId, id: id("dom", 0) }),
  given(domains.findSendingDomain, { accountId, domain: "d0.test" }),
  given(domains.findSigningKeys, { accountId, domains: ["x.d0.test", "d0.test"] }),
  given(domains.createSendingDomain, { domain, keys: [{ ...dkim, domain_id: domain.id }] }),
  given(domains.addPendingKeys, {
    ...ofDomain,
    keys: [{ ...dkim, state: "pending" }],
    replace: true,
    deleteRetiredBefore: 1,
  }),
  given(domains.activateKeys, { ...ofDomain, ids: null }),
  given(domains.putActiveKeys, { ...ofDomain, keys: [dkim] }),
  given(refreshStatistics, { after: null }, { after: "receipts ~" }),
  given(domains.removeSendingDomain, { accountId, domainId: id("dom", 0) }),
  given(webhooks.findEndpoint, endpointId),
  given(webhooks.findAccountEndpoint, { accountId, id: endpointId }),
  given(webhooks.findEndpointByUrl, { accountId, urlHash: "hash0" }),
  given(webhooks.listEndpoints, accountId),
  given(webhooks.hasActiveEndpoints, null),
  given(webhooks.findInactiveWithDeliveries, null),
  given(webhooks.createEndpoint, { endpoint: endpointOf(accountId), maxEndpoints: 5 }),
  given(webhooks.changeEndpoint, {
    accountId,
    id: endpointId,
    revision: 1,
    at: now,
    change: { url: { sealed: "sealed anew", hash: "hash anew" }, active: false },
  }),
  given(webhooks.removeEndpoint, { accountId: accountOf(10), id: id("whe", 10), limit }),
];
