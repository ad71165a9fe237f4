// One of everything, and a request for every route that there is: what tests of all routes are made from. A route
// that is added is in them by itself, and fails there until its ids and its body are known here.

import assert from "node:assert/strict";
import type { Head } from "#http/call.ts";
import { endpoints } from "#http/endpoints.ts";
import { docsEndpoints } from "#http/routes/public/docs.ts";
import { mailLinkEndpoints } from "#http/routes/public/mail-links.ts";
import { recordUsage } from "#store/pools/usage.ts";
import type { Harness } from "../harness.ts";
import { type InjectOptions, inject } from "../inject.ts";
import { providerSettings } from "../scenarios/provider.ts";
import { callRow } from "../store/pool-rows.ts";
import { bearer, manage, signedIn, tokenFor, userFor } from "./managing.ts";

export type Params = Record<string, string>;

/** Whom the tests of a route are about: two accounts, each with one of everything. */
export interface Holder {
  id: string;
  key: string;
  gateway: string;
  /** Of a kind that links a device; it is switched off. */
  linkedGateway: string;
  message: string;
  /** The request of that message. */
  request: string;
  /** An email with HTML. */
  mail: string;
  webhook: string;
  event: string;
  recipient: string;
  pool: string;
  member: string;
  poolKey: string;
  namedKey: string;
  /** A call of the pool that has ended. */
  call: string;
  /** A deferred completion that is due in a month. */
  completion: string;
  domain: string;
  hook: string;
  hookName: string;
  hookKey: string;
}

/** A body that a route takes, by the route's name: with a faulty one it would say so before it looks for the row. */
export const bodies: Record<string, object> = {
  updateGateway: { active: true },
  // Its answer comes at once: the clock of these tests does not advance while a request is under way.
  testGateway: { to: "+15550000001", wait_ms: 0 },
  registerGateway: { pin: "123456" },
  sendAccountMessages: { channel: "sms", contact: [{ number: "+15550000001", message: "Hi" }] },
  rescheduleAccountMessage: { schedule_at: "2030-01-01 09:00:00" },
  rescheduleAccountRequest: { schedule_at: "2030-01-01 09:00:00" },
  previewAccountMessages: { channel: "sms", contact: [{ number: "+15550000001", message: "Hi" }] },
  changeAccountMessages: { action: "cancel", ids: [`msg_${"0".repeat(26)}`] },
  resolveAccountMessage: { answer: "mark_failed" },
  createNamedKey: { name: "another", scopes: ["read"] },
  updateNamedKey: { requests_per_minute: 5 },
  updateHook: { per_minute: 5 },
  previewHook: { channel: "sms", to: ["+15550000001"], preset: "alertmanager" },
  updateWebhook: { active: true },
  replayFailedDeliveries: { since: "2025-12-31T00:00:00Z" },
  updatePool: { strict_models: true },
  checkPoolMember: { kind: "sandbox" },
  tryPool: { messages: [{ role: "user", content: "Hi" }], max_tokens: 1 },
  createPoolMember: { name: "another", kind: "sandbox", models: ["echo"] },
  updatePoolMember: { weight: 2 },
  createPoolKey: { name: "another" },
  linkGateway: { method: "qr" },
  updatePoolKey: { limits: { concurrency: 2 } },
};

