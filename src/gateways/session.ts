// The session of a gateway (a pool of SMTP connections, an SMPP bind, a linked phone): what it is given, and what it
// reports. The process that owns the gateway's lane opens one session, sends through it and closes it; no session outlives
// its lane, and no two are open at once.

import type { LinkState, LinkWord } from "#contract/manage/link-state.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import type { ChildPermissions } from "#runtime/children/child-process.ts";
import type { Clock, Log, Outbound, Random } from "#runtime/runtime.ts";
import type { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { AccountUpdate, Engagement, InboundMessage, Receipt } from "./callback.ts";
import type { DkimKey, OutgoingMessage } from "./message.ts";
import type { Outcome } from "./outcome.ts";

/** An open session of one gateway, which is given messages with the contents that its adapter declares. */
export interface GatewaySession<Kind extends ContentKind = ContentKind> {
  /**
   * Sends one message; several calls may run at once. Resolves after `signal` aborted too, with what is known then:
   * `unknown` unless the message certainly did not leave. A session that rejects counts as `unknown`. When the connection
   * goes, the session first says so by `status`, and then resolves what was in flight: outcomes that come while the
   * lane waits do not count against the gateway. What it does not resolve is `unknown` 5 s later.
   */
  send(message: OutgoingMessage<Kind>, signal: AbortSignal): Promise<Outcome>;
  /** Closes the connection. Called once, when nothing is being sent any more; the linked device stays linked. */
  close(): Promise<void>;
  /** Ends the link to the device for good, where the gateway has one. Resolves to whether the other side was notified. */
  logOut?(): Promise<boolean>;
}

/** How the connection is. Only `connected` lets messages out; every other state makes the lane wait. */
export type SessionStatus = ConnectionStatus & {
  /** Of a linked device: what its operator sees. */
  link?: LinkDetails;
};

type ConnectionStatus =
  /** Being opened, or opened again after a short interruption. The gateway does not count as paused. */
  | { kind: "connecting" }
  /** Waits for a person to link a device. */
  | { kind: "pairing"; pairing: Pairing }
  | { kind: "connected" }
  /** Lost, and being tried again. The gateway counts as paused, with `reason`. */
  | { kind: "disconnected"; reason: string }
  /** The link ended; a person has to link the device again. */
  | { kind: "logged_out"; reason: string };

/** What a person needs to link a device. Secret: everybody who sees it can link a device. */
export interface Pairing {
  /** The text of a QR code. */
  qr?: string;
  /** A code to type in. */
  code?: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** How the link to a device is. Kept with the gateway, and shown by the management API. */
export interface LinkDetails {
  state: LinkState;
  /** Of `logged_out` and `replaced`: the word of the event `gateway.unlinked`. */
  word?: LinkWord;
  method: "qr" | "code" | null;
  /** Who asked for the link: the QR code is shown to them alone. */
  requestedBy: string | null;
  device: LinkedDevice | null;
  /** Epoch ms; null: the provider sets no limit now. */
  limitedUntil: number | null;
  /** The library that speaks for us, with its version. */
  library: string | null;
  warnings: readonly string[];
}

export interface LinkedDevice {
  number: string;
  name: string | null;
  platform: string | null;
}

/** What a person asked of the link to a device. */
export interface LinkRequest {
  action: "link" | "resume" | "log_out";
  method: "qr" | "code";
  /** Of the method `code`: the number of the device. */
  number: string | null;
  /** A device that is linked already, or another number than before, is replaced. */
  replace: boolean;
  /** The id of the session or token that asked. */
  by: string;
}

/** What the other side reports on its own, as a callback would. */
export interface SessionReport {
  receipts?: readonly Receipt[];
  inbound?: readonly InboundMessage[];
  engagements?: readonly Engagement[];
  accountUpdates?: readonly AccountUpdate[];
  /** Statuses that no table of the adapter lists: they are counted and shown, and change nothing. */
  unknownWords?: readonly string[];
  /** So many receipts in a row as `unmatchedAfter` name no message of the gateway. */
  unmatched?: true;
}

/** After so many receipts that name no message, Trunkline says so at the gateway. */
export const unmatchedAfter = 20;

/** Values that a session keeps between connections (keys of a linked device), sealed and bound to the gateway. */
export interface SessionState {
  /** All values, by key. */
  load(): Promise<ReadonlyMap<string, string>>;
  /** Stores values; null removes one. All of them or none. Rejects with `SessionLost` once another process owns the lane. */
  save(changes: ReadonlyMap<string, string | null>): Promise<void>;
}

/** The lane belongs to another process now: the session must stop. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}

/** A process of its own for a session, which ends with the lane. */
export interface SessionChild {
  /** Sends a value that `structuredClone` can copy. Dropped, without an error, once the child has ended. */
  send(message: unknown): void;
  /** Called for each value that the child sends. */
  onMessage(listener: (message: unknown) => void): void;
  /** Resolves when the child has ended, with the reason in plain words. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
  /** Ends the process at once, for all sessions that use it. */
  kill(): void;
}

/** A process that several sessions share, each over a channel of its own: see `SharedChildren`. */
export interface SharedProcess {
  permissions: ChildPermissions;
  /** Sessions of one process, at most. */
  maxSessions: number;
}

/** What every session may use; it has no other access to the outside. */
export interface GatewayHost {
  /** What the gateway sends: a kind may serve several channels. */
  channel: Channel;
  clock: Clock;
  random: Random;
  log: Log;
  outbound: Outbound;
  /** Where this gateway's provider reaches us (`https://…/callbacks/{identifier}`); null without a public URL. */
  callbackUrl: string | null;
  /**
   * The same for reports about one message, for the request that sends it: the URL carries our id and proves itself
   * (`CallbackTools.provenMessage`). Null without a public URL.
   */
  messageUrl(messageId: string): string | null;
  /** How long the transmission of one message may take, ms. */
  timeoutMs: number;
  /** Keys that sign for the gateway's sending domain, as the account manages them; empty: none. */
  dkim: readonly DkimKey[];
  state: SessionState;
  /** Resolves when everything is stored, so that the session may acknowledge it. Retried while storage is away; rejects with `SessionLost`. */
  report(report: SessionReport): Promise<void>;
  /** Aborted when the session is about to be closed. */
  signal: AbortSignal;
  /** Bounds the bytes of files that all gateways of the process hold at once. */
  fileBytes: Semaphore;
  /** When the person last wrote to this gateway, epoch ms; null: not within a day. Retried while storage is away; rejects with `SessionLost`. */
  lastHeard(recipient: string): Promise<number | null>;
  /** Starts `module` in a process of its own, which is ended when the session has been closed; or shares one. */
  child(module: URL, shared?: SharedProcess): SessionChild;
}

/**
 * What the session of a connection may use, for which the lane waits. `open` resolves when there is a session, connected or
 * not. It rejects only for a fault of its own; when no connection comes about, the session calls `fail`.
 */
export interface SessionHost extends GatewayHost {
  /** What was asked of the link since the last session; null: nothing. `log_out` is not among it: see `logOut`. */
  linkRequest: LinkRequest | null;
  status(status: SessionStatus): void;
  /**
   * A message that was `unknown` for want of an answer has got it: the lane waits no longer because of such messages. Called when
   * what the answer says has been reported.
   */
  answeredLate(messageId: string): void;
  /** The session cannot go on: it is closed, and another one is opened after a back-off. `reason` is shown to operators. */
  fail(reason: string): void;
}
