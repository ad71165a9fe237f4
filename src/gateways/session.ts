// The session of a gateway (a pool of SMTP connections, an SMPP bind, a linked phone): its input and its reports. The process that owns the
// gateway's lane opens one session, sends through it and closes it; no session outlives its lane, and no two are open at once.

import type { LinkState, LinkWord } from "#contract/manage/link-state.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import type { ChildPermissions } from "#runtime/children/child-process.ts";
import type { Clock, Log, Outbound, Random } from "#runtime/runtime.ts";
import type { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { AccountUpdate, Engagement, InboundMessage, Receipt } from "./callback.ts";
import type { DkimKey, OutgoingMessage } from "./message.ts";
import type { Outcome } from "./outcome.ts";

/** An open session of one gateway, which sends messages with the contents that its adapter declares. */
export interface GatewaySession<Kind extends ContentKind = ContentKind> {
  /**
   * Sends one message; several calls may run concurrently. Also resolves after `signal` aborted, with what is known then: `unknown` unless
   * the message certainly did not leave. A session that rejects counts as `unknown`. When the connection is lost, the session first reports
   * that by `status`, and then resolves what was in flight: outcomes that arrive while the lane waits do not count against the gateway.
   * What it does not resolve becomes `unknown` 5 s later.
   */
  send(message: OutgoingMessage<Kind>, signal: AbortSignal): Promise<Outcome>;
  /** Closes the connection. Called once, when nothing more will be sent; the linked device stays linked. */
  close(): Promise<void>;
  /** Ends the link to the device permanently, if the gateway has one. Resolves to whether the other side was notified. */
  logOut?(): Promise<boolean>;
}

/** The state of the connection. Messages are sent only while `connected`; in every other state the lane waits. */
export type SessionStatus = ConnectionStatus & {
  /** For a linked device: what its operator sees. */
  link?: LinkDetails;
};

type ConnectionStatus =
  /** Being opened, or reopened after a short interruption. The gateway does not count as paused. */
  | { kind: "connecting" }
  /** Waits for a person to link a device. */
  | { kind: "pairing"; pairing: Pairing }
  | { kind: "connected" }
  /** Lost, and being retried. The gateway counts as paused, with `reason`. */
  | { kind: "disconnected"; reason: string }
  /** The link ended; a person has to link the device again. */
  | { kind: "logged_out"; reason: string };

/** What a person needs to link a device. Secret: anyone who sees it can link a device. */
export interface Pairing {
  /** The text of a QR code. */
  qr?: string;
  /** A code to type in. */
  code?: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** The state of the link to a device. Stored with the gateway, and shown by the management API. */
export interface LinkDetails {
  state: LinkState;
  /** For `logged_out` and `replaced`: the reason in the event `gateway.unlinked`. */
  word?: LinkWord;
  method: "qr" | "code" | null;
  /** Who requested the link: the QR code is shown only to them. */
  requestedBy: string | null;
  device: LinkedDevice | null;
  /** Epoch ms; null if the provider sets no limit now. */
  limitedUntil: number | null;
  /** The library that implements the protocol, with its version. */
  library: string | null;
  warnings: readonly string[];
}

export interface LinkedDevice {
  number: string;
  name: string | null;
  platform: string | null;
}

/** A person's request for the link to a device. */
export interface LinkRequest {
  action: "link" | "resume" | "log_out";
  method: "qr" | "code";
  /** For the method `code`: the number of the device. */
  number: string | null;
  /** Replaces a device that is already linked, even with another number. */
  replace: boolean;
  /** The id of the session or token that requested it. */
  by: string;
}

/** Reports of the other side, as in a callback. */
export interface SessionReport {
  receipts?: readonly Receipt[];
  inbound?: readonly InboundMessage[];
  engagements?: readonly Engagement[];
  accountUpdates?: readonly AccountUpdate[];
  /** Statuses that no table of the adapter lists: they are counted and shown, and change nothing. */
  unknownWords?: readonly string[];
  /** Counts receipts that match no message of the gateway; see `unmatchedAfter`. */
  unmatched?: true;
}

/** After this many receipts in a row that match no message, the gateway gets a notice. */
export const unmatchedAfter = 20;

/** Values that a session stores between connections (keys of a linked device), sealed and bound to the gateway. */
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

/** The tools of every session, which has no other access to the outside. */
export interface GatewayHost {
  /** The channel of the gateway: a kind may serve several. */
  channel: Channel;
  clock: Clock;
  random: Random;
  log: Log;
  outbound: Outbound;
  /** The callback URL of this gateway (`https://…/callbacks/{identifier}`); null without a public URL. */
  callbackUrl: string | null;
  /**
   * The same for reports about one message, for the request that sends it: the URL contains our id and a proof
   * (`CallbackTools.provenMessage`). Null without a public URL.
   */
  messageUrl(messageId: string): string | null;
  /** How long the transmission of one message may take, ms. */
  timeoutMs: number;
  /** Keys that sign for the gateway's sending domain, as managed by the account; empty if there are none. */
  dkim: readonly DkimKey[];
  state: SessionState;
  /**
   * Resolves when everything is stored, so that the session may acknowledge it. Retried while storage is away; rejects with `SessionLost`.
   */
  report(report: SessionReport): Promise<void>;
  /** Aborted when the session is about to be closed. */
  signal: AbortSignal;
  /** Limits the bytes of files that all gateways of the process hold concurrently. */
  fileBytes: Semaphore;
  /**
   * When the person last wrote to this gateway, epoch ms; null if that is more than a day ago. Retried while storage is away; rejects with
   * `SessionLost`.
   */
  lastHeard(recipient: string): Promise<number | null>;
  /** Starts `module` in a process of its own, which is ended when the session has been closed, or uses a shared one. */
  child(module: URL, shared?: SharedProcess): SessionChild;
}

/**
 * The tools of a session that holds a connection, for which the lane waits. `open` resolves when there is a session, connected or not. It
 * rejects only for a fault of its own; if no connection can be made, the session calls `fail`.
 */
export interface SessionHost extends GatewayHost {
  /** The request for the link since the last session; null if there is none. `log_out` is not among them: see `logOut`. */
  linkRequest: LinkRequest | null;
  status(status: SessionStatus): void;
  /**
   * A message whose outcome was `unknown` got its answer, so the lane no longer waits because of it. Called after the answer has been
   * reported.
   */
  answeredLate(messageId: string): void;
  /** The session cannot continue: it is closed, and another one is opened after a back-off. `reason` is shown to operators. */
  fail(reason: string): void;
}
