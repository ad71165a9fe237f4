// Accepts a send: all of it is stored in one transaction and flushed to disk before the caller gets 2xx, or nothing of
// it is stored.

import { createHash } from "node:crypto";
import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { Send, SharedDraft } from "#contract/messages/contacts.ts";
import type { Core } from "#core/core.ts";
import { messageChannels } from "#messaging/channels.ts";
import { routesAmong } from "#messaging/routes.ts";
import { priorityOf } from "#queue/priority.ts";
import { startOfMonth, startOfNextMonth } from "#runtime/time-zones.ts";
import { type Database, StorageError } from "#store/database.ts";
import {
  findStoredRequest,
  type IdempotencyKey,
  readRequestMessages,
  type StoredRequest,
} from "#store/messages/idempotency-keys.ts";
import { confirmRequest, storeSends } from "#store/messages/insert.ts";
import type { SendInput } from "#store/messages/send.ts";
import { statusCallbackContext } from "#store/webhooks/status-callbacks.ts";
import type { StatusCallback } from "#webhooks/twilio-request.ts";
import { type PreparedSend, type ReadySend, sliceSize } from "./prepare.ts";
import type { RequestFiles } from "./request-files.ts";

/** The result of a send. All but `accepted` stored nothing; after `commit_unknown` it is not known. */
export type AcceptResult =
  | { kind: "accepted"; requestId: string; ids: string[]; statuses: ("queued" | "scheduled")[] }
  /** The result of the request that was accepted under this key before; `numbers` (for emails: addresses) as its caller wrote them. */
  | {
      kind: "replayed";
      requestId: string;
      ids: string[];
      statuses: ("queued" | "scheduled")[];
      numbers: string[];
    }
  /** The key was used for another request. */
  | { kind: "mismatch" }
  /** A request with this key is still running. */
  | { kind: "in_progress" }
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "insufficient_credit"; needed: number; remaining: number }
  | { kind: "unavailable"; retryAfterMs: number }
  | { kind: "commit_unknown"; retryAfterMs: number };

export interface AcceptDeps
  extends Pick<Core, "clock" | "crashPoint" | "database" | "log" | "newIds" | "random" | "sealer"> {
  metrics: Pick<Core["metrics"], "accepted" | "refused">;
  /** The idempotency keys of requests that this process is working on. */
  inProgressKeys: Set<string>;
}

/** An `Idempotency-Key`, and the path of the endpoint that it was sent to. */
interface IdempotencyRequest {
  path: string;
  key: string;
}

/** A send to be accepted. */
export interface SendRequest<Draft extends SharedDraft = SharedDraft> {
  account: Account;
  requestId: string;
  channel: Channel;
  send: Send<Draft>;
  /** The files of the request; null if its channel accepts none. */
  upload: RequestFiles | null;
  /** Null if the caller gave no key, so every request is a new one. */
  idempotency: IdempotencyRequest | null;
  /** Where the statuses of its messages are posted too. The account has the endpoint that posts them (`configure/status-callbacks`). */
  statusCallback?: StatusCallback;
}

const retryAfterMs = 5_000;
/** How long to find out whether a broken COMMIT succeeded. */
const confirmTimeoutMs = 10_000;

/** All issues of a send whose body has some: those, and additional ones from the account. */
export async function issuesOf(
  deps: Pick<AcceptDeps, "clock" | "newIds" | "metrics">,
  request: Pick<SendRequest, "account" | "channel" | "send">,
): Promise<Issue[]> {
  const prepared = await prepareSend(deps, request, deps.clock.now());
  if (prepared.kind !== "invalid") return [];
  deps.metrics.refused(request.channel, prepared.kind);
  return prepared.issues;
}

/**
 * Accepts a send: all of it, or nothing. With an idempotency key, a repeated request gets the first one's result. The files of an accepted
 * send are committed.
 */
