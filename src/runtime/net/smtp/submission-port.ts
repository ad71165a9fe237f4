// The SMTP side of mail submission (RFC 6409): connections, TLS, sign-in and the bytes of mails, within bounds of time and memory. Who may
// send and what becomes of a mail is decided by its caller. A mail is answered with 250 only after `take` has resolved.

import type { Socket } from "node:net";
import { createSecureContext, createServer, type Server as TlsServer } from "node:tls";
import type { SMTPServerSession } from "smtp-server";
import { ByteCollector } from "#runtime/byte-collector.ts";
import { clientNetwork } from "#runtime/net/client-network.ts";
import { ConnectionLimit, type Held } from "#runtime/net/connection-limit.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { loadSmtpServer } from "./load-smtp-server.ts";

/** A refusal as SMTP writes it: `550 5.7.1 …`. A code of 421 ends the connection. */
export class SmtpRefusal extends Error {
  readonly responseCode: number;

  constructor(code: number, status: string, text: string) {
    // One line, and short enough for every client.
    super(`${status} ${text.replaceAll(/[\r\n]+/g, " ").slice(0, 400)}`);
    this.responseCode = code;
  }
}

/** Memory that mails share with other things that arrive. */
export interface MemoryShare {
  /** Whether there is room for so many more bytes. */
  grow(bytes: number): boolean;
  release(): void;
}

export interface SubmittedMail {
  recipients: readonly string[];
  raw: Buffer;
}

export interface SubmissionDesk<Sender> {
  /** Who signs in. Rejects with an `SmtpRefusal`. `client`: the address of the client. */
  signIn(client: string, password: string): Promise<Sender>;
  /** Before a mail: rejects with an `SmtpRefusal` if the sender may send none now. */
  admit(sender: Sender): Promise<void>;
  /** Whether mail can be sent to this address; a refusal if not. Cheap. */
  faultOf(address: string): SmtpRefusal | null;
  /** Watches the bytes of a mail as they arrive. */
  inspect(): { add(piece: Buffer): void; readonly areSound: boolean };
  memory(): MemoryShare;
  /** Resolves with the words of the answer when the mail is stored. Rejects with an `SmtpRefusal`. */
  take(sender: Sender, mail: SubmittedMail): Promise<string>;
}

/** A certificate with its chain, and its key, in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

interface SubmissionOptions<Sender> {
  host: string;
  /** 0 chooses a free one. */
  port: number;
  /** TLS from the first byte; otherwise by STARTTLS, if there is a certificate. */
  implicitTls: boolean;
  certificate: Certificate | null;
  /** Whether clients beyond this machine may sign in without TLS. */
  plainSignIn: boolean;
  maxBytes: number;
  maxRecipients: number;
  clock: Clock;
  log: Log;
  desk: SubmissionDesk<Sender>;
}

export interface SubmissionPort {
  port: number;
  /** New connections get this certificate. Throws if it cannot be used. */
  renew(certificate: Certificate): void;
  /** Accepts no more connections and no more mails. Resolves when those that were arriving are answered, after `graceMs` at the latest. */
  close(graceMs: number): Promise<void>;
}

const connectionLimits = { maxConnections: 1000, maxPerNetwork: 250 };
/** RFC 5321 asks for minutes, which applications need between mails of one connection; who has not signed in gets less. */
const idleMs = 120_000;
const provingMs = 30_000;
const handshakeMs = 15_000;
/** From DATA to the final dot. */
const maxMailMs = 600_000;
const maxWrongKeys = 3;
/** A mail that is too large is read to its end, so that its sender reads the answer, but no further than this many times the limit. */
const drainedTimes = 3;
const unsupported = ["VRFY", "XCLIENT", "XFORWARD"];

/** A connection and its progress. */
interface Client<Sender> extends Held {
  /** Where lines are written: the TLS socket once there is one. */
  socket: Socket;
  sender: Sender | null;
  wrongKeys: number;
  /** A mail is arriving or being stored. */
  busy: boolean;
}

/** Whether an address is of this machine itself. */
export function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$|^localhost$/i.test(address);
}

