// One connection to a mail server: opened, secured and authenticated, then used for one mail after the other. Nodemailer
// speaks the protocol. Time limits are ours, and so is the decision whether a mail was handed over, which follows from the
// stream that nodemailer reads the mail from: it begins to flow when the server asks for the content, and ends before the
// final dot. A reply that arrives in between does not answer the mail, and makes the connection unusable.

import { Duplex, Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { GatewayTools } from "#gateways/connection.ts";
import type { RefusedRecipient } from "#gateways/outcome.ts";
import { cleanText } from "#settings/redact.ts";
import { Watchdog } from "./deadline.ts";
import { loadSmtpConnection, socketOf, unreadReply } from "./nodemailer-internals.ts";
import {
  type Disconnect,
  type Failure,
  outcomeOfDisconnect,
  outcomeOfReply,
  readReply,
  type Stage,
} from "./outcome.ts";
import type { SmtpTarget } from "./settings.ts";

/** RFC 5321, 4.5.3.2.6: a server may take ten minutes over a mail. A second attempt before that would send it twice. */
export const afterDotMs = 600_000;
/** How long a server may take to answer QUIT. */
const quitMs = 1000;
const chunkBytes = 65_536;
/** Less than a socket takes before it reports that it is full. */
const maxWholeBytes = 15_000;
/** For nodemailer's own timers, which our clock cannot drive: longer than any of ours. */
const maxTimerMs = 2 ** 31 - 1;

export interface Envelope {
  from: string;
  /** At least one. */
  to: readonly string[];
  /** Quoted in reports of failure, if the server supports that (RFC 3461). */
  id: string;
  /** The mail has bytes beyond ASCII (RFC 6152). */
  eightBit?: boolean;
}

export type Tools = Pick<GatewayTools, "outbound" | "clock" | "timeoutMs" | "signal">;

/** The outcome of a transmission. The server's reference of an accepted mail is not used. */
export type SmtpOutcome =
  | Failure
  | { kind: "accepted"; reference: null; refused?: readonly RefusedRecipient[] };

interface Transmission {
  outcome: SmtpOutcome;
  /** The connection was lost before anything was handed over; the mail can be tried on another one. */
  retryable: boolean;
  /** The server has answered completely, and waits for the next command. */
  reusable: boolean;
}

type SmtpError = Error & {
  code?: string | undefined;
  originalCode?: string | undefined;
  command?: string | undefined;
  response?: string | undefined;
  recipient?: string | undefined;
  rejectedErrors?: readonly SmtpError[] | undefined;
};

export class SmtpConnection {
  /** Mails begun on this connection. */
  mailCount = 0;
  readonly #connection: SMTPConnection;
  readonly #secrets: readonly string[];
  #usable = true;

  private constructor(connection: SMTPConnection, secrets: readonly string[]) {
    this.#connection = connection;
    this.#secrets = secrets;
    connection.once("end", () => {
      this.#usable = false;
    });
  }

  /** Connects, secures the connection as the target requires, and authenticates. Nothing of a mail is sent yet. */
  static async open(target: SmtpTarget, tools: Tools): Promise<SmtpConnection | SmtpOutcome> {
    const { host, port, secrets } = target;
    const { timeoutMs, signal, clock } = tools;
    const dialled = await tools.outbound.dial({ host, port, timeoutMs, signal });
    if (dialled.kind === "not_sent") {
      const reason = cleanText(dialled.reason, secrets) || "The mail server could not be reached.";
      const { code } = dialled;
      if (code === "aborted") return { kind: "deferred", code, reason };
      const gatewayFault = code === "url_not_allowed" ? "refused" : "unreachable";
      return { kind: "deferred", code, reason, gatewayFault };
    }
    const Connection = await loadSmtpConnection();
    const connection = new Connection({
      host,
      port,
      connection: dialled.socket,
      secure: target.security === "tls",
      requireTLS: target.security === "starttls",
      ignoreTLS: target.security === "none",
      // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot disable it.
      tls: { rejectUnauthorized: true, minVersion: "TLSv1.2", ...(target.ca ? { ca: target.ca } : {}) },
      ...(target.name ? { name: target.name } : {}),
      connectionTimeout: maxTimerMs,
      greetingTimeout: maxTimerMs,
      socketTimeout: maxTimerMs,
      socketCloseTimeout: 0,
      maxResponseSize: chunkBytes,
    });
    const opening = Promise.withResolvers<SmtpOutcome | null>();
    const fail = (stage: Stage) => (error: SmtpError) => {
      // An error of the connection and the reply to a command may both arrive; the first one counts.
      opening.resolve(outcomeOfError(error, { stage, secrets, upgrading: connection.upgrading === true }));
    };
    connection.on("error", fail("greeting"));
    const lose = (disconnect: Disconnect) =>
      opening.resolve(outcomeOfDisconnect(disconnect, "session", secrets));
    connection.on("end", () => lose({ kind: "lost", detail: "" }));
    const watchdog = new Watchdog(clock, timeoutMs, () => lose({ kind: "silent" }));
    const abort = () => lose({ kind: "aborted" });
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    connection.connect((error) => {
      if (error) return fail("greeting")(error);
      if (target.auth === null) return opening.resolve(null);
      if (!connection.allowsAuth) {
        const reason = "The mail server offers no authentication, but the gateway has credentials.";
        return opening.resolve({ kind: "deferred", code: "no_auth", reason, gatewayFault: "refused" });
      }
      watchdog.startStep(timeoutMs);
      // A copy, because nodemailer modifies it.
      connection.login({ ...target.auth }, (refused) => {
        if (refused) fail("auth")(refused);
        else opening.resolve(null);
      });
    });
    const failure = await opening.promise;
    watchdog.stop();
    signal.removeEventListener("abort", abort);
    if (failure === null && !connection.destroyed) return new SmtpConnection(connection, secrets);
    connection.close();
    return failure ?? outcomeOfDisconnect({ kind: "lost", detail: "" }, "session", secrets);
  }

  /** Whether another mail can be tried on this connection. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Transmits one mail. `pieces`: the raw mail, in order. */
  async transmit(
    { from, to, id, eightBit = false }: Envelope,
    pieces: readonly Buffer[],
    { clock, signal, timeoutMs }: Tools,
  ): Promise<Transmission> {
    const connection = this.#connection;
    const secrets = this.#secrets;
    this.mailCount += 1;
    let flowing = false;
    /** The final dot may have been sent. */
    let handedOver = false;
    /** Where nodemailer adds the dot, between the mail and the socket. */
    let content: Duplex | null = null;
    const ending = Promise.withResolvers<Transmission>();
    const finish = (disconnect: Disconnect) =>
      ending.resolve({
        outcome: outcomeOfDisconnect(disconnect, handedOver ? "handed_over" : "envelope", secrets),
        retryable: !handedOver && disconnect.kind !== "aborted",
        reusable: false,
      });
    const giveUp = (disconnect: Disconnect) => {
      finish(disconnect);
      // Immediately: the content would keep flowing until the promise is handled.
      this.destroy();
    };
    const watchdog = new Watchdog(clock, timeoutMs, () => giveUp({ kind: "silent" }));
    const abort = () => giveUp({ kind: "aborted" });
    // `end` precedes nodemailer's error. The error says more, so it is used if there is one.
    const lost = () => queueMicrotask(() => finish({ kind: "lost", detail: "" }));
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    connection.on("end", lost);
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const socket = socketOf(connection);
    // A short mail is sent with its final dot in one packet. A longer one must flow, or the socket would never drain.
    const isWhole = size <= maxWholeBytes && socket !== null;
    const mail = streamOf(
      isWhole ? [Buffer.concat(pieces)] : pieces.filter((piece) => piece.length > 0),
      () => {
        flowing = true;
        if (isWhole && !handedOver && socket.writableCorked === 0) socket.cork();
        watchdog.startStep(timeoutMs);
      },
    );
    mail.once("end", () => {
      // Before the dot, read what the server has already sent, even in one packet with its 354.
      if (!isWhole && socket) socket.cork();
      setImmediate(() => {
        if (connection.destroyed) return;
        const unread = unreadReply(connection);
        if (unread !== "") return protocolError(unread);
        handedOver = true;
        watchdog.startStep(afterDotMs);
        if (socket) socket.uncork();
      });
    });
    // Immediately: the rest of the content, and the dot, must not follow.
    const protocolError = (reply: string) => {
      ending.resolve({ outcome: outcomeOfReply("data", reply, secrets), retryable: false, reusable: false });
      this.destroy();
    };
    const piped = (source: unknown) => {
      if (source instanceof Duplex) content = source;
    };
    if (socket) socket.once("pipe", piped);
    const extensions = { use8BitMime: eightBit, dsn: { id, return: "headers" } } as const;
    connection.send({ from, to: [...to], size, ...extensions }, mail, (error, info) => {
      const isDue = !flowing || (handedOver && isFlushed(content));
      if (!error) {
        if (!isDue) return protocolError(info.response);
        const refused = refusedOf(info.rejectedErrors ?? [], secrets);
        return ending.resolve({
          outcome: { kind: "accepted", reference: null, ...(refused.length === 0 ? {} : { refused }) },
          retryable: false,
          reusable: true,
        });
      }
      const context = { stage: handedOver ? "dot" : "mail", secrets, upgrading: false } as const;
      const outcome = outcomeOfError(error, context);
      const refused = to.length === 1 ? [] : refusedOf(error.rejectedErrors ?? [], secrets);
      ending.resolve({
        outcome: outcome.kind === "rejected" && refused.length > 0 ? { ...outcome, refused } : outcome,
        retryable: !handedOver && isGone(error),
        reusable: isDue && isComplete(error),
      });
      if (!isDue) this.destroy();
    });
    const result = await ending.promise;
    watchdog.stop();
    signal.removeEventListener("abort", abort);
    connection.removeListener("end", lost);
    if (socket) socket.removeListener("pipe", piped);
    mail.destroy();
    if (!result.reusable) this.destroy();
    else if (result.outcome.kind !== "accepted") await this.#reset(clock, timeoutMs);
    return result;
  }

  /** After a refusal the server may still hold half of an envelope. */
  async #reset(clock: Tools["clock"], timeoutMs: number): Promise<void> {
    if (!this.#usable) return;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const watchdog = new Watchdog(clock, timeoutMs, () => resolve(false));
    const ended = () => resolve(false);
    this.#connection.once("end", ended);
    this.#connection.reset((error) => resolve(!error));
    const done = await promise;
    watchdog.stop();
    this.#connection.removeListener("end", ended);
    if (!done) this.destroy();
  }

  /** Sends QUIT, and closes the connection. */
  async quit(clock: Tools["clock"]): Promise<void> {
    if (!this.#usable) return;
    this.#usable = false;
    const ended = new AbortController();
    this.#connection.once("end", () => ended.abort());
    this.#connection.quit();
    await clock.sleep(quitMs, ended.signal);
    this.#connection.close();
  }

  destroy(): void {
    this.#usable = false;
    this.#connection.close();
  }
}

/** The recipients that the server refused, for good or for now. */
function refusedOf(errors: readonly SmtpError[], secrets: readonly string[]): RefusedRecipient[] {
  return errors.flatMap(({ recipient, response }) => {
    if (recipient === undefined) return [];
    const { code = "refused", reason } = outcomeOfReply("rcpt", response ?? "", secrets);
    return [{ recipient, code, reason }];
  });
}

/** `flowing` is called for every chunk that is read. */
function streamOf(pieces: readonly Buffer[], flowing: () => void): Readable {
  let index = 0;
  let offset = 0;
  return new Readable({
    read() {
      flowing();
      const piece = pieces[index];
      if (piece === undefined) {
        this.push(null);
        return;
      }
      const chunk = piece.subarray(offset, offset + chunkBytes);
      offset += chunk.length;
      if (offset >= piece.length) {
        index += 1;
        offset = 0;
      }
      this.push(chunk);
    },
  });
}

/** Whether nothing is left in it. Its `end` may wait until the socket has drained; the server's reply may come sooner. */
function isFlushed(content: Duplex | null): boolean {
  return content?.writableFinished === true && content.readableLength === 0;
}

/** Whether the server is gone, or closing (421), which says nothing about the mail. */
function isGone({ command, code, response }: SmtpError): boolean {
  // From `API`: the connection was already closed or half closed; nothing was written.
  if (command === "API" && code === "ECONNECTION") return true;
  return command === "CONN" || (response?.startsWith("421") ?? false);
}

/** Whether the reply is complete, so that the connection can be used again. */
function isComplete({ command, code, response }: SmtpError): boolean {
  if (response === undefined) return code === "EMESSAGE";
  const status = readReply(response)?.status ?? 0;
  return command !== "CONN" && status >= 400 && status !== 421;
}

/** By nodemailer's name of the command that was answered. */
const stages: readonly [prefix: string, stage: Stage][] = [
  ["EHLO", "hello"],
  ["HELO", "hello"],
  ["STARTTLS", "starttls"],
  ["AUTH", "auth"],
  ["MAIL", "mail"],
  ["RCPT", "rcpt"],
];

interface ErrorContext {
  /** The stage of the exchange, for errors that do not name the command. */
  stage: Stage;
  secrets: readonly string[];
  /** Whether TLS was being set up. */
  upgrading: boolean;
}

function outcomeOfError(error: SmtpError, { stage, secrets, upgrading }: ErrorContext): SmtpOutcome {
  const { command = "CONN", response, code } = error;
  const handedOver = stage === "dot";
  if (code === "EMESSAGE" && response === undefined && !handedOver) {
    // The server announced its size limit; nothing was sent.
    const reason = `The mail is larger than the mail server accepts (${cleanText(error.message, secrets)}).`;
    return { kind: "rejected", code: "5.3.4", reason };
  }
  if (response !== undefined) {
    const answered = stages.find(([prefix]) => command.startsWith(prefix))?.[1];
    if (answered !== undefined) return outcomeOfReply(answered, response, secrets);
    if (command === "DATA") return outcomeOfReply(handedOver ? "dot" : "data", response, secrets);
    // Only in these two cases is the last reply complete; otherwise the line was cut off, or answered nothing.
    if (stage === "greeting" || (!handedOver && response.startsWith("421"))) {
      return outcomeOfReply(stage, response, secrets);
    }
  }
  if (upgrading) {
    return outcomeOfDisconnect(
      { kind: "tls", detail: error.originalCode ?? error.message },
      "session",
      secrets,
    );
  }
  const phase = handedOver ? "handed_over" : stage === "mail" ? "envelope" : "session";
  return outcomeOfDisconnect({ kind: "lost", detail: error.originalCode ?? "" }, phase, secrets);
}
