// Scopes of management tokens: which one each operation needs, that no other one opens it, and that no token makes
// one that may more than itself.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type TokenScope, tokenScopes } from "#contract/manage/keys/token-scopes.ts";
import { scopeOf } from "#http/auth/token-scopes.ts";
import type { Head } from "#http/call.ts";
import { endpoints } from "#http/endpoints.ts";
import { type Harness, harness } from "../../harness.ts";
import { inject } from "../../inject.ts";
import { type Asking, asking, requestFor } from "../every-route.ts";
import { bearer, manage, tokenFor } from "../managing.ts";

/** Operations by the scope that they need. An operation that is added is a decision, which is written down here. */
const operations: Record<TokenScope, readonly string[]> = {
  "accounts:read": [
    ...["findRecords", "listAccounts", "getAccount", "getCredit", "listCreditEntries"],
    ...["watchAccount", "getOverview"],
  ],
  "accounts:write": ["createAccount", "updateAccount", "grantCredit"],
  "keys:read": ["listNamedKeys", "getNamedKey"],
  "keys:write": [
    ...["rotateApiKey", "revealApiKey", "createNamedKey", "updateNamedKey", "revokeNamedKey"],
    "rotateNamedKey",
  ],
  "messages:read": [
    ...["getMessageHtml", "getMessageText", "listMessageDeliveries", "getMessageStatistics"],
    ...["listAccountMessages", "getAccountMessage", "getAccountRequest", "listAccountReceivedMessages"],
  ],
  "messages:send": ["sendAccountMessages", "previewAccountMessages"],
  "messages:write": [
    ...["changeAccountMessages", "cancelAccountMessage", "rescheduleAccountMessage", "resolveAccountMessage"],
    ...["cancelAccountRequest", "rescheduleAccountRequest"],
  ],
  "gateways:read": [
    ...["listGatewayPauses", "listGatewayKinds", "listGateways", "getGateway", "getGatewayLink"],
    ...["watchGatewayLink", "checkGateway"],
  ],
  "gateways:write": [
    ...["createGateway", "updateGateway", "testGateway", "pauseGateway", "resumeGateway", "deleteGateway"],
    ...["setDefaultGateway", "linkGateway", "resumeGatewayLink", "unlinkGateway", "registerGateway"],
  ],
  "domains:read": ["listSendingDomains", "getSendingDomain"],
  "domains:write": [
    ...["createSendingDomain", "deleteSendingDomain", "checkSendingDomain", "rotateSendingDomainKeys"],
    "activateSendingDomainKeys",
  ],
  "suppressions:read": ["listSuppressions"],
  "suppressions:write": ["createSuppressions", "deleteSuppression", "releaseSuppressions"],
  "hooks:read": ["listHooks", "getHook"],
  "hooks:write": ["createHook", "updateHook", "deleteHook", "rotateHookKey", "previewHook"],
  "webhooks:read": [
    ...["listEventTypes", "listWebhooks", "getWebhook", "getWebhookStatistics", "listDeliveries"],
    ...["getDelivery", "countFailedDeliveries", "getWebhookRetries"],
  ],
  "webhooks:write": [
    ...["createWebhook", "updateWebhook", "deleteWebhook", "rotateWebhookSecret", "testWebhook"],
    ...["replayDelivery", "replayFailedDeliveries", "retryDeliveries"],
  ],
  "pools:read": [
    ...["listProviderKinds", "listPools", "getPool", "getPoolHealth", "getAiUsage", "getPoolStatistics"],
    ...["getPoolUsage", "listPoolCalls", "getPoolCall", "listPoolMembers", "getPoolMember", "listPoolKeys"],
    ...["getPoolKey", "listPoolDeferred"],
  ],
  "pools:write": [
    ...["createPool", "updatePool", "deletePool", "tryPool", "checkPoolMember", "createPoolMember"],
    ...[
      "updatePoolMember",
      "deletePoolMember",
      "createPoolKey",
      "updatePoolKey",
      "revokePoolKey",
      "rotatePoolKey",
    ],
    "cancelPoolDeferred",
  ],
  "prompts:read": ["getPoolCallContent"],
  "audit:read": ["listAuditEntries", "listAccountAuditEntries"],
  "installation:read": ["getInstallation", "getInstallationDetails", "getProvisioningFile"],
  "installation:write": ["releaseHeldMessages", "cancelHeldMessages", "setProvisioningFile"],
  "users:read": ["listUsers", "listManagementTokens"],
  "users:write": [
    ...["createSetupCode", "createUser", "updateUser", "createSetupLink", "createManagementToken"],
    "revokeManagementToken",
  ],
};