export const none = "0".repeat(26);
/** For each set of ids that a path names behind its account: ids of a holder, and ids of the same shape that do not exist. */
export const ids: Record<string, { of(holder: Holder): Params; missing: Params }> = {
  gateway: { of: ({ gateway }) => ({ gateway }), missing: { gateway: "no-such-gateway" } },
  "gateway link": {
    of: ({ linkedGateway }) => ({ gateway: linkedGateway }),
    missing: { gateway: "no-such-gateway" },
  },
  message: { of: ({ message }) => ({ message }), missing: { message: `msg_${none}` } },
  request: { of: ({ request }) => ({ request }), missing: { request: `req_${none}` } },
  "message html": { of: ({ mail }) => ({ message: mail }), missing: { message: `msg_${none}` } },
  "message text": { of: ({ mail }) => ({ message: mail }), missing: { message: `msg_${none}` } },
  key: { of: ({ namedKey }) => ({ key: namedKey }), missing: { key: `apk_${none}` } },
  webhook: { of: ({ webhook }) => ({ webhook }), missing: { webhook: `wh_${none}` } },
  "webhook event": {
    of: ({ webhook, event }) => ({ webhook, event }),
    missing: { webhook: `wh_${none}`, event: `evt_${none}` },
  },
  hook: { of: ({ hook }) => ({ hook }), missing: { hook: `hook_${none}` } },
  name: { of: ({ hookName }) => ({ name: hookName }), missing: { name: "none" } },
  pool: { of: ({ pool }) => ({ pool }), missing: { pool: `pool_${none}` } },
  "pool member": {
    of: ({ pool, member }) => ({ pool, member }),
    missing: { pool: `pool_${none}`, member: `mem_${none}` },
  },
  "pool key": {
    of: ({ pool, poolKey }) => ({ pool, key: poolKey }),
    missing: { pool: `pool_${none}`, key: `key_${none}` },
  },
  "pool call": {
    of: ({ pool, call }) => ({ pool, call }),
    missing: { pool: `pool_${none}`, call: `req_${none}` },
  },
  "pool completion": {
    of: ({ pool, completion }) => ({ pool, completion }),
    missing: { pool: `pool_${none}`, completion: `cmp_${none}` },
  },
  domain: { of: ({ domain }) => ({ domain }), missing: { domain: `dom_${none}` } },
  "channel recipient": {
    of: ({ recipient }) => ({ channel: "sms", recipient }),
    missing: { channel: "sms", recipient: "+4915199999999" },
  },
};

export async function holder(it: Harness, name: string): Promise<Holder> {
  const account = await it.account({ name });
  const operator = bearer(await tokenFor(it));
  const post = async (path: string, body?: object) => {
    const reply = await manage(it, "POST", `/accounts/${account.id}${path}`, { headers: operator, body });
    assert.ok([200, 201].includes(reply.statusCode), `${path}: ${reply.body}`);
    return reply.json().data;
  };
  // Gateways go by their public name, which is unique in the installation.
  const gateway = `gateway-of-${name}`;
  await it.gateway({ identifier: gateway, default: true });
  const linkedGateway = `linked-of-${name}`;
  const settings = { accept_risk: true };
  const linked = { channel: "whatsapp", kind: "whatsapp-linked", settings, active: false } as const;
  await it.gateway({ identifier: linkedGateway, ...linked });
  const [message] = await it.accepted([{ number: "+15550000001", message: "Hi" }]);
  const request = (await it.message(message!)).request_id;
  await it.gateway({ identifier: `mail-of-${name}`, channel: "email", default: true });
  const mail = await post("/messages", {
    channel: "email",
    contact: [{ email: "ada@example.com", subject: "Hi", message: "<p>Hi</p>" }],
  });
  const webhook = (await post("/webhooks", { url: `https://${name}.example.com/hook`, events: ["*"] })).id;
  const event = (await post(`/webhooks/${webhook}/test`)).id;
  const recipient = name === "ours" ? "+4915112345678" : "+4915187654321";
  await post("/suppressions", { channel: "sms", recipients: [recipient] });
  const hookName = `hook-of-${name}`;
  const to = ["+15550000001"];
  const hook = await post("/hooks", { name: hookName, channel: "sms", to, message: "{{title}}" });
  const pool = (await post("/pools", { name: "default" })).id;
  const member = await post(`/pools/${pool}/members`, {
    name: "one",
    kind: "sandbox",
    models: ["echo"],
    embedding_models: ["echo"],
  });
  const { id: namedKey } = await post("/api-keys", { name: "app", scopes: ["read"] });
  const { id: poolKey, key: poolToken } = await post(`/pools/${pool}/keys`, { name: "app" });
  const deferred = await inject(it.system.app, {
    method: "POST",
    url: "/api/ai/v1/chat/completions",
    headers: {
      ...bearer(poolToken),
      "x-trunkline-deliver": "webhook",
      "x-trunkline-schedule-at": "2026-02-01 00:00:00",
    },
    payload: { messages: [{ role: "user", content: "Hi" }] },
  });
  assert.equal(deferred.statusCode, 202, deferred.body);
  const call = callRow(
    { accountId: account.id, poolId: pool, keyId: poolKey, memberId: member.id },
    { id: it.system.core.newId("req") },
  );
  await it.system.database.run(recordUsage, [call]);
  const domain = (await post("/sending-domains", { domain: `${name}.example.com` })).id;
  return {
    ...account,
    gateway,
    linkedGateway,
    message: message!,
    request,
    mail: mail.contact[0].id,
    webhook,
    event,
    recipient,
    pool,
    member: member.id,
    poolKey,
    namedKey,
    call: call.id,
    completion: deferred.json().id,
    domain,
    hook: hook.id,
    hookName,
    hookKey: hook.key,
  };
}

