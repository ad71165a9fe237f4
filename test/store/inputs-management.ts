// Inputs for the operations on accounts, gateways, lanes, people and pools, for rows that `grown.ts` has made.

import * as accounts from "#store/accounts/accounts.ts";
import * as changes from "#store/accounts/changes.ts";
import * as figures from "#store/accounts/figures.ts";
import * as named from "#store/accounts/named-keys.ts";
import * as domains from "#store/email/sending-domains.ts";
import { probeRead, probeWrite } from "#store/engine/probe.ts";
import { refreshStatistics } from "#store/engine/statistics.ts";
import { claimSignature, deleteExpiredSignatures } from "#store/feedback/callback-signatures.ts";
import { storeAccountUpdate } from "#store/gateways/account-updates.ts";
import * as states from "#store/gateways/actions.ts";
import * as deletion from "#store/gateways/delete.ts";
import * as gateways from "#store/gateways/gateways.ts";
import { readGatewayNames } from "#store/gateways/names.ts";
import * as sessions from "#store/gateways/sessions.ts";
import { readStandings } from "#store/gateways/waiting.ts";
import * as audit from "#store/identity/audit.ts";
import * as tokens from "#store/identity/tokens.ts";
import * as userLinks from "#store/identity/user-setup-links.ts";
import * as people from "#store/identity/users.ts";
import { findLanesToRecover, readDueLanes } from "#store/lanes/due.ts";
import * as lanes from "#store/lanes/lanes.ts";
import * as installation from "#store/maintenance/installation.ts";
import * as provisioned from "#store/maintenance/provisioned.ts";
import { findAccountGateway } from "#store/messages/search.ts";
import * as webhooks from "#store/webhooks/endpoints.ts";
import { endpointOf } from "./endpoints.ts";
import { accountOf, gatewayOf, id, now } from "./grown.ts";
import { type Case, caseOf } from "./inputs-messages.ts";

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
  ...{ counting: null, mail_sender: null },
  draining_at: null,
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
  scopes: null,
  expires_at: null,
  last_used_at: null,
  created_at: now,
  revoked_at: null,
};
const namedKey = {
  id: "apk_new",
  account_id: accountId,
  name: "new",
  hash: "new",
  hint: "h",
  previous_hash: null,
  previous_works_until: null,
  rules: "{}",
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  revision: 0,
  created_at: 1,
  updated_at: now,
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
  caseOf(changes.createAccount, {
    account: { ...account, id: "acc_new", name: "new" },
    allowances: [{ channel: "sms", allowance: 5, id: "ce_1" }],
    renews: null,
  }),
  caseOf(changes.changeAccount, {
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
  caseOf(
    changes.listAccounts,
    { only: null, search: null, before: null, limit },
    { only: accountId, search: "acc", before: "acc_~", limit },
  ),
  caseOf(figures.readAccountFigures, {
    accounts: [accountId, "acc_other"].map((each) => ({ accountId: each, dayAt: now })),
    testKinds: ["sandbox"],
  }),
  caseOf(accounts.findAccountByKey, "hash0"),
  caseOf(named.findKeyHolder, "hash0", "key hash 0", "previous 0"),
  caseOf(
    named.noteKeyUse,
    { keyId: null, hash: "hash0", at: now },
    { keyId: id("apk", 0), hash: "key hash 0", at: now },
  ),
  caseOf(named.findNamedKey, { accountId, id: id("apk", 0) }),
  caseOf(
    named.listNamedKeys,
    { accountId, before: null, limit },
    { accountId, before: id("apk", 500), limit },
  ),
  caseOf(named.saveNamedKey, namedKey, { ...namedKey, id: id("apk", 0), name: "other", revision: 1 }),
  caseOf(named.rotateNamedKey, {
    accountId,
    id: id("apk", 0),
    at: now,
    hash: "rotated",
    hint: "h",
    previousWorksUntil: now,
  }),
  caseOf(named.revokeNamedKey, { accountId, id: id("apk", 0), at: now }),
  caseOf(accounts.findAccountByName, "account 0"),
  caseOf(accounts.findAccount, accountId),
  caseOf(accounts.countAccounts, null),
  caseOf(
    accounts.replaceApiKey,
    { accountId, hash: "new", hint: "h", sealed: null, previousWorksUntil: null, at: now },
    { accountId, hash: "newer", hint: "h", sealed: null, previousWorksUntil: now + 1, at: now },
  ),
  caseOf(accounts.findApiKey, accountId),
  caseOf(accounts.readCredits, accountId),
  caseOf(audit.insertAuditEntry, entry),
  caseOf(audit.finishAuditEntry, { id: id("aud", 0), outcome: "ok", createdId: null }),
  caseOf(
    audit.listAuditEntries,
    auditPage,
    { ...auditPage, before: id("aud", 500) },
    { ...auditPage, accountId },
    { ...auditPage, accountId, before: id("aud", 500) },
    { ...auditPage, actorId: id("usr", 0) },
    { ...auditPage, action: "updateGateway", before: id("aud", 500) },
    { ...auditPage, accountId, actorId: id("usr", 0), action: "updateGateway" },
  ),
  caseOf(
    states.readGateways,
    { accountId, identifier: null, priorities, now, countTo: 1000 },
    { accountId, identifier: "gateway-0", priorities, now, countTo: 1000 },
  ),
  caseOf(sessions.readSession, gatewayId),
  caseOf(sessions.readSessionValues, gatewayId),
  caseOf(sessions.recordSession, {
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
  caseOf(sessions.requestLink, {
    accountId,
    identifier: "gateway-0",
    at: now,
    request: "{}",
    limits: { kinds: ["sandbox"], inAll: 20, ofAccount: 5 },
  }),
  caseOf(sessions.takeLinkRequest, { gatewayId, fence: 1 }),
  caseOf(sessions.saveSessionValues, {
    gatewayId,
    fence: 1,
    changes: [
      { key: "kept", value: "v1.sealed" },
      { key: "removed", value: null },
    ],
  }),
  caseOf(states.pauseByOperator, { accountId, identifier: "gateway-0", at: now, reason: "", by: null }),
  caseOf(states.resumeByOperator, { accountId: accountOf(10), identifier: "gateway-10", at: now }),
  caseOf(
    deletion.deleteGateway,
    { accountId, identifier: "gateway-0", at: now, priorities, countTo: limit },
    { accountId, identifier: "gateway-40", at: now, priorities, countTo: limit },
  ),
  caseOf(deletion.readDraining, null),
  caseOf(gateways.findGateway, gatewayId),
  caseOf(readStandings, [gatewayId, id("gw", 10)]),
  caseOf(readGatewayNames, accountId),
  caseOf(gateways.findGatewayByIdentifier, "gateway-0"),
  caseOf(gateways.findGatewayForLane, gatewayId),
  caseOf(gateways.saveGateway, gateway, {
    ...gateway,
    id: id("gw", 10),
    account_id: accountOf(10),
    identifier: "gateway-10",
    revision: 1,
  }),
  caseOf(gateways.findWaitingOnInactive, null),
  caseOf(gateways.readFailoverGateways, now),
  caseOf(lanes.readLanes, null),
  caseOf(findLanesToRecover, [gatewayId, id("gw", 10)]),
  caseOf(readDueLanes, { priorities, until: now }),
  caseOf(claimSignature, { signature_hash: "new", event_hash: "e", expires_at: now }),
  caseOf(deleteExpiredSignatures, { now, limit }),
  caseOf(storeAccountUpdate, {
    gatewayId,
    at: now,
    facts: { quality: "low" },
    aboutNumber: null,
    notice: "Restricted",
    pauseUntil: now + 1000,
    lifted: false,
    now,
  }),
  caseOf(gateways.setGatewayCounting, { id: gatewayId, counting: "{}", mail_sender: null }),
  caseOf(lanes.ensureLane, { id: "maintenance", kind: "maintenance" }),
  caseOf(lanes.heartbeat, { processId: "prc_0", at: now }),
  caseOf(lanes.claimLanes, {
    processId: "prc_0",
    lanes: [
      { id: gatewayId, owner: null, fence: 1 },
      { id: endpointId, owner: "prc_1", fence: 1 },
    ],
  }),
  caseOf(lanes.releaseLanes, { processId: "prc_0", lanes: [{ id: gatewayId, fence: 1 }] }),
  caseOf(lanes.requestLane, { id: gatewayId, processId: "prc_1" }),
  caseOf(lanes.withdrawRequest, { id: gatewayId, processId: "prc_1" }),
  caseOf(lanes.deleteProcesses, ["prc_0", "prc_1"]),
  caseOf(lanes.pauseLane, {
    id: gatewayId,
    fence: 1,
    at: now,
    until: now,
    reason: "",
    pauses: 1,
    eventId: "x_1",
  }),
  caseOf(lanes.resumeLane, { id: id("gw", 10), fence: 1, at: now, eventId: "x_2" }),
  caseOf(lanes.countWaiting, { priorities, now }),
  caseOf(tokens.findManagementToken, "hash0"),
  caseOf(tokens.listManagementTokens, { before: null, limit }, { before: "tok_~", limit }),
  caseOf(tokens.insertManagementToken, token),
  caseOf(tokens.saveManagementToken, token),
  caseOf(
    tokens.noteTokenUse,
    { id: id("tok", 0), at: now, noted: null },
    { id: id("tok", 0), at: now, noted: now - 1 },
  ),
  caseOf(tokens.revokeManagementToken, { id: id("tok", 0), at: now }),
  caseOf(people.findUserByEmail, "u0@example.com"),
  caseOf(people.findUser, id("usr", 0)),
  caseOf(
    people.listUsers,
    { accountId: null, search: null, before: null, limit },
    { accountId, search: "ad", before: "usr_~", limit },
  ),
  caseOf(people.hasOperator, null),
  caseOf(people.insertUser, user),
  caseOf(people.changeUser, { id: id("usr", 0), revision: 1, change: { password: "q" }, at: now }),
  caseOf(userLinks.storeUserSetupLink, {
    user_id: id("usr", 0),
    hash: "new",
    created_at: now,
    expires_at: now + 1,
  }),
  caseOf(userLinks.findUserOfSetupLink, { hash: "link0", now }),
  caseOf(userLinks.consumeUserSetupLink, { userId: id("usr", 0), hash: "link0", password: "q", at: now }),
  caseOf(people.startSession, { session, password: "p", replaces: "hash0", idleSince: 1 }),
  caseOf(people.findSession, { hash: "hash0", now, idleSince: 1 }),
  caseOf(people.touchSession, { hash: "hash0", at: now + 1 }),
  caseOf(people.endSession, "hash0"),
  caseOf(people.storeSetupCode, { hash: "new", created_at: now, expires_at: now + 1 }),
  caseOf(people.findSetupCode, { hashes: ["hash0", "hash1"], now }),
  caseOf(
    people.consumeSetupCode,
    { hash: "hash0", user, recovers: false, at: now },
    { hash: "hash0", user: { ...user, email: "u0@example.com" }, recovers: true, at: now },
    { hash: "hash0", user: { ...user, email: "u0@example.com" }, recovers: false, at: now },
  ),
  caseOf(installation.readDatabaseSize, null),
  caseOf(installation.listProcesses, null),
  caseOf(installation.countHeldByAccount, null),
  caseOf(provisioned.readProvisionMarks, null),
  caseOf(provisioned.storeProvisionMark, { kind: "account", name: "n", hash: "h" }),
  caseOf(provisioned.saveProvisioned, [
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
  caseOf(provisioned.getOrSetFact, { name: "n", value: "v" }),
  caseOf(probeRead, null),
  caseOf(probeWrite, now),
  caseOf(findAccountGateway, { accountId, identifier: "gateway-0" }),
  caseOf(domains.readSendingDomains, { accountId, id: null }, { accountId, id: id("dom", 0) }),
  caseOf(domains.findSendingDomain, { accountId, domain: "d0.test" }),
  caseOf(domains.findSigningKeys, { accountId, domains: ["x.d0.test", "d0.test"] }),
  caseOf(domains.createSendingDomain, { domain, keys: [{ ...dkim, domain_id: domain.id }] }),
  caseOf(domains.addPendingKeys, {
    ...ofDomain,
    keys: [{ ...dkim, state: "pending" }],
    replace: true,
    deleteRetiredBefore: 1,
  }),
  caseOf(domains.activateKeys, { ...ofDomain, ids: null }),
  caseOf(domains.putActiveKeys, { ...ofDomain, keys: [dkim] }),
  caseOf(refreshStatistics, { after: null }, { after: "receipts ~" }),
  caseOf(domains.removeSendingDomain, { accountId, domainId: id("dom", 0) }),
  caseOf(webhooks.findEndpoint, endpointId),
  caseOf(webhooks.findAccountEndpoint, { accountId, id: endpointId }),
  caseOf(webhooks.findEndpointByUrl, { accountId, urlHash: "hash0" }),
  caseOf(webhooks.listEndpoints, accountId),
  caseOf(webhooks.hasActiveEndpoints, null),
  caseOf(webhooks.findInactiveWithDeliveries, null),
  caseOf(webhooks.createEndpoint, { endpoint: endpointOf(accountId), maxEndpoints: 5 }),
  caseOf(webhooks.changeEndpoint, {
    accountId,
    id: endpointId,
    revision: 1,
    at: now,
    change: { url: { sealed: "sealed anew", hash: "hash anew" }, active: false },
  }),
  caseOf(webhooks.removeEndpoint, { accountId: accountOf(10), id: id("whe", 10), limit }),
];