/** About the caller alone, and for sessions but for the first. */
const withoutScope = ["getSession", "signOut", "changePassword"];

/** No token with scopes may call these, even with all scopes. */
const aboutPeople = ["createSetupCode", "createUser", "updateUser", "createSetupLink"];

/** For the command line alone. */
const ofTheMachine = ["setProvisioningFile", "getProvisioningFile"];

const managed = endpoints.map(({ head }) => head).filter(({ family }) => family === "manage");
const guarded = managed.filter(({ scope }) => scope !== "anonymous");
const needing = guarded.flatMap((head) => {
  const scope = scopeOf(head);
  return scope === null ? [] : [{ head, scope }];
});

let it: Harness;
let caller: Asking;
before(async () => {
  it = await harness({ started: false });
  caller = await asking(it);
});
after(() => it?.close());

/** The headers of an operator's token with these scopes; with an account, a member's. */
const boundTo = async (scopes: readonly TokenScope[] | null, accountId: string | null = null) =>
  bearer(await tokenFor(it, accountId, scopes));

async function ask(head: Head, operator: Record<string, string>) {
  const { payload, ...request } = requestFor(head, { ...caller, operator });
  return await inject(it.system.app, {
    ...request,
    headers: { ...request.headers, ...operator },
    ...(payload === undefined ? {} : { payload }),
  });
}

const lacks = (scope: string) => ({
  success: false,
  message: `This token lacks the scope ${scope}.`,
  code: "forbidden",
});

test("every operation needs the scope that the table names, and every scope opens something", () => {
  const found = Object.fromEntries(tokenScopes.map((scope): [string, string[]] => [scope, []]));
  for (const { head, scope } of needing) found[scope]!.push(head.name);
  const sorted = (lists: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(lists).map(([scope, names]) => [scope, [...names].sort()]));
  assert.deepEqual(sorted(found), sorted(operations));
  const others = guarded.filter((head) => scopeOf(head) === null).map(({ name }) => name);
  assert.deepEqual(others.sort(), [...withoutScope].sort());
  for (const head of managed.filter(({ scope }) => scope === "anonymous"))
    assert.equal(scopeOf(head), null, head.name);
});

test("a tag without an area is an error, and no open door", () => {
  const head = {
    ...needing[0]!.head,
    name: "getGreeting",
    tag: "Greetings",
    path: "/api/manage/v1/greeting",
  };
  assert.throws(() => scopeOf(head as Head), /no scope is known for the tag Greetings/);
});

test("all scopes but those that include it: 403 with its name, before the body is read", async () => {
  const area = (scope: string) => scope.split(":")[0]!;
  const tokens = new Map<TokenScope, Record<string, string>>();
  for (const scope of tokenScopes) {
    const others = tokenScopes.filter((other) => other !== scope && other !== `${area(scope)}:write`);
    tokens.set(scope, await boundTo(others));
  }
  for (const { head, scope } of needing) {
    const headers = tokens.get(scope)!;
    const reply = await ask(head, headers);
    assert.deepEqual([reply.statusCode, reply.json()], [403, lacks(scope)], head.name);
    if (head.body === undefined) continue;
    const { payload: _body, ...request } = requestFor(head, { ...caller, operator: headers });
    const faulty = await inject(it.system.app, {
      ...request,
      headers: { ...headers, "content-type": "application/json" },
      payload: "{",
    });
    assert.deepEqual([faulty.statusCode, faulty.json()], [403, lacks(scope)], head.name);
  }
});