export async function acceptSend(deps: AcceptDeps, request: SendRequest): Promise<AcceptResult> {
  const { channel, upload, idempotency } = request;
  const result = await (idempotency === null
    ? prepareAndStore(deps, request, null)
    : acceptOnce(deps, request, idempotency));
  if (result.kind === "accepted") {
    upload?.commit();
    deps.metrics.accepted(channel, result.ids.length);
  } else if (result.kind !== "replayed") {
    deps.metrics.refused(channel, result.kind);
  }
  return result;
}

async function acceptOnce(
  deps: AcceptDeps,
  request: SendRequest,
  idempotency: IdempotencyRequest,
): Promise<AcceptResult> {
  const { account } = request;
  const name = JSON.stringify([account.id, idempotency.path, idempotency.key]);
  if (deps.inProgressKeys.has(name)) return { kind: "in_progress" };
  deps.inProgressKeys.add(name);
  try {
    const key = { ...idempotency, fingerprint: await fingerprintOf(deps, request) };
    return (await storedResponse(deps, account, key)) ?? (await prepareAndStore(deps, request, key));
  } finally {
    deps.inProgressKeys.delete(name);
  }
}

async function prepareAndStore(
  deps: AcceptDeps,
  request: SendRequest,
  key: IdempotencyKey | null,
): Promise<AcceptResult> {
  const { upload, send } = request;
  const issues = (await upload?.fetchRemote?.()) ?? [];
  if (issues.length > 0) return { kind: "invalid", issues };
  const now = deps.clock.now();
  const hasInlineImages = upload?.files().some(({ content_id }) => content_id != null) ?? false;
  const prepared = await prepareSend(deps, { ...request, send: { ...send, hasInlineImages } }, now);
  return prepared.kind === "invalid" ? prepared : await store(deps, request, now, prepared, key);
}

/** Checks a send against its account and creates its rows. Stores nothing, and a send with issues is never ready. */
export async function prepareSend(
  { clock, newIds }: Pick<AcceptDeps, "clock" | "newIds">,
  { account, channel, send }: Pick<SendRequest, "account" | "channel" | "send">,
  now: number,
): Promise<PreparedSend> {
  const yieldToEventLoop = () => clock.sleep(0);
  return await messageChannels[channel].sending.prepare(account, send, { now, newIds, yieldToEventLoop });
}

/** The result of the request that was accepted under the key before. Null for a new key. */
async function storedResponse(
  { database, clock }: AcceptDeps,
  account: Account,
  { path, key, fingerprint }: IdempotencyKey,
): Promise<AcceptResult | null> {
  try {
    const first = await database.run(findStoredRequest, {
      accountId: account.id,
      path,
      key,
      at: clock.now(),
    });
    return first && (await replay(database, account, first, fingerprint));
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault === "failed") throw error;
    return { kind: "unavailable", retryAfterMs };
  }
}

async function replay(
  database: Database,
  account: Account,
  { fingerprint: first, ...request }: StoredRequest,
  fingerprint: string,
): Promise<AcceptResult> {
  if (first !== fingerprint) return { kind: "mismatch" };
  const messages = await database.run(readRequestMessages, { accountId: account.id, request });
  return {
    kind: "replayed",
    requestId: request.request_id,
    ids: messages.map(({ id }) => id),
    statuses: messages.map(({ schedule_at }) => (schedule_at === null ? "queued" : "scheduled")),
    numbers: messages.map(({ recipient_raw }) => recipient_raw),
  };
}

/** The SHA-256 of the meaning of contacts and files, not of their bytes. */
async function fingerprintOf(
  { clock }: AcceptDeps,
  { channel, send, upload, statusCallback }: SendRequest,
): Promise<string> {
  const { fingerprint } = messageChannels[channel].sending;
  const { contacts } = send;
  const meant = upload?.meaning?.() ?? upload?.files() ?? [];
  const files = meant.map(({ filename, content_type, sha256, content_id }) => [
    filename,
    content_type,
    sha256,
    // Older fingerprints have none.
    ...(content_id == null ? [] : [content_id]),
  ]);
  const hash = createHash("sha256");
  if (files.length > 0) hash.update(JSON.stringify({ files }));
  if (statusCallback !== undefined) hash.update(JSON.stringify({ statusCallback: statusCallback.url }));
  for (let index = 0; index < contacts.length; index++) {
    if (index > 0 && index % sliceSize === 0) await clock.sleep(0);
    hash.update(JSON.stringify(fingerprint(contacts[index]!)));
  }
  return hash.digest("hex");
}

