// Mail submission as an application meets it: a whole system with its port open, a scripted mail server behind its gateway, and what the
// tests say to the port, by nodemailer's connection or byte by byte.

import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { EmailRecord } from "#contract/messages/record.ts";
import { createSubmissionDesk, maxRecipients } from "#http/submission/desk.ts";
import { openSubmissionPort, type SubmissionPort } from "#runtime/net/smtp/submission-port.ts";
import { cert, key } from "../../gateways/email/certificate.ts";
import { openScriptedSmtp, type Script, type ScriptedSmtp } from "../../gateways/email/scripted-smtp.ts";
import { type EngineName, type Harness, harness } from "../../harness.ts";

export const certificate = { cert, key };
export const gateway = "mail";

export interface Submitting {
  it: Harness;
  /** The account's key. */
  key: string;
  /** The mail server of the gateway. */
  server: ScriptedSmtp;
  port: SubmissionPort;
  implicitTls: boolean;
}

export interface SubmittingOptions {
  engine?: EngineName;
  implicitTls?: boolean;
  /** Null: the port has none. */
  withCertificate?: boolean;
  maxBytes?: number;
  /** Settings of the mail gateway beside the usual ones. */
  settings?: object;
  account?: object;
  script?: Script;
  harness?: Parameters<typeof harness>[0];
}

/** A system with one SMTP gateway of example.com, and the port open. All of it is closed when the test ends. */
export async function submitting(
  context: Pick<TestContext, "after">,
  options: SubmittingOptions = {},
): Promise<Submitting> {
  const { implicitTls = false, withCertificate = true, maxBytes = 1024 * 1024, script } = options;
  const it = await harness({
    allow: "127.0.0.0/8",
    ...(options.engine && { engine: options.engine }),
    ...options.harness,
  });
  context.after(() => it.close());
  const server = await openScriptedSmtp({ security: "starttls", ...(script && { script }) });
  context.after(() => server.close());
  const account = await it.account({
    plan: { name: "basic", expires_at: null, credit: { email: 1000 } },
    ...options.account,
  });
  await it.gateway({
    identifier: gateway,
    channel: "email",
    kind: "smtp",
    default: true,
    settings: {
      host: "localhost",
      port: server.port,
      ca: cert,
      from: "news@example.com",
      ...options.settings,
    },
  } as never);
  const port = await openSubmissionPort({
    host: "127.0.0.1",
    port: 0,
    implicitTls,
    certificate: withCertificate ? certificate : null,
    plainSignIn: false,
    maxBytes,
    maxRecipients,
    clock: it.clock,
    log: it.log,
    desk: createSubmissionDesk(it.system.core, it.system.sharedLimits),
  });
  context.after(() => port.close(0));
  return { it, key: account.key, server, port, implicitTls };
}

/** What a client was answered. */
export interface Answer {
  code: number;
  text: string;
}

interface ClientError extends Error {
  responseCode?: number | undefined;
  response?: string | undefined;
}

export interface Mail {
  from?: string;
  to?: readonly string[];
  raw: string | Buffer;
  /** In place of the account's key; null: does not sign in. */
  password?: string | null;
  method?: "PLAIN" | "LOGIN";
  tls?: boolean;
}

/** Sends one mail as nodemailer does; the server's last answer. */
export async function submit(own: Submitting, mail: Mail): Promise<Answer> {
  const { from = "app@example.com", to = ["ada@example.net"], raw, password = own.key, tls = true } = mail;
  const client = new SMTPConnection({
    host: "localhost",
    port: own.port.port,
    secure: own.implicitTls,
    ignoreTLS: !tls,
    requireTLS: tls && !own.implicitTls,
    tls: { ca: cert },
  });
  const answerTo = (error: ClientError): Answer => ({
    code: error.responseCode ?? 0,
    text: error.response ?? error.message,
  });
  return await new Promise<Answer>((resolve) => {
    const failed = (error: ClientError) => resolve(answerTo(error));
    client.once("error", failed);
    const send = () =>
      client.send({ from, to: [...to] }, raw, (error: ClientError | null, info) =>
        error ? failed(error) : resolve({ code: 250, text: info.response }),
      );
    client.connect((error) => {
      if (error) return failed(error as ClientError);
      if (password === null) return send();
      const credentials = { user: "anything", pass: password };
      client.login(
        { ...credentials, method: mail.method ?? "PLAIN" } as never,
        (refused: ClientError | null) => (refused ? failed(refused) : send()),
      );
    });
  }).finally(() => client.close());
}

/** A conversation on one socket. */
export interface Talk {
  socket: Socket;
  /** Writes a line, or bytes as they are; resolves with the next whole answer, empty when the connection ended. */
  say(line: string | Buffer): Promise<string>;
  /** The next whole answer. */
  hear(): Promise<string>;
  end(): void;
}

/** Connects and hears the greeting. */
export async function talk(port: number, host = "127.0.0.1"): Promise<Talk> {
  const socket = connect(port, host);
  let text = "";
  let closed = false;
  let wake = () => {};
  socket.setEncoding("latin1");
  socket.on("data", (piece: string) => {
    text += piece;
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
    wake();
  });
  const hear = async () => {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)?.[0];
      if (whole !== undefined) {
        text = text.slice(whole.length);
        return whole.trimEnd();
      }
      if (closed) return "";
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const say = (line: string | Buffer) => {
    socket.write(typeof line === "string" ? `${line}\r\n` : line);
    return hear();
  };
  await hear();
  return { socket, say, hear, end: () => socket.destroy() };
}

/** The argument of `AUTH PLAIN`. */
export const plain = (password: string, user = "anything"): string =>
  Buffer.from(`\0${user}\0${password}`).toString("base64");

/** A conversation that has signed in, without TLS. */
export async function signedIn(own: Submitting): Promise<Talk> {
  const wire = await talk(own.port.port);
  await wire.say("EHLO client.test");
  const answer = await wire.say(`AUTH PLAIN ${plain(own.key)}`);
  if (!answer.startsWith("235")) throw new Error(answer);
  return wire;
}

/** Our id in the answer to a mail. */
export const idIn = ({ text }: Answer): string => /msg_\w+/.exec(text)?.[0] ?? "";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The record of a mail once it no longer waits and is not being sent. */
export async function settled({ it }: Submitting, id: string): Promise<EmailRecord> {
  for (let looks = 0; looks < 200; looks += 1) {
    await it.settle();
    const record: EmailRecord = (await it.get(`/api/get/email/${id}`)).json().data;
    if (record.status !== "queued" && record.status !== "sending") return record;
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }
  throw new Error(`${id} came to no end`);
}

/** Lines with CRLF between them, the empty one between header and body included. */
export const lines = (...all: readonly string[]): string => `${all.join("\r\n")}\r\n`;

export const simple = lines(
  "From: App <app@example.com>",
  "To: ada@example.net",
  "Subject: Hello",
  "",
  "Hello Ada.",
);
