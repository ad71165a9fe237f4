// An SMTP listener that accepts mail for known addresses only: no relay, no authentication, no outgoing mail. It does not interpret mails.
// It answers 250 only after the mail is stored, so that the sending server keeps it until then.

import type { Socket } from "node:net";
import { ByteCollector } from "#runtime/byte-collector.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { clientNetwork } from "./client-network.ts";
import { ConnectionLimit, type Held } from "./connection-limit.ts";
import { loadSmtpServer } from "./smtp/load-smtp-server.ts";

export interface IncomingMail {
  /** Addresses of the envelope, each of which was accepted. */
  recipients: readonly string[];
  /** The first MiB of it. */
  raw: Buffer;
}

interface SmtpListenerOptions {
  host: string;
  /** 0 chooses a free one. */
  port: number;
  clock: Clock;
  log: Log;
  /** Whether mail to this address is accepted; cheap, and never throws. */
  accepts(address: string): boolean;
  /** Resolves when the mail is stored; rejects if that is impossible now and the server should retry. */
  take(mail: IncomingMail): Promise<void>;
}

export interface SmtpListener {
  port: number;
  /** Accepts no more connections and closes the existing ones, the last of them after some seconds. */
  close(): Promise<void>;
}

/** Servers may return the whole mail with a report (RFC 3464, 2): if its length were refused, the bounce would be lost. */
export const maxMailBytes = 64 * 1024 * 1024;
/** The report precedes the mail that it returns. */
const keptBytes = 1024 * 1024;
const connectionLimits = { maxConnections: 100, maxPerNetwork: 10 };
const maxRecipients = 10;
/** Mail servers answer within seconds, and Postfix keeps an idle connection for 2 s. */
const idleMs = 30_000;
/** Until a connection has named an address that is accepted here, which only servers with a mail of ours know. */
const provingMs = 30_000;
/** However slowly it talks, a connection ends; Postfix and others keep one open for a few minutes at most. */
const maxConnectionMs = 300_000;
/** Wrong addresses are guesses: a server that has a mail of ours knows the right one. */
const maxWrongAddresses = 5;
const maxMails = 100;
/** Bytes of commands before each mail; the longest necessary ones, for ten recipients, take 4 KiB. */
const maxCommandBytes = 16 * 1024;
const closeMs = 5_000;

/** A connection and its progress. */
interface Caller extends Held {
  socket: Socket;
  wrongAddresses: number;
  mails: number;
  /** Bytes that had been read when it last began to send commands; null while it sends a mail. */
  commandsFrom: number | null;
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/** Rejects if the port cannot be opened. */
export async function openSmtpListener(options: SmtpListenerOptions): Promise<SmtpListener> {
  const { host, port, clock, log, accepts, take } = options;
  const open = new ConnectionLimit(connectionLimits);
  /** By network and port of the client. */
  const callers = new Map<string, Caller>();
  const callerOf = ({ remoteAddress, remotePort }: { remoteAddress: string; remotePort: number }) =>
    callers.get(`${clientNetwork(remoteAddress)} ${remotePort}`);
  const SMTPServer = await loadSmtpServer();
  const server = new SMTPServer({
    name: "trunkline",
    banner: "reports only",
    size: maxMailBytes,
    disabledCommands: ["AUTH", "STARTTLS", "VRFY", "XCLIENT", "XFORWARD"],
    authOptional: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    // Refuses, with a reason, connections that `meet` has no slot for, in case both count differently.
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
  /** Assigns a connection its slot and its time limit. */
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