/** Rejects if the port cannot be opened or the certificate cannot be used. */
export async function openSubmissionPort<Sender>(
  options: SubmissionOptions<Sender>,
): Promise<SubmissionPort> {
  const { host, port, implicitTls, certificate, plainSignIn, maxBytes, maxRecipients } = options;
  const { clock, log, desk } = options;
  const open = new ConnectionLimit(connectionLimits);
  /** By network and port of the client. */
  const clients = new Map<string, Client<Sender>>();
  const keyOf = (address: string | undefined, remotePort: number | undefined) =>
    `${clientNetwork(address ?? "")} ${remotePort}`;
  const clientOf = (session: SMTPServerSession) =>
    clients.get(keyOf(session.remoteAddress, session.remotePort));
  let closing = false;
  if (certificate !== null) createSecureContext(certificate);

  const senderOf = (session: SMTPServerSession): { client: Client<Sender>; sender: Sender } => {
    const client = clientOf(session);
    if (client?.sender != null) return { client, sender: client.sender };
    throw session.secure || certificate === null
      ? new SmtpRefusal(530, "5.7.0", "Sign in first: AUTH PLAIN or AUTH LOGIN, with an API key as password")
      : new SmtpRefusal(530, "5.7.0", "Issue STARTTLS first, then sign in");
  };

  const SMTPServer = await loadSmtpServer();
  const server = new SMTPServer({
    name: "trunkline",
    banner: "submission",
    heloResponse: "%s",
    ...(implicitTls ? { secure: true, secured: true } : certificate),
    minVersion: "TLSv1.2",
    size: maxBytes,
    authMethods: ["PLAIN", "LOGIN"],
    authRequiredMessage: "5.7.0 Sign in first: AUTH PLAIN or AUTH LOGIN, with an API key as password",
    // Before TLS the command is taken away from each session for which it is not allowed.
    allowInsecureAuth: true,
    disabledCommands: certificate === null ? [...unsupported, "STARTTLS"] : unsupported,
    disableReverseLookup: true,
    // Refuses, with a reason, connections that `meet` has no slot for, in case both count differently.
    maxClients: connectionLimits.maxConnections + 1,
    maxRecipients,
    socketTimeout: idleMs,
    logger: false,
    onConnect(session, done) {
      const maySignIn = session.secure || plainSignIn || isLoopback(session.remoteAddress);
      if (!maySignIn) disable(session, [...unsupported, "AUTH"]);
      done();
    },
    onSecure(socket, session, done) {
      disable(session, unsupported);
      const client = clientOf(session);
      // What was known before TLS no longer counts (RFC 3207, 4.2).
      if (client !== undefined) Object.assign(client, { socket, sender: null });
      done();
    },
    // STARTTLS takes all listeners from the socket, so its own `close` is not enough.
    onClose: (session) => forget(keyOf(session.remoteAddress, session.remotePort)),
    onAuth({ password }, session, done) {
      const client = clientOf(session);
      if (client === undefined) return done(new SmtpRefusal(421, "4.3.0", "The connection is closing"));
      desk.signIn(session.remoteAddress, password ?? "").then(
        (sender) => {
          client.sender = sender;
          client.proven = true;
          done(null, { user: "key" });
        },
        (error: unknown) => {
          const refusal = refusalFor(error, "signing in");
          if (refusal.responseCode === 535) client.wrongKeys += 1;
          if (client.wrongKeys < maxWrongKeys) return done(refusal);
          done(new SmtpRefusal(421, "4.7.0", "Too many wrong keys"));
        },
      );
    },
    onMailFrom(_address, session, done) {
      if (closing) return done(new SmtpRefusal(421, "4.3.2", "The service is stopping; try again later"));
      Promise.try(() => desk.admit(senderOf(session).sender)).then(
        () => done(),
        (error: unknown) => done(refusalFor(error, "a sender")),
      );
    },
    onRcptTo({ address }, _session, done) {
      const fault =
        typeof address === "string" ? desk.faultOf(address) : new SmtpRefusal(501, "5.1.3", "No address");
      done(fault);
    },
    onData(stream, session, done) {
      const client = clientOf(session);
      const sender = client?.sender;
      if (client === undefined || sender == null) {
        stream.resume();
        done(new SmtpRefusal(421, "4.3.0", "The connection is closing"));
        return;
      }
      client.busy = true;
      const memory = desk.memory();
      const inspected = desk.inspect();
      const collector = new ByteCollector();
      const over = new AbortController();
      let fault: SmtpRefusal | null = null;
      let received = 0;
      const finish = (refusal: SmtpRefusal | null, words = "") => {
        collector.clear();
        memory.release();
        client.busy = false;
        if (refusal === null) done(null, words);
        else done(refusal);
        if (closing) setImmediate(() => end(client, "421 4.3.2 The service is stopping"));
      };
      void clock.sleep(maxMailMs, over.signal).then(() => {
        if (!over.signal.aborted) client.socket.destroy();
      });
      const refuse = (refusal: SmtpRefusal) => {
        fault = refusal;
        collector.clear();
        memory.release();
      };
      stream.on("data", (piece: Buffer) => {
        received += piece.length;
        if (fault === null) {
          inspected.add(piece);
          if (received > maxBytes) refuse(tooLarge(maxBytes));
          else if (!memory.grow(piece.length))
            refuse(new SmtpRefusal(452, "4.3.1", "Too many mails are arriving; try again later"));
          else collector.add(piece);
        } else if (received > maxBytes * drainedTimes) end(client, "552 5.3.4 The mail is far too large");
      });
      stream.on("error", () => {
        over.abort();
        finish(new SmtpRefusal(451, "4.3.0", "The mail was not received whole"));
      });
      stream.on("end", () => {
        over.abort();
        if (fault !== null) return finish(fault);
        if (!inspected.areSound)
          return finish(
            new SmtpRefusal(554, "5.6.0", "Lines must end in CRLF, and the mail must not have NUL"),
          );
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        desk.take(sender, { recipients, raw: collector.take() }).then(
          (words) => finish(null, words),
          (error: unknown) => finish(refusalFor(error, "a mail")),
        );
      });
    },
  });

  const failed = (error: Error) =>
    log.debug({ event: "submission.connection_failed", error }, "A connection of mail submission failed.");

  /** What to answer to an error. One that is no refusal is a fault of ours. */
  function refusalFor(error: unknown, what: string): SmtpRefusal {
    if (error instanceof SmtpRefusal) return error;
    log.error({ event: "submission.failed", error }, `A step of mail submission failed: ${what}.`);
    return new SmtpRefusal(451, "4.3.0", "The service has an error; try again later");
  }

  const left = new Map<Client<Sender>, AbortController>();
  /** Frees the slot of a connection that is gone. */
  const forget = (key: string, only?: Client<Sender>) => {
    const client = clients.get(key);
    if (client === undefined || (only !== undefined && client !== only)) return;
    clients.delete(key);
    open.leave(client);
    left.get(client)?.abort();
    left.delete(client);
  };

  /** Assigns a connection its slot and its time limit. */
  const meet = (socket: Socket) => {
    const network = clientNetwork(socket.remoteAddress ?? "");
    const client: Client<Sender> = {
      socket,
      network,
      proven: false,
      giveUp: () => end(client, "421 4.3.2 Too many connections"),
      sender: null,
      wrongKeys: 0,
      busy: false,
    };
    if (closing || !open.take(client)) {
      end(client, "421 4.7.0 Too many connections");
      return;
    }
    const key = keyOf(socket.remoteAddress, socket.remotePort);
    const gone = new AbortController();
    // A client that had the same port before is gone; its close has not been seen yet.
    forget(key);
    clients.set(key, client);
    left.set(client, gone);
    socket.once("close", () => forget(key, client));
    void clock.sleep(provingMs, gone.signal).then(() => {
      if (!gone.signal.aborted && !client.proven) end(client, "421 4.4.2 Sign in sooner");
    });
  };
  // With TLS first, Node's own server does the handshake, whose time is bounded, and takes a new certificate for the next one.
  let tls: TlsServer | null = null;
  if (implicitTls) {
    const handshakes = { ...certificate, minVersion: "TLSv1.2", handshakeTimeout: handshakeMs } as const;
    tls = createServer(handshakes, (socket) => {
      meet(socket);
      if (!socket.destroyed) server.connect(socket);
    });
    tls.maxConnections = connectionLimits.maxConnections;
    tls.on("tlsClientError", (error) => failed(error));
  } else server.server.on("connection", meet);
  const listening = tls ?? server.server;
  await new Promise<void>((resolve, reject) => {
    listening.once("error", reject);
    listening.listen(port, host, () => {
      listening.off("error", reject);
      resolve();
    });
  });
  // Errors of single connections need no action.
  listening.on("error", failed);
  server.on("error", failed);
  const address = listening.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    renew: (renewed) => {
      createSecureContext(renewed);
      if (tls === null) server.updateSecureContext({ ...renewed });
      else tls.setSecureContext({ ...renewed, minVersion: "TLSv1.2" });
    },
    close: async (graceMs) => {
      closing = true;
      const closed = new Promise<void>((resolve) => listening.close(() => resolve()));
      const over = new AbortController();
      for (const client of clients.values())
        if (!client.busy) end(client, "421 4.3.2 The service is stopping");
      void clock.sleep(graceMs, over.signal).then(() => {
        if (!over.signal.aborted) for (const { socket } of clients.values()) socket.destroy();
      });
      await closed;
      over.abort();
    },
  };
}

const tooLarge = (maxBytes: number) =>
  new SmtpRefusal(552, "5.3.4", `A mail may have at most ${maxBytes} bytes`);

/** Takes commands away from one session. */
function disable(session: SMTPServerSession, commands: readonly string[]): void {
  (session as { disabledCommands?: string[] }).disabledCommands = [...commands];
}

/** Ends a connection with a last line. */
function end({ socket }: Pick<Client<unknown>, "socket">, line: string): void {
  if (socket.writable) socket.write(`${line}\r\n`);
  socket.destroySoon();
}
