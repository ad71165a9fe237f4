// Takes a send: everything of it is stored in one transaction, flushed to disk, before the caller hears 2xx;
// or nothing of it is.

import { createHash } from "node:crypto";
import type { Account } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { EmailSend } from "#contract/messages/email.ts";
import type { SmsSend } from "#contract/messages/sms.ts";
import type { Core } from "#core/core.ts";
import { priorityOf } from "#queue/priority.ts";
import { startOfMonth, startOfNextMonth } from "#runtime/time-zones.ts";
import { type Database, StorageError } from "#store/database.ts";
import type { BoundFile } from "#store/email/attachments.ts";
import {
  findRepeated,
  type Repeated,
  type RepeatKey,
  readAnswered,
} from "#store/messages/idempotency-keys.ts";
import {
  type NewEmail,
  type NewMessage,
  proveRequest,
  type SendInput,
  storeSends,
} from "#store/messages/insert.ts";
import { prepareEmail } from "./email.ts";
import { prepareSms } from "./sms.ts";

/** What became of a send. All but `accepted` stored nothing (`commit_unknown`: nobody knows). */
export type AcceptResult =
  | { kind: "accepted"; requestId: string; ids: string[]; statuses: ("queued" | "scheduled")[] }
  /** The answer of the request that was accepted under this key before; `numbers` (of emails: addresses) as they were given then. */
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

export interface AcceptDeps extends Pick<Core, "clock" | "crashPoint" | "database" | "newIds" | "signals"> {
  /** The idempotency keys of requests that this process is working on. */
  inProgressKeys: Set<string>;
}

/** How a caller names a request that may come again: the endpoint's path and the `Idempotency-Key`. */
export interface IdempotencyRequest {
  path: string;
  key: string;
}

const retryAfterMs = 5_000;
/** How long to find out whether a broken COMMIT was one. */
const confirmTimeoutMs = 10_000;

/** Takes an SMS send. With a `repeatable`, the same request again is answered with the first one's result. */
export async function acceptSms(
  parts: AcceptDeps,
  account: Account,
  requestId: string,
  send: SmsSend,
  repeatable: IdempotencyRequest | null = null,
): Promise<AcceptResult> {
  const { clock, newIds } = parts;
  const sending: Sending = {
    channel: "sms",
    fingerprint: () =>
      digest(parts, [], send.contacts, ({ number, message, gateway_identifier, schedule_at }) => [
        number,
        message,
        gateway_identifier,
        schedule_at,
      ]),
    prepare: (now) => prepareSms(account, send, now, newIds, () => clock.sleep(0)),
  };
  return await accept(parts, account, requestId, sending, repeatable);
}

/** Takes an email send with the files that were staged for it. */
export async function acceptEmail(
  parts: AcceptDeps,
  account: Account,
  requestId: string,
  send: EmailSend,
  files: readonly BoundFile[],
  repeatable: IdempotencyRequest | null = null,
): Promise<AcceptResult> {
  const { clock, newIds } = parts;
  const fingerprint = () => {
    const contents = files.map(({ filename, content_type, sha256 }) => [filename, content_type, sha256]);
    return digest(parts, contents, send.contacts, (contact) => [
      contact.email,
      contact.subject,
      contact.message,
      contact.gateway_identifier,
      contact.sender_name,
      contact.reply_to_email,
      contact.schedule_at,
    ]);
  };
  const prepare = async (now: number) => {
    const prepared = await prepareEmail(account, send, now, newIds, () => clock.sleep(0));
    return prepared.kind === "invalid" ? prepared : { ...prepared, attachments: files };
  };
  return await accept(parts, account, requestId, { channel: "email", fingerprint, prepare }, repeatable);
}

/** What a channel's send comes to in the store. */
interface Ready {
  kind: "ready";
  messages: readonly NewMessage[];
  emails?: readonly NewEmail[];
  attachments?: readonly BoundFile[];
}

/** A send of any channel. */
interface Sending {
  channel: Channel;
  /** Tells whether two sends ask for the same. */
  fingerprint(): Promise<string>;
  prepare(now: number): Promise<Ready | { kind: "invalid"; issues: Issue[] }>;
}

async function accept(
  parts: AcceptDeps,
  account: Account,
  requestId: string,
  sending: Sending,
  repeatable: IdempotencyRequest | null,
): Promise<AcceptResult> {
  if (repeatable === null) return await take(parts, account, requestId, sending, null);
  const name = JSON.stringify([account.id, repeatable.path, repeatable.key]);
  if (parts.inProgressKeys.has(name)) return { kind: "in_progress" };
  parts.inProgressKeys.add(name);
  try {
    const repeat = { ...repeatable, fingerprint: await sending.fingerprint() };
    const earlier = await storedResponse(parts, account, repeat);
    return earlier ?? (await take(parts, account, requestId, sending, repeat));
  } finally {
    parts.inProgressKeys.delete(name);
  }
}

/** What the key stands for already; null: nothing. */
async function storedResponse(
  parts: AcceptDeps,
  account: Account,
  repeat: RepeatKey,
): Promise<AcceptResult | null> {
  const { database, clock } = parts;
  try {
    const { path, key, fingerprint } = repeat;
    const first = await database.run(findRepeated, { accountId: account.id, path, key, at: clock.now() });
    return first && (await answerOf(database, account, first, fingerprint));
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault === "failed") throw error;
    return { kind: "unavailable", retryAfterMs };
  }
}

