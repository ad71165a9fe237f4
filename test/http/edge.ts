// The HTTP edge on a core that lives in memory: what a test scripts, and what the edge asked for.

import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { EmailSend } from "#contract/messages/email.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import type { SmsSend } from "#contract/messages/sms.ts";
import { defaultCallbackBytes } from "#gateways/callback.ts";
import { buildApp, type HttpTimeouts } from "#http/app.ts";
import type { HttpCore } from "#http/call.ts";
import type { HttpSettings } from "#http/settings.ts";
import { createPasswordHasher } from "#identity/password.ts";
import type { AcceptResult, SendRequest } from "#messaging/accept/accept.ts";
import type { Acceptance } from "#messaging/accept/acceptance.ts";
import { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { Phones } from "#phones/phones.ts";
import { createIds } from "#runtime/ids.ts";
import { createMetrics } from "#runtime/metrics.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import type { HttpServer } from "#runtime/net/http-server.ts";
import type { Database } from "#store/database.ts";
import type { AttachmentChunk, UploadedFile } from "#store/email/attachments.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { createSealer } from "#store/seal.ts";
import { inject } from "../inject.ts";
import { type MemoryLog, memoryLog } from "../log.ts";
import { testPasswordCost } from "../password-cost.ts";

export const key = "tl_0123456789abcdef0123456789abcdef";
export const otherKey = "tl_fedcba9876543210fedcba9876543210";
export const expiredKey = "tl_expired00000000000000000000000000";

export const account: Account = {
  id: "acc_1",
  name: "acme",
  timeZone: "Europe/Berlin",
  country: "DE",
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 10, maxBytes: 10_485_760 },
  gateways: [],
};

const createdAt = Date.parse("2026-03-01T09:30:00.000Z");

export const record: MessageRecord = {
  id: "msg_01k3j5m8q2x9v7n4c6b0d1f3gh",
  request_id: "req_1",
  channel: "sms",
  number: "0151 23456789",
  recipient: "+4915123456789",
  status: "queued",
  test: false,
  gateway_identifier: "sms-main",
  message: "Hello",
  schedule_at: null,
  scheduled_for: null,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
  next_attempt_at: null,
  // The scripted store has no gateways.
  waiting_for: { reason: "gateway_missing", until: null, since: null, by: null, detail: null },
  sent_at: null,
  delivered_at: null,
  read_at: null,
  attempts: 0,
  provider_reference: null,
  reference: null,
  metadata: null,
  error: null,
  segments: 1,
  encoding: "gsm7",
};

/** What the store has of the record. */
export const row: MessageRow = {
  id: record.id,
  account_id: "acc_1",
  request_id: "req_1",
  channel: "sms",
  gateway_id: "gw_1",
  identifier: "sms-main",
  gateway_pinned: 0,
  recipient_raw: "0151 23456789",
  recipient: "+4915123456789",
  content: "text",
  body: "Hello",
  test: 0,
  status: "queued",
  priority: 0,
  due_at: null,
  fence: 0,
  version: 0,
  attempts: 0,
  resends: 0,
  first_deferred_at: null,
  schedule_at: null,
  scheduled_for: null,
  created_at: createdAt,
  updated_at: createdAt,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  provider_reference: null,
  reference: null,
  metadata: null,
  error_code: null,
  error_message: null,
  encoding: "gsm7",
  segments: 1,
  cost: 1,
  refunded: 0,
  spread_id: null,
  held_due_at: null,
};

export const settings: HttpSettings = {
  publicUrl: "https://sms.example.test",
  maxContacts: 10_000,
  maxBodyBytes: 1024 * 1024,
  maxUploadBytes: 4 * 1024 * 1024,
  maxKeylessBodyBytes: 2 * 1024 * 1024,
  maxBodiesBytes: 128 * 1024 * 1024,
  maxConnections: 10_000,
  linkedDevices: { inAll: 20, ofAccount: 5 },
  trustedProxies: [],
  metricsToken: null,
  outboundAllow: [],
  logRequests: false,
  logSuccessEvery: 1,
  retention: { messagesMs: null, webhooksMs: 1, auditMs: null, usageMs: 1, deferredMs: 1 },
  dashboardFolder: null,
};

