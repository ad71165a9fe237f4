// What the HTTP edge asks of the rest: `system.ts` hands these in, so that a test of the edge can
// hand in its own.

import type { Account } from "#accounts/account.ts";
import type { ChannelCredit } from "#accounts/credit.ts";
import type { AiGateway, MemberStatus } from "#ai/ai.ts";
import type { ConfigureParts } from "#configure/gateway.ts";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { EmailSend } from "#contract/messages/email.ts";
import type { MessageRecord } from "#contract/messages/record.ts";
import type { Resolution } from "#contract/messages/resolve.ts";
import type { SmsSend } from "#contract/messages/sms.ts";
import type { CallbackRequest } from "#gateways/gateway.ts";
import type { PasswordHasher } from "#identity/password.ts";
import type { AcceptResult, IdempotencyRequest } from "#messaging/accept/accept.ts";
import type { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import type { CallbackResult } from "#messaging/feedback/callbacks.ts";
import type { OpenAndClickTracking } from "#messaging/feedback/opens-and-clicks.ts";
import type { ReceivedPage } from "#messaging/inbound.ts";
import type { Cancelled, Page } from "#messaging/lookup.ts";
import type { Resolved } from "#messaging/resolve.ts";
import type { Clock, Dns, Log, Random } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import type { BoundFile } from "#store/email/attachments.ts";

export interface Readiness {
  ready: boolean;
  /** Name of each check and what it says: `"ok"` or a plain-words fault. */
  checks: Record<string, string>;
}

export interface HttpParts {
  clock: Clock;
  random: Random;
  log: Log;
  /** The account of a channel API key; null when no account has it. Cached, so cheap to call. */
  authenticate(apiKey: string): Promise<Account | null>;
  acceptSms(
    account: Account,
    requestId: string,
    send: SmsSend,
    repeatable: IdempotencyRequest | null,
  ): Promise<AcceptResult>;
  /** Takes an email send with its files, which `openIntake` gave. */
  acceptEmail(
    account: Account,
    requestId: string,
    send: EmailSend,
    files: readonly BoundFile[],
    repeatable: IdempotencyRequest | null,
  ): Promise<AcceptResult>;
  /** Where the files of one request of the account go. */
  openAttachmentUpload(account: Account): AttachmentUpload;
  /** One message of the account with its timeline; null for an unknown, foreign or other-channel id. */
  lookup(account: Account, channel: Channel, id: string): Promise<MessageRecord | null>;
  /** The newest messages of the channel. `cursor` is a `nextCursor` given earlier; null result: bad cursor. */
  recent(
    account: Account,
    channel: Channel,
    query: { limit: number; cursor: string | null; status: Status | null },
  ): Promise<Page | null>;
  cancel(account: Account, channel: Channel, id: string): Promise<Cancelled>;
  /** An answer for a message whose outcome is unknown. `channel` null: whichever it has. `by`: who gives it, for the timeline. */
  resolve(
    account: Account,
    channel: Channel | null,
    id: string,
    answer: Resolution,
    by: string,
  ): Promise<Resolved>;
  /** The newest messages from people. Null result: bad cursor. */
  received(
    account: Account,
    channel: Channel,
    query: { limit: number; cursor: string | null },
  ): Promise<ReceivedPage | null>;
  /** Null: the channel has no allowance (unlimited). */
  credit(account: Account): Promise<Record<Channel, ChannelCredit | null>>;
  callback(gatewayIdentifier: string, request: CallbackRequest): Promise<CallbackResult>;
  /** What recipients do with what their mails carry. */
  openAndClickTracking: OpenAndClickTracking;
  readiness(): Promise<Readiness>;
  /** The Prometheus text. */
  metrics(): Promise<string>;
  /** What the management API works with. */
  manage: ManageParts;
  /** What the AI endpoints work with. */
  ai: AiParts;
}

export type AiParts = Pick<AiGateway, "authenticate" | "serve" | "models">;

/** Reads go to the store, changes through `configure/` and `messaging/`, with these. */
export interface ManageParts {
  database: Database;
  configure: ConfigureParts & { random: Random; dns: Dns; showApiKeys: boolean };
  passwords: PasswordHasher;
  /** Something is due on this lane. */
  wake(laneId: string): void;
  /** How the pool's members are doing, as far as this process has asked them. */
  poolHealth(poolId: string): Promise<readonly MemberStatus[]>;
}

export interface HttpSettings {
  /** `https://…` without a trailing slash, or null. */
  publicUrl: string | null;
  maxContacts: number;
  maxBodyBytes: number;
  /** Of a multipart body with files. */
  maxUploadBytes: number;
  /** Of a body whose key is not in front, or of what comes before the key. */
  maxKeylessBodyBytes: number;
  /** What all bodies may hold in memory together. */
  maxBodiesBytes: number;
  /** Connections at once; one more is closed as soon as it is made. */
  maxConnections: number;
  /** CIDR blocks and addresses whose `X-Forwarded-*` is believed. */
  trustedProxies: readonly string[];
  metricsToken: string | null;
}