/** What a path names behind its account, or in all where it has none. */
export function namesIn({ path }: Head): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => name !== "account");
}

/** What the path of a route names behind its account. */
export function idsOf(head: Head): (typeof ids)[string] | undefined {
  const part = /\{gateway\}\/(link)(?:\/|$)/.exec(head.path) ?? /\{message\}\/(html|text)$/.exec(head.path);
  return ids[[...namesIn(head), ...(part === null ? [] : [part[1]!])].join(" ")];
}

/** Every route that there is, with those that no document describes. */
export const everyRoute: readonly Head[] = [...endpoints, ...docsEndpoints, ...mailLinkEndpoints].map(
  ({ head }) => head,
);

const contact = { number: "+15550000001", message: "Hi" };
const newUser = { email: "new@acme.test", name: "New", password: "a long enough password" };

/** The bodies of operations that are there at `v1beta` and `v1`. */
function bothVersions(bodies: Record<string, object>): Record<string, object> {
  const entries = Object.entries(bodies);
  return Object.fromEntries([...entries, ...entries.map(([name, body]) => [`${name}InStable`, body])]);
}

/** Bodies that the other routes take. */
const moreBodies: Record<string, object> = {
  ...bodies,
  sendSms: { contact: [contact] },
  sendWhatsapp: { contact: [{ ...contact, media: "image", url: "https://cdn.example.com/a.jpg" }] },
  sendWhatsappList: {
    contact: [{ ...contact, button: "Choose", sections: [{ rows: [{ id: "a", title: "A" }] }] }],
  },
  sendEmail: { contact: [{ email: "delivered@example.com", subject: "Hi", message: "Hello" }] },
  resolveMessage: { answer: "mark_failed" },
  rescheduleMessage: { schedule_at: null },
  createChatCompletion: { messages: [{ role: "user", content: "Hi" }] },
  createEmbedding: { input: "Hi" },
  createImage: { prompt: "A fox" },
  createSpeech: { input: "Hi", voice: "alloy" },
  createImageEdit: { prompt: "A fox", images: [{ image_url: "https://cdn.example.com/a.png" }] },
  createImageVariation: { model: "dall-e-2" },
  createTranscription: { model: "whisper-1" },
  createTranslation: { model: "whisper-1" },
  createModeration: { input: "Hi" },
  createRanking: { query: "fox", documents: ["a", "b"] },
  createMessage: { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  createResponse: { input: "Hi" },
  createCompletion: { prompt: "Hi" },
  createCompaction: { input: "Hi" },
  countResponseTokens: { input: "Hi" },
  countMessageTokens: { messages: [{ role: "user", content: "Hi" }] },
  ...bothVersions({
    createContent: { contents: [{ parts: [{ text: "Hi" }] }] },
    // A stream needs a real connection: no member has what this one names.
    createContentStream: { contents: [{ parts: [{ text: "Hi" }] }], cachedContent: "cachedContents/1" },
    countContentTokens: { contents: [{ parts: [{ text: "Hi" }] }] },
    createContentEmbedding: { content: { parts: [{ text: "Hi" }] } },
    createContentEmbeddings: { requests: [{ content: { parts: [{ text: "Hi" }] } }] },
  }),
  signIn: { email: "ghost@acme.test", password: "a long enough password" },
  changePassword: { current_password: "wrong", password: "a long enough password" },
  setUp: { code: "tls_0", ...newUser },
  setProvisioningFile: { file: {} },
  createSetupCode: {},
  checkSetupLink: { code: "tlu_0" },
  setUpUser: { code: "tlu_0", password: "a long enough password" },
  createUser: { ...newUser, role: "operator" },
  updateUser: { name: "Renamed" },
  createManagementToken: { name: "another", role: "operator" },
  createAccount: { name: "another" },
  updateAccount: { channel_failover: true },
  revealApiKey: { password: "wrong" },
  grantCredit: { channel: "sms", amount: 1 },
  createGateway: { identifier: "another", channel: "sms", kind: "sandbox" },
  createSendingDomain: { domain: "another.example.com" },
  rotateSendingDomainKeys: {},
  releaseSuppressions: {
    channel: "sms",
    reason: "manual",
    from: "2026-01-01T00:00:00Z",
    to: "2026-01-02T00:00:00Z",
  },
  createSuppressions: { channel: "sms", recipients: ["+4915100000000"] },
  rotateApiKey: {},
  rotateNamedKey: {},
  rotatePoolKey: {},
  createHook: { name: "another", channel: "sms", to: ["+15550000001"], message: "{{title}}" },
  receiveHook: { title: "Hi" },
  createWebhook: { url: "https://another.example.com/hook", events: ["*"] },
  createPool: { name: "another" },
};

/** Who asks: a session, where a route takes no token, or a token. */
export interface Asking {
  holder: Holder;
  /** Of a pool of the holder's. */
  poolToken: string;
  /** Headers of an operator's token. */
  operator: Record<string, string>;
  /** Headers of an operator's session. */
  session: Record<string, string>;
  /** Ids that stand in paths beside the holder's own. */
  others: Params;
}

const forPeople = ["signOut", "changePassword", "revealApiKey"];

/** What the path of a route names, for a request that finds everything. */
export function paramsOf(head: Head, { holder, others }: Asking): Params {
  const known = idsOf(head);
  return {
    channel: "sms",
    id: holder.message,
    identifier: holder.gateway,
    model: "default",
    account: holder.id,
    ...others,
    ...known?.of(holder),
  };
}

/** A path with its parameters filled in; `raw` ones are put in as they are. */
export function pathOf(head: Head, params: Params, raw: Params = {}): string {
  return head.path.replaceAll(
    /\{(\w+)\}/g,
    (_all, name: string) => raw[name] ?? encodeURIComponent(params[name] ?? none),
  );
}

let clients = 0;
/** A request that the route takes, from a client of its own, so that no limit is reached. */
export function requestFor(head: Head, asking: Asking, url = pathOf(head, paramsOf(head, asking))) {
  clients += 1;
  const { holder, poolToken, operator, session } = asking;
  const family = {
    api_key: { "api-key": holder.key },
    pool: bearer(poolToken),
    open: head.name === "receiveHook" ? bearer(holder.hookKey) : {},
    manage: forPeople.includes(head.name) ? session : head.scope === "anonymous" ? {} : operator,
  }[head.family];
  const body = moreBodies[head.name];
  if (head.body !== undefined) assert.ok(body, `Say in \`moreBodies\` of this file what ${head.name} takes.`);
  return {
    method: head.method,
    url,
    remoteAddress: `198.${51 + (clients >> 16)}.${(clients >> 8) & 255}.${clients & 255}`,
    headers: { ...family, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  } satisfies InjectOptions;
}

/** Everything that requests need to find what they ask for. */
export async function asking(it: Harness): Promise<Asking> {
  const mine = await holder(it, "ours");
  const operator = bearer(await tokenFor(it));
  const made = async (path: string, body: object) => {
    const reply = await manage(it, "POST", path, { headers: operator, body });
    assert.equal(reply.statusCode, 201, reply.body);
    return reply.json().data;
  };
  const pool = await made(`/accounts/${mine.id}/pools/${mine.pool}/keys`, { name: "of every route" });
  await it.gateway({
    identifier: "taking-of-ours",
    kind: "http-api",
    settings: providerSettings,
  });
  await userFor(it, "operator@acme.test");
  const { headers: session } = await signedIn(it, "operator@acme.test");
  const user = await userFor(it, "other@acme.test");
  const { id: managementToken } = await made("/tokens", { name: "to be revoked", role: "operator" });
  return {
    holder: mine,
    poolToken: pool.key,
    operator,
    session,
    others: { user, token: managementToken },
  };
}
