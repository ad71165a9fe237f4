// An SMTP listener that accepts mail for known addresses only: no relay, no authentication, no outgoing mail. It does not
// know what a mail means. It answers 250 only after the mail is stored, so that the sending server keeps it until then.

import type { Socket } from "node:net";
import { ByteCollector } from "#runtime/byte-collector.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { clientNetwork } from "./client-network.ts";
import { ConnectionLimit, type Held } from "./connection-limit.ts";

export interface IncomingMail {
  /** Addresses of the envelope, each of which was accepted. */
  recipients: readonly string[];
  /** The first MiB of it. */
  raw: Buffer;
}

interface SmtpListenerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  clock: Clock;
  log: Log;
  /** Whether mail to this address is accepted; cheap, and throws nothing. */
  accepts(address: string): boolean;
  /** Resolves when the mail is taken in; rejects when it cannot be now, and is to be brought again. */
  take(mail: IncomingMail): Promise<void>;
}

export interface SmtpListener {
  port: number;
  /** Takes no more connections and ends those that there are, the last of them after some seconds. */
  close(): Promise<void>;
}

/** Servers may return the whole mail with a report (RFC 3464, 2): refused for its length, a bounce is never heard of. */
export const maxMailBytes = 64 * 1024 * 1024;
/** A report comes before the mail that it returns. */
const keptBytes = 1024 * 1024;
const connectionLimits = { maxConnections: 100, maxPerNetwork: 10 };
const maxRecipients = 10;
/** Mail servers answer within seconds, and Postfix keeps an idle connection for 2 s. */
const idleMs = 30_000;
/** Until a connection has named an address that is accepted here, which only servers with a mail of ours can. */
const provingMs = 30_000;
/** However slowly it talks, a connection ends; Postfix and others keep one open for a few minutes at most. */
const maxConnectionMs = 300_000;
/** Wrong addresses are guesses: a server that has a mail of ours knows the right one. */
const maxWrongAddresses = 5;
const maxMails = 100;
/** Bytes of commands before each mail; the longest that are needed, for ten recipients, have 4 KiB. */
const maxCommandBytes = 16 * 1024;
const closeMs = 5_000;

/** A connection, and what it has done so far. */
interface Caller extends Held {
  socket: Socket;
  wrongAddresses: number;
  mails: number;
  /** Bytes that had been read when it last began to give commands; null while it sends a mail. */
  commandsFrom: number | null;
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/** Rejects when the port cannot be had. */
export async function openSmtpListener(options: SmtpListenerOptions): Promise<SmtpListener> {
  const { host, port, clock, log, accepts, take } = options;
  const open = new ConnectionLimit(connectionLimits);
  /** By network and port of the client. */
  const callers = new Map<string, Caller>();
  const callerOf = ({ remoteAddress, remotePort }: { remoteAddress: string; remotePort: number }) =>
    callers.get(`${clientNetwork(remoteAddress)} ${remotePort}`);
  // Only who has set a port needs it.
  const { SMTPServer } = await import("smtp-server");
  const server = new SMTPServer({
    name: "trunkline",
    banner: "reports only",
    size: maxMailBytes,
    disabledCommands: ["AUTH", "STARTTLS", "VRFY", "XCLIENT", "XFORWARD"],
    authOptional: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    // Refuses with a reason what `meet` has no place for, should both count differently.
    maxClients: connectionLimits.maxConnections + 1,
    maxRecipients: maxRecipients,
    socketTimeout: idleMs,
    closeTimeout: closeMs,
    logger: false,
    onMailFrom(_address, session, done) {
      const caller = callerOf(session);
      done(caller !== undefined && caller.mails >= maxMails ? refusal(421, "4.7.0 Too many mails") : null);
    },
    onRcptTo({ address }, session, done) {
      const caller = callerOf(session);
      if (accepts(address)) {
        if (caller !== undefined) caller.proven = true;
        done();
        return;
      }
      if (caller !== undefined) caller.wrongAddresses += 1;
      const guesses = caller !== undefined && caller.wrongAddresses >= maxWrongAddresses;
      done(
        guesses ? refusal(421, "4.7.0 Too many wrong addresses") : refusal(550, "5.1.1 No such address here"),
      );
    },
    onData(stream, session, done) {
      const caller = callerOf(session);
      if (caller !== undefined) {
        caller.mails += 1;
        caller.commandsFrom = null;
      }
      const collector = new ByteCollector();
      stream.on("data", (piece: Buffer) => collector.add(piece.subarray(0, keptBytes - collector.length)));
      stream.on("error", () => done(refusal(451, "4.3.0 Not received whole")));
      stream.on("end", () => {
        if (caller !== undefined) caller.commandsFrom = caller.socket.bytesRead;
        if (stream.sizeExceeded) {
          done(refusal(552, "5.3.4 Too large"));
          return;
        }
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        take({ recipients, raw: collector.take() }).then(
          () => done(null, "2.0.0 Taken"),
          (error: unknown) => {
            log.warn(
              { event: "smtp.store_failed", error },
              "A mail could not be stored; the sending server retries.",
            );
            done(refusal(451, "4.3.0 Try again later"));
          },
        );
      });
    },
  });

  const end = (socket: Socket, words: string) => {
    if (socket.writable) socket.write(`421 ${words}\r\n`);
    socket.destroySoon();
  };
  /** Gives a connection its place and its time. */
  const meet = (socket: Socket) => {
    const network = clientNetwork(socket.remoteAddress ?? "");
    const caller: Caller = {
      socket,
      network,
      proven: false,
      giveUp: () => end(socket, "4.3.2 Too many connections"),
      wrongAddresses: 0,
      mails: 0,
      commandsFrom: 0,
    };
    if (!open.take(caller)) {
      end(socket, "4.7.0 Too many connections");
      return;
    }
    const key = `${network} ${socket.remotePort}`;
    const gone = new AbortController();
    callers.set(key, caller);
    socket.once("close", () => {
      gone.abort();
      open.leave(caller);
      if (callers.get(key) === caller) callers.delete(key);
    });
    socket.on("data", () => {
      const { commandsFrom } = caller;
      if (commandsFrom !== null && socket.bytesRead - commandsFrom > maxCommandBytes)
        end(socket, "4.7.0 Too many commands");
    });
    void clock.sleep(provingMs, gone.signal).then(async () => {
      if (!gone.signal.aborted && !caller.proven) end(socket, "4.4.2 Too slow");
      await clock.sleep(maxConnectionMs - provingMs, gone.signal);
      if (!gone.signal.aborted) socket.destroy();
    });
  };
  server.server.on("connection", meet);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Errors of single connections need no action.
  server.on("error", (error) =>
    log.debug({ event: "smtp.connection_failed", error }, "A connection of the SMTP listener failed."),
  );
  const address = server.server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
