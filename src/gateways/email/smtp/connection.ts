// One connection to a mail server: opened, secured and signed in, then used for one mail after the other. The protocol
// is nodemailer's; what is ours is when time is up, and whether a mail was handed over: that is known from the stream
// that it is read from, which begins to flow when the server asks for the content, and ends before the final dot. A reply
// that comes in between is no answer to the mail, and leaves a connection on which nothing can be said any more.

import { Duplex, Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { GatewayTools, Outcome } from "#gateways/gateway.ts";
import { cleanText } from "#gateways/http-outcome.ts";
import { Watchdog } from "./deadline.ts";
import { type Loss, outcomeOfLoss, outcomeOfReply, readReply, type Stage } from "./outcome.ts";
import type { SmtpTarget } from "./settings.ts";

/** RFC 5321, 4.5.3.2.6: a server may take ten minutes over a mail, and asked again meanwhile it has it twice. */
export const afterDotMs = 600_000;
/** How long a server may take over a goodbye. */
const quitMs = 1000;
const chunkBytes = 65_536;
/** Less than a socket takes without saying that it is full. */
const wholeBytes = 15_000;
/** Nodemailer's own timers, which nothing can move: longer than any of ours. */
const neverMs = 2 ** 31 - 1;

export interface Envelope {
  from: string;
  to: string;
  /** Comes back in reports of failure, where the server can do that (RFC 3461). */
  id: string;
}

export type Tools = Pick<GatewayTools, "outbound" | "clock" | "timeoutMs" | "signal">;

export interface Transmission {
  outcome: Outcome | { kind: "taken" };
  /** The server had given up the connection before anything was handed over; another one may do better. */
  retryable: boolean;
  /** The server said what it had to say, and waits for the next command. */
  reusable: boolean;
}

type SmtpError = Error & {
  code?: string | undefined;
  originalCode?: string | undefined;
  command?: string | undefined;
  response?: string | undefined;
};

export class SmtpConnection {
  /** Mails that were begun on it. */
  used = 0;
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

  /** Connects, secures the connection as the target says, and signs in. Nothing of a mail is said yet. */
  static async open(target: SmtpTarget, tools: Tools): Promise<SmtpConnection | Outcome> {
    const { host, port, secrets } = target;
    const { timeoutMs, signal, clock } = tools;
    const dialled = await tools.outbound.dial({ host, port, timeoutMs, signal });
    if (dialled.kind === "not_sent") {
      const reason = cleanText(dialled.reason, secrets) || "The mail server could not be reached.";
      const { code } = dialled;
      if (code === "aborted") return { kind: "deferred", code, reason };
      const trouble = code === "url_not_allowed" ? "refused" : "unreachable";
      return { kind: "deferred", code, reason, gatewayFault: trouble };
    }
    const Connection = await nodemailerConnection();
    const connection = new Connection({
      host,
      port,
      connection: dialled.socket,
      secure: target.security === "tls",
      requireTLS: target.security === "starttls",
      ignoreTLS: target.security === "none",
      // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not turn it off.
      tls: { rejectUnauthorized: true, minVersion: "TLSv1.2", ...(target.ca ? { ca: target.ca } : {}) },
      ...(target.name ? { name: target.name } : {}),
      connectionTimeout: neverMs,
      greetingTimeout: neverMs,
      socketTimeout: neverMs,
      socketCloseTimeout: 0,
      maxResponseSize: chunkBytes,
    });
    const opening = Promise.withResolvers<Outcome | null>();
    const fail = (stage: Stage) => (error: SmtpError) => {
      // An error of the connection and the answer to a command may both come; the first one counts.
      opening.resolve(outcomeOfError(error, { stage, secrets, upgrading: connection.upgrading === true }));
    };
    connection.on("error", fail("greeting"));
    const give = (loss: Loss) => opening.resolve(outcomeOfLoss(loss, "session", secrets));
    connection.on("end", () => give({ kind: "lost", detail: "" }));
    const watchdog = new Watchdog(clock, timeoutMs, () => give({ kind: "silent" }));
    const abort = () => give({ kind: "aborted" });
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    connection.connect((error) => {
      if (error) return fail("greeting")(error);
      if (target.auth === null) return opening.resolve(null);
      if (!connection.allowsAuth) {
        const reason = "The mail server offers no way to sign in here, but the gateway has credentials.";
        return opening.resolve({ kind: "deferred", code: "no_auth", reason, gatewayFault: "refused" });
      }
      watchdog.startStep(timeoutMs);
      // A copy: nodemailer notes in it what it made of it.
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
    return failure ?? outcomeOfLoss({ kind: "lost", detail: "" }, "session", secrets);
  }

  /** Whether another mail can be tried on it. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Hands over one mail. `pieces`: the raw mail, in order. `taken`: the server has accepted it. */
  async transmit(
    { from, to, id }: Envelope,
    pieces: readonly Buffer[],
    { clock, signal, timeoutMs }: Tools,
  ): Promise<Transmission> {
    const connection = this.#connection;
    const secrets = this.#secrets;
    this.used += 1;
    let flowing = false;
    /** The final dot may have gone out. */
    let handedOver = false;
    /** Where nodemailer adds the dot, between the mail and the socket. */
    let content: Duplex | null = null;
    const ending = Promise.withResolvers<Transmission>();
    const give = (loss: Loss) =>
      ending.resolve({
        outcome: outcomeOfLoss(loss, handedOver ? "handed_over" : "envelope", secrets),
        retryable: !handedOver && loss.kind !== "aborted",
        reusable: false,
      });
    const giveUp = (loss: Loss) => {
      give(loss);
      // At once: what is under way would go on flowing until somebody hears of the promise.
      this.destroy();
    };
    const watchdog = new Watchdog(clock, timeoutMs, () => giveUp({ kind: "silent" }));
    const abort = () => giveUp({ kind: "aborted" });
    // Said before nodemailer tells why; its words count if there are any.
    const lost = () => queueMicrotask(() => give({ kind: "lost", detail: "" }));
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    connection.on("end", lost);
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const socket = connection._socket;
    // A short mail and its final dot in one packet. A longer one must flow, or nothing would ever be drained.
    const whole = size <= wholeBytes && socket !== false && socket !== null;
    const mail = streamOf(
      whole ? [Buffer.concat(pieces)] : pieces.filter((piece) => piece.length > 0),
      () => {
        flowing = true;
        if (whole && !handedOver && socket.writableCorked === 0) socket.cork();
        watchdog.startStep(timeoutMs);
      },
    );
    mail.once("end", () => {
      // The dot waits for what the server has said already, be it in one packet with its word to go ahead.
      if (!whole && socket) socket.cork();
      setImmediate(() => {
        if (connection.destroyed) return;
        const unread = unreadOf(connection);
        if (unread !== "") return outOfTurn(unread);
        handedOver = true;
        watchdog.startStep(afterDotMs);
        if (socket) socket.uncork();
      });
    });
    // At once: the rest of the content, and the dot, must not follow.
    const outOfTurn = (reply: string) => {
      ending.resolve({ outcome: outcomeOfReply("data", reply, secrets), retryable: false, reusable: false });
      this.destroy();
    };
    const piped = (source: unknown) => {
      if (source instanceof Duplex) content = source;
    };
    if (socket) socket.once("pipe", piped);
    connection.send({ from, to, size, dsn: { id, return: "headers" } }, mail, (error, info) => {
      const due = !flowing || (handedOver && isThrough(content));
      if (!error) {
        if (!due) return outOfTurn(info.response);
        return ending.resolve({ outcome: { kind: "taken" }, retryable: false, reusable: true });
      }
      const reading = { stage: handedOver ? "dot" : "mail", secrets, upgrading: false } as const;
      ending.resolve({
        outcome: outcomeOfError(error, reading),
        retryable: !handedOver && isGone(error),
        reusable: due && isClean(error),
      });
      if (!due) this.destroy();
    });
    const result = await ending.promise;
    watchdog.stop();
    signal.removeEventListener("abort", abort);
    connection.removeListener("end", lost);
    if (socket) socket.removeListener("pipe", piped);
    mail.destroy();
    if (!result.reusable) this.destroy();
    else if (result.outcome.kind !== "taken") await this.#reset(clock, timeoutMs);
    return result;
  }

  /** After a refusal the server may still have half of an envelope. */
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

  /** Says goodbye, and closes it. */
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

let loaded: Promise<typeof SMTPConnection> | undefined;

/** Loaded with the first mail: most installations send none. */
function nodemailerConnection(): Promise<typeof SMTPConnection> {
  loaded ??= import("nodemailer/lib/smtp-connection").then((module) => module.default);
  return loaded;
}

/** `flowing` is called for every chunk that is asked for. */
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

/** Nothing is left in it. Not its `end`: that may wait until the socket has drained, and an answer does not. */
function isThrough(content: Duplex | null): boolean {
  return content?.writableFinished === true && content.readableLength === 0;
}

/** What the server has said and nodemailer has not looked at yet: whole lines, and the beginning of one. */
function unreadOf(connection: SMTPConnection): string {
  const { _responseQueue: lines = [], _remainder: begun = "" } = connection as unknown as {
    _responseQueue?: string[];
    _remainder?: string;
  };
  return [...lines, begun].join("\n").trim();
}

/** The server is gone, or going (421): not a word about the mail. */
function isGone({ command, code, response }: SmtpError): boolean {
  // From `API`: closed, or half closed, before anybody was told so; nothing was written.
  if (command === "API" && code === "ECONNECTION") return true;
  return command === "CONN" || (response?.startsWith("421") ?? false);
}

function isClean({ command, code, response }: SmtpError): boolean {
  if (response === undefined) return code === "EMESSAGE";
  const status = readReply(response)?.status ?? 0;
  return command !== "CONN" && status >= 400 && status !== 421;
}

/** Nodemailer's name for the command that was answered. */
const stages: readonly [prefix: string, stage: Stage][] = [
  ["EHLO", "hello"],
  ["HELO", "hello"],
  ["STARTTLS", "starttls"],
  ["AUTH", "auth"],
  ["MAIL", "mail"],
  ["RCPT", "rcpt"],
];

interface Reading {
  /** Where the exchange was, for errors that do not say. */
  stage: Stage;
  secrets: readonly string[];
  /** TLS was being set up. */
  upgrading: boolean;
}

function outcomeOfError(error: SmtpError, { stage, secrets, upgrading }: Reading): Outcome {
  const { command = "CONN", response, code } = error;
  const handedOver = stage === "dot";
  if (code === "EMESSAGE" && response === undefined && !handedOver) {
    // The server has said how long a mail may be; nothing was sent.
    const reason = `The mail is longer than the mail server takes (${cleanText(error.message, secrets)}).`;
    return { kind: "rejected", code: "5.3.4", reason };
  }
  if (response !== undefined) {
    const answered = stages.find(([prefix]) => command.startsWith(prefix))?.[1];
    if (answered !== undefined) return outcomeOfReply(answered, response, secrets);
    if (command === "DATA") return outcomeOfReply(handedOver ? "dot" : "data", response, secrets);
    // What was said last is complete in these two cases alone; else the line was cut off, or answered nothing.
    if (stage === "greeting" || (!handedOver && response.startsWith("421"))) {
      return outcomeOfReply(stage, response, secrets);
    }
  }
  if (upgrading) {
    return outcomeOfLoss({ kind: "tls", detail: error.originalCode ?? error.message }, "session", secrets);
  }
  const phase = handedOver ? "handed_over" : stage === "mail" ? "envelope" : "session";
  return outcomeOfLoss({ kind: "lost", detail: error.originalCode ?? "" }, phase, secrets);
}