async function store(
  deps: AcceptDeps,
  { account, requestId, channel, upload, statusCallback }: SendRequest,
  now: number,
  { kind: _, ...rows }: ReadySend,
  key: IdempotencyKey | null,
): Promise<AcceptResult> {
  const { database, crashPoint } = deps;
  const { messages } = rows;
  const ids: string[] = [];
  const statuses: ("queued" | "scheduled")[] = [];
  const gatewayIds = new Set<string>();
  let cost = 0;
  for (const message of messages) {
    ids.push(message.id);
    statuses.push(message.status);
    gatewayIds.add(message.gateway_id);
    cost += message.cost;
  }
  const input: SendInput = {
    requestId,
    accountId: account.id,
    channel,
    at: now,
    priority: priorityOf(messages.length),
    cost,
    renewedFrom: cost === 0 ? 0 : monthOf(now, account.timeZone),
    idempotencyKey: key,
    ...rows,
    ...(upload === null ? {} : { attachments: upload.files() }),
  };
  if (statusCallback !== undefined) {
    const text = JSON.stringify(statusCallback);
    input.statusCallbacks = ids.map((id) => ({
      message_id: id,
      callback: deps.sealer.seal(text, statusCallbackContext(id)),
    }));
  }
  crashPoint("accept.before");
  try {
    const routes = await routesAmong(deps, account, gatewayIds);
    if (routes.length > 0) input.routes = { list: routes, point: deps.random.random() };
    const stored = await database.run(storeSends, input);
    if (stored.kind === "insufficient_credit") {
      return { kind: "insufficient_credit", needed: cost, remaining: stored.remaining };
    }
    // This process knew an old state of the account; in the next attempt it chooses another gateway.
    if (stored.kind === "gateway_gone" || stored.kind === "file_gone")
      return { kind: "unavailable", retryAfterMs };
    // Another process was faster with the same key.
    if (stored.kind === "repeated") return await replay(database, account, stored.first, key!.fingerprint);
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault === "failed") throw error;
    if (error.fault !== "commit_unknown") return { kind: "unavailable", retryAfterMs };
    const confirmed = await confirmStored(deps, input);
    if (confirmed === "unknown") return { kind: "commit_unknown", retryAfterMs };
    if (confirmed === "not_stored") return { kind: "unavailable", retryAfterMs };
  }
  crashPoint("accept.after");
  return { kind: "accepted", requestId, ids, statuses };
}

/** The current month of each time zone: every send needs it, and it is valid for a month. */
const months = new Map<string, { from: number; until: number }>();

function monthOf(now: number, timeZone: string): number {
  const known = months.get(timeZone);
  if (known && now >= known.from && now < known.until) return known.from;
  const from = startOfMonth(now, timeZone);
  months.set(timeZone, { from, until: startOfNextMonth(now, timeZone) });
  return from;
}

/** Whether a request whose COMMIT broke was stored; `unknown` if storage does not answer in time. */
async function confirmStored(
  { database, clock }: AcceptDeps,
  input: SendInput,
): Promise<"stored" | "not_stored" | "unknown"> {
  const until = clock.monotonic() + confirmTimeoutMs;
  while (clock.monotonic() < until) {
    try {
      const { requestId, accountId, channel, at } = input;
      return (await database.run(confirmRequest, { requestId, accountId, channel, at }))
        ? "stored"
        : "not_stored";
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      await clock.sleep(500);
    }
  }
  return "unknown";
}
