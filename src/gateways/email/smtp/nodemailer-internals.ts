// The fields of nodemailer's SMTP connection that are not its public interface. They are read here and nowhere else, and
// checked when nodemailer is loaded: a version without them must fail before it sends a mail, not during one.

import type { Socket } from "node:net";
import type SMTPConnection from "nodemailer/lib/smtp-connection";

interface Internals {
  /** `false` before the connection is made. After STARTTLS, the TLS socket. */
  _socket: Socket | false | null;
  /** Complete reply lines that nodemailer has not processed yet. */
  _responseQueue: string[];
  /** The beginning of a reply line whose end has not arrived yet. */
  _remainder: string;
}

const checks: Readonly<Record<keyof Internals, (value: unknown) => boolean>> = {
  _socket: (value) => value === false || value === null,
  _responseQueue: (value) => Array.isArray(value),
  _remainder: (value) => typeof value === "string",
};

/** Throws if a new connection of this class lacks one of the fields. */
export function checkInternals(Connection: new () => object): void {
  const connection = new Connection() as Record<string, unknown>;
  const changed = Object.entries(checks)
    .filter(([name, isExpected]) => !(name in connection) || !isExpected(connection[name]))
    .map(([name]) => name);
  if (changed.length === 0) return;
  throw new Error(
    `This version of nodemailer cannot be used: its SMTP connection has no ${changed.join(", no ")}. Install the version that package.json names.`,
  );
}

let loading: Promise<typeof SMTPConnection> | undefined;

/** Loads nodemailer with the first mail, because most installations send none. Rejects if the internals have changed. */
export function loadSmtpConnection(): Promise<typeof SMTPConnection> {
  loading ??= import("nodemailer/lib/smtp-connection").then(({ default: Connection }) => {
    checkInternals(Connection);
    return Connection;
  });
  return loading;
}

const internalsOf = (connection: SMTPConnection) => connection as unknown as Internals;

/** The socket that nodemailer writes to. Null before it is connected. */
export function socketOf(connection: SMTPConnection): Socket | null {
  return internalsOf(connection)._socket || null;
}

/** What the server has sent and nodemailer has not processed: complete lines, and the beginning of one. */
export function unreadReply(connection: SMTPConnection): string {
  const { _responseQueue: lines, _remainder: remainder } = internalsOf(connection);
  return [...lines, remainder].join("\n").trim();
}
