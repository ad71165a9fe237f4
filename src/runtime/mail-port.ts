// A port that takes mail, and only mail for addresses that somebody in here knows: no relay, no sign-in, no outbox.
// Here because a listener is a door to the outside world; what a mail means is not known here. A mail is answered with
// 250 only after it was taken in for good, so that the server that brings it keeps it until then.

import type { Log } from "./runtime.ts";

export interface IncomingMail {
  /** Addresses of the envelope, each of which was accepted. */
  recipients: readonly string[];
  /** The first MiB of it. */
  raw: Buffer;
}

export interface MailPortOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: Log;
  /** Whether mail to this address is wanted; cheap, and throws nothing. */
  accepts(address: string): boolean;
  /** Resolves when the mail is taken in; rejects when it cannot be now, and is to be brought again. */
  take(mail: IncomingMail): Promise<void>;
}

export interface MailPort {
  port: number;
  /** Takes no more connections and ends those that there are, the last of them after some seconds. */
  close(): Promise<void>;
}

/** Servers may return the whole mail with a report (RFC 3464, 2): refused for its length, a bounce is never heard of. */
export const longestMail = 64 * 1024 * 1024;
/** What a report says stands before the mail that it returns. */
const keptBytes = 1024 * 1024;
const mostConnections = 50;
const mostRecipients = 10;
const idleMs = 60_000;
/** However slowly it talks, a connection ends; Postfix and others keep one open for a few minutes at most. */
const longestConnectionMs = 300_000;
const closeMs = 5_000;

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/** Rejects when the port cannot be had. */
export async function openMailPort(options: MailPortOptions): Promise<MailPort> {
  const { host, port, log, accepts, take } = options;
  // Only who has set a port needs it.
  const { SMTPServer } = await import("smtp-server");
  const server = new SMTPServer({
    name: "trunkline",
    banner: "reports only",
    size: longestMail,
    disabledCommands: ["AUTH", "STARTTLS", "VRFY", "XCLIENT", "XFORWARD"],
    authOptional: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    maxClients: mostConnections,
    maxRecipients: mostRecipients,
    socketTimeout: idleMs,
    closeTimeout: closeMs,
    logger: false,
    onRcptTo({ address }, _session, done) {
      done(accepts(address) ? null : refusal(550, "5.1.1 No such address here"));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      let kept = 0;
      stream.on("data", (chunk: Buffer) => {
        if (kept === keptBytes) return;
        const piece = chunk.subarray(0, keptBytes - kept);
        kept += piece.length;
        chunks.push(piece);
      });
      stream.on("error", () => done(refusal(451, "4.3.0 Not received whole")));
      stream.on("end", () => {
        if (stream.sizeExceeded) {
          done(refusal(552, "5.3.4 Too large"));
          return;
        }
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        take({ recipients, raw: Buffer.concat(chunks, kept) }).then(
          () => done(null, "2.0.0 Taken"),
          (error: unknown) => {
            log.warn({ error }, "a report could not be stored; its server brings it again");
            done(refusal(451, "4.3.0 Try again later"));
          },
        );
      });
    },
  });
  server.server.on("connection", (socket) => {
    const timer = setTimeout(() => socket.destroy(), longestConnectionMs);
    timer.unref();
    socket.once("close", () => clearTimeout(timer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Connections that break off: nothing to be done about them.
  server.on("error", (error) => log.debug({ error }, "a connection of the mail port broke off"));
  const address = server.server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