async function answerOf(
  database: Database,
  account: Account,
  { fingerprint: first, ...request }: Repeated,
  fingerprint: string,
): Promise<AcceptResult> {
  if (first !== fingerprint) return { kind: "mismatch" };
  const messages = await database.run(readAnswered, { accountId: account.id, request });
  return {
    kind: "replayed",
    requestId: request.request_id,
    ids: messages.map(({ id }) => id),
    statuses: messages.map(({ schedule_at }) => (schedule_at === null ? "queued" : "scheduled")),
    numbers: messages.map(({ number }) => number),
  };
}

/** Contacts digested before the event loop gets a turn. */
const slice = 1000;

/** The SHA-256 of what contacts and files say, not of their bytes. */
async function digest<Draft>(
  { clock }: AcceptDeps,
  files: readonly string[][],
  contacts: readonly Draft[],
  fieldsOf: (contact: Draft) => unknown[],
): Promise<string> {
  const hash = createHash("sha256");
  if (files.length > 0) hash.update(JSON.stringify({ files }));
  for (let index = 0; index < contacts.length; index++) {
    if (index > 0 && index % slice === 0) await clock.sleep(0);
    hash.update(JSON.stringify(fieldsOf(contacts[index]!)));
  }
  return hash.digest("hex");
}

async function take(
  parts: AcceptDeps,
  account: Account,
  requestId: string,
  sending: Sending,
  repeat: RepeatKey | null,
): Promise<AcceptResult> {
  const now = parts.clock.now();
  const prepared = await sending.prepare(now);
  if (prepared.kind === "invalid") return prepared;
  return await store(parts, account, requestId, sending.channel, now, prepared, repeat);
}

async function store(
  parts: AcceptDeps,
  account: Account,
  requestId: string,
  channel: Channel,
  now: number,
  { kind: _, ...rows }: Ready,
  repeat: RepeatKey | null,
): Promise<AcceptResult> {
  const { database, crashPoint } = parts;
  const { messages } = rows;
  const ids: string[] = [];
  const statuses: ("queued" | "scheduled")[] = [];
  /** The lanes that get some of it, and when the first of it is due there. */
  const lanes = new Map<string, number>();
  let cost = 0;
  for (const [id, laneId, , , , , , status, dueAt, , , , , price] of messages) {
    ids.push(id);
    statuses.push(status);
    const first = lanes.get(laneId);
    if (first === undefined || dueAt < first) lanes.set(laneId, dueAt);
    cost += price;
  }
  const input: SendInput = {
    requestId,
    accountId: account.id,
    channel,
    at: now,
    band: priorityOf(messages.length),
    cost,
    renewedFrom: cost === 0 ? 0 : monthOf(now, account.timeZone),
    repeat,
    ...rows,
  };
  crashPoint("accept.before");
  try {
    const stored = await database.run(storeSends, input);
    if (stored.kind === "insufficient_credit") {
      return { kind: "insufficient_credit", needed: cost, remaining: stored.remaining };
    }
    // The account as this process knows it is out of date: asked again, it chooses another gateway.
    if (stored.kind === "gateway_gone" || stored.kind === "file_gone")
      return { kind: "unavailable", retryAfterMs };
    // Another process was faster with the same key.
    if (stored.kind === "repeated")
      return await answerOf(database, account, stored.first, repeat!.fingerprint);
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault === "failed") throw error;
    if (error.fault !== "commit_unknown") return { kind: "unavailable", retryAfterMs };
    const proof = await confirmStored(parts, input);
    if (proof === "unknown") return { kind: "commit_unknown", retryAfterMs };
    if (proof === "not_stored") return { kind: "unavailable", retryAfterMs };
  }
  crashPoint("accept.after");
  for (const [laneId, dueAt] of lanes) parts.signals.emit("laneDue", laneId, dueAt);
  parts.signals.emit("eventsRecorded");
  return { kind: "accepted", requestId, ids, statuses };
}

/** The current month of each zone: asked for every send, and good for a month. */
const months = new Map<string, { from: number; until: number }>();

function monthOf(now: number, timeZone: string): number {
  const known = months.get(timeZone);
  if (known && now >= known.from && now < known.until) return known.from;
  const from = startOfMonth(now, timeZone);
  months.set(timeZone, { from, until: startOfNextMonth(now, timeZone) });
  return from;
}

/** Whether a request whose COMMIT broke was stored, as far as that can be found out in time. */
async function confirmStored(
  { database, clock }: AcceptDeps,
  input: SendInput,
): Promise<"stored" | "not_stored" | "unknown"> {
  const until = clock.monotonic() + confirmTimeoutMs;
  while (clock.monotonic() < until) {
    try {
      const { requestId, accountId, channel, at } = input;
      return (await database.run(proveRequest, { requestId, accountId, channel, at }))
        ? "stored"
        : "not_stored";
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      await clock.sleep(500);
    }
  }
  return "unknown";
}