test("its own scope opens an operation, and so does the one to write in its area", async () => {
  const streams = (head: Head) => head.replyType === "text/event-stream";
  const callable = needing.filter(({ head }) => !streams(head) && head.name !== "revealApiKey");
  for (const { head, scope } of callable) {
    const [area] = scope.split(":");
    const write = tokenScopes.find((each) => each === `${area}:write`);
    for (const held of new Set([scope, ...(write === undefined ? [] : [write])])) {
      const reply = await ask(head, await boundTo([held]));
      const refused = [...aboutPeople, ...ofTheMachine, "createManagementToken"].includes(head.name);
      assert.equal(reply.statusCode === 403, refused, `${head.name} with ${held}: ${reply.body}`);
      if (refused) assert.doesNotMatch(reply.json().message, /lacks/);
    }
  }
});

test("a token sees what it is with any scopes", async () => {
  const reply = await manage(it, "GET", "/session", { headers: await boundTo(["audit:read"]) });
  assert.deepEqual([reply.statusCode, reply.json().data.scopes], [200, ["audit:read"]]);
  const free = await manage(it, "GET", "/session", { headers: await boundTo(null) });
  assert.equal(free.json().data.scopes, null);
});

test("another's account stays the 404 of one that does not exist, also without the scope", async () => {
  const other = await it.account({ name: "not ours" });
  const headers = await boundTo(["gateways:read"], caller.holder.id);
  const ofMember = (path: string) => manage(it, "GET", path, { headers });
  assert.equal((await ofMember(`/accounts/${caller.holder.id}/gateways`)).statusCode, 200);
  const own = await ofMember(`/accounts/${caller.holder.id}/pools`);
  assert.deepEqual([own.statusCode, own.json()], [403, lacks("pools:read")]);
  for (const account of [other.id, `acc_${"0".repeat(26)}`])
    for (const what of ["gateways", "pools"])
      assert.equal((await ofMember(`/accounts/${account}/${what}`)).statusCode, 404);
  const all = await boundTo(tokenScopes, caller.holder.id);
  const installation = await manage(it, "GET", "/users", { headers: all });
  assert.equal(installation.statusCode, 403, "scopes add nothing to a role");
});

test("a token with scopes makes tokens within its own, and none without scopes", async () => {
  const headers = await boundTo(["users:write", "gateways:write", "messages:send"]);
  let made = 0;
  const make = async (scopes: unknown) => {
    made += 1;
    const body = { name: `made ${made}`, role: "operator", ...(scopes === undefined ? {} : { scopes }) };
    return await manage(it, "POST", "/tokens", { headers, body });
  };
  for (const scopes of [["gateways:read"], ["gateways:write", "users:write"], ["messages:send"]])
    assert.deepEqual([(await make(scopes)).statusCode, scopes], [201, scopes]);
  for (const scopes of [
    undefined,
    null,
    ["messages:read"],
    ["messages:write"],
    ["gateways:read", "pools:read"],
  ]) {
    const reply = await make(scopes);
    assert.deepEqual([reply.statusCode, reply.json().code], [403, "forbidden"], JSON.stringify(scopes));
  }
  const all = await boundTo(tokenScopes);
  const free = await manage(it, "POST", "/tokens", {
    headers: all,
    body: { name: "free", role: "operator" },
  });
  assert.equal(free.statusCode, 403, "all scopes of today are not all of tomorrow");
});

test("no token with scopes creates or changes people, who have every right of their role", async () => {
  const headers = await boundTo(tokenScopes);
  for (const head of guarded.filter(({ name }) => aboutPeople.includes(name))) {
    const reply = await ask(head, headers);
    assert.equal(reply.statusCode, 403, head.name);
    assert.match(reply.json().message, /every right of their role/);
  }
});