export interface Edge {
  app: HttpServer;
  core: HttpCore;
  clock: MovableClock;
  log: MemoryLog;
  /** Every SMS send that reached acceptance. */
  accepted: { account: Account; requestId: string; send: SmsSend }[];
  /** Every email send that reached acceptance. */
  mails: { send: EmailSend; files: readonly UploadedFile[] }[];
  /** The base64 of the files that are in the store, by their ids. */
  staged: Map<string, string>;
  /** Every key that was looked up. */
  keys: string[];
}

/** What the storage answers, by the name of the operation. */
export type Operations = Record<string, (input: never) => unknown>;

/** A store of files, and of what a test scripts. Any other operation is a failure of the test. */
function scriptedStore(staged: Edge["staged"], operations: Operations): Database {
  const run = async ({ name }: { name: string }, input: unknown): Promise<unknown> => {
    const scripted = operations[name];
    if (scripted !== undefined) return scripted(input as never);
    if (name === "storeChunk") {
      const { id, content } = input as AttachmentChunk;
      staged.set(id, (staged.get(id) ?? "") + content);
      return undefined;
    }
    if (name === "readCredits") return credits;
    assert.equal(name, "deleteUnboundFile");
    staged.delete((input as { id: string }).id);
    return true;
  };
  return {
    engine: "sqlite",
    run: run as Database["run"],
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
}

/** The credit of any account. */
const credits = [{ channel: "sms", allowance: 1_000, remaining: 999, renews: null, renewed_at: 0 }];

export interface EdgeOptions {
  ai?: HttpCore["ai"];
  acceptance?: Partial<Acceptance>;
  authenticate?: HttpCore["authenticator"]["authenticate"];
  operations?: Operations;
  core?: Partial<HttpCore>;
  settings?: Partial<HttpSettings>;
  timeouts?: Partial<HttpTimeouts>;
}

/** The issues of a send as the real acceptance adds them: here the account finds letters in a number. */
function issuesOf({ channel, send }: Pick<SendRequest, "channel" | "send">): Issue[] {
  const issues = [...send.issues];
  if (channel !== "sms") return issues;
  for (const [at, contact] of (send as SmsSend).contacts.entries()) {
    if (!/[a-z]/i.test(contact.number ?? "")) continue;
    const message = `The contact.${at}.number field must be a valid phone number.`;
    issues.push({ path: ["contact", at, "number"], message });
  }
  return issues;
}

function acceptance(request: SendRequest): AcceptResult {
  const issues = issuesOf(request);
  if (issues.length > 0) return { kind: "invalid", issues };
  const { requestId, send, upload } = request;
  upload?.commit();
  return {
    kind: "accepted",
    requestId,
    ids: send.contacts.map((_, at) => `msg_${at}`),
    statuses: send.contacts.map((contact) => (contact.schedule_at === null ? "queued" : "scheduled")),
  };
}

/** Where no test of the AI endpoints has put its own: there is no key. */
export const noAi: HttpCore["ai"] = {
  authenticate: async () => null,
  accept: async () => ({ kind: "gone" }),
  openForPerson: () => {
    throw new Error("No pool is opened here.");
  },
  serve: async () => {
    throw new Error("Nothing is served here.");
  },
  countTokens: async () => 0,
  models: () => [],
  health: () => [],
  keyLevels: async () => [],
  unpricedModels: () => [],
};

/** Where no test of mail links has put its own: no token is ours. */
export const noVisits: HttpCore["openAndClickTracking"] = {
  open: () => {},
  click: () => null,
  canUnsubscribe: () => false,
  unsubscribe: async () => false,
  close: async () => {},
};

/** An app that listens nowhere yet. */
export function edge(options: EdgeOptions = {}): Edge {
  const clock = movableClock();
  const log = memoryLog();
  const accepted: Edge["accepted"] = [];
  const keys: string[] = [];
  const known = new Map<string, Account>([
    [key, account],
    [otherKey, { ...account, id: "acc_2", name: "other" }],
    [expiredKey, { ...account, id: "acc_3", plan: { name: "old", expiresAt: clock.now() } }],
  ]);
  const mails: Edge["mails"] = [];
  const staged: Edge["staged"] = new Map();
  let drawn = 0;
  const random = {
    bytes: (count: number) => Uint8Array.from({ length: count }, () => drawn++ % 256),
    random: () => 0.5,
  };
  const newId = createIds(clock, random);
  const database = scriptedStore(staged, { readStandings: () => [], ...options.operations });
  const unused = async (): Promise<never> => assert.fail("not part of this test");
  const basis = {
    clock,
    random,
    log,
    database,
    newId,
    newIds: newId.many,
    sealer: createSealer("a master key that is only used in tests", random),
    metrics: { ...createMetrics(async () => []), text: async () => "up 1\n" },
    crashPoint: () => {},
  };
  const core: HttpCore = {
    ...basis,
    accountChanges: { watch: () => null, close: () => {} },
    provisioning: { apply: unused, compare: unused, export: unused },
    processId: "prc_1",
    startedAt: clock.now(),
    heartbeatsSeen: () => new Map(),
    phones: new Phones({ ...basis, publicUrl: null, sweepMs: 30_000 }),
    outbound: { request: unused, dial: unused, rejectReason: () => null, close: async () => {} },
    upstreams: { open: unused, close: async () => {} },
    dns: { txt: unused, addresses: unused, mx: unused },
    authenticator: {
      authenticate: async (apiKey) => {
        keys.push(apiKey);
        return known.get(apiKey) ?? null;
      },
      invalidate: () => {},
      ...(options.authenticate === undefined ? {} : { authenticate: options.authenticate }),
    },
    acceptance: {
      issuesOf: async (request) => issuesOf(request),
      async send(request) {
        const { account: caller, requestId, channel, send, upload } = request;
        if (channel === "sms") accepted.push({ account: caller, requestId, send: send as SmsSend });
        else mails.push({ send: send as EmailSend, files: upload?.files() ?? [] });
        return acceptance(request);
      },
      preview: async ({ send }) => ({ messages: send.contacts.map(() => null), issues: send.issues }),
      openUpload: (owner) => new AttachmentUpload({ database, clock, log, newId }, owner),
      withFetched: () => assert.fail("not part of this test"),
      ...options.acceptance,
    },
    callbacks: { maxBytes: async () => defaultCallbackBytes, receive: async () => ({ kind: "not_found" }) },
    openAndClickTracking: noVisits,
    passwords: createPasswordHasher(random, testPasswordCost),
    readiness: async () => ({ ready: true, checks: { database: "ok" } }),
    ai: options.ai ?? noAi,
    showApiKeys: true,
    ...options.core,
  };
  const app = buildApp(core, { ...settings, ...options.settings }, options.timeouts);
  return { app, core, clock, log, accepted, mails, staged, keys };
}

export interface Sent {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body; undefined when it is no JSON. */
  json: unknown;
}

export interface Asked {
  method?: string;
  url?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** One request, without a socket. */
export async function ask(
  { app }: Edge,
  { method = "POST", url = "/api/sms/send", headers, body }: Asked,
): Promise<Sent> {
  const response = await inject(app, {
    // The types know seven methods; the server has to cope with any.
    method: method as "GET",
    url,
    headers: headers ?? {},
    ...(body === undefined ? {} : { payload: body }),
  });
  const text = response.body;
  const isJson = String(response.headers["content-type"]).startsWith("application/json");
  return {
    status: response.statusCode,
    headers: response.headers as IncomingHttpHeaders,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

/** A send of a JSON body with the right key. */
export function send(to: Edge, body: unknown, headers: Record<string, string> = {}): Promise<Sent> {
  return ask(to, {
    headers: { "api-key": key, "content-type": "application/json", ...headers },
    body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
}

export const contact = { number: "+4915123456789", message: "Hello" };

/** A core whose metrics are this text. */
export function metricsOf(text: () => Promise<string>): Pick<HttpCore, "metrics"> {
  return { metrics: { ...createMetrics(async () => []), text } };
}
