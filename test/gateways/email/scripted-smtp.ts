// A mail server on loopback that does at each step what the test says, and remembers what it was handed. It is lax on
// purpose: besides CRLF.CRLF it takes every other spelling of the end of a mail that some server has taken.

import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { cert, key } from "./certificate.ts";

export const stages = [
  "connect",
  "banner",
  "EHLO",
  "STARTTLS",
  "AUTH",
  "MAIL",
  "RCPT",
  "DATA",
  "dot",
] as const;
export type SmtpStage = (typeof stages)[number];

/** What happens instead of the usual answer; any other text is written as the answer. `stall`: asks for the content, and reads none. */
export type Fault = "reset" | "silence" | "close" | "stall" | (string & {});

export interface Handed {
  from: string;
  to: string[];
  /** The commands with their parameters, as they came. */
  commands: string[];
  /** Without the final dot; nothing is unstuffed. */
  raw: Buffer;
  /** Over which connection, from 1. */
  connection: number;
  /** Whether it was said to be taken. */
  taken: boolean;
}

export interface ScriptedSmtp {
  port: number;
  /** Every mail whose end was seen, in order. */
  handed: Handed[];
  /** Every command so far, of all connections. */
  commands: string[];
  connections(): number;
  /** Connections that are open. */
  open(): number;
  /** Resolves when a step was come to so often, from 1. */
  reached(stage: SmtpStage, times?: number): Promise<void>;
  /** What the next steps meet. */
  script(script: Script): void;
  /** A line on every connection, asked for or not. */
  say(line: string): void;
  /** Ends what idles, as servers do: with or without a word. */
  dropIdle(word?: string): void;
  close(): Promise<void>;
}

/** `nth`: how often this step was come to, from 1. Null: the usual answer. */
export type Script = (stage: SmtpStage, nth: number) => Fault | null;

export interface ScriptedSmtpOptions {
  script?: Script;
  /** `starttls`: offered; `tls`: from the start. Default: neither. */
  security?: "starttls" | "tls";
  extensions?: readonly string[];
  /** The end of a mail. Default: as the standard has it, and as lax servers do. */
  strict?: boolean;
}

const laxEnds = ["\r\n.\r\n", "\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r.\r\n", "\r\n.\r", "\n.\r"];

export async function openScriptedSmtp(options: ScriptedSmtpOptions = {}): Promise<ScriptedSmtp> {
  let script: Script = options.script ?? (() => null);
  const counts = new Map<SmtpStage, number>();
  const waiting: { stage: SmtpStage; times: number; resolve: () => void }[] = [];
  const open = new Set<Socket>();
  const handed: Handed[] = [];
  const commands: string[] = [];
  let connections = 0;

  const come = (stage: SmtpStage): Fault | null => {
    const nth = (counts.get(stage) ?? 0) + 1;
    counts.set(stage, nth);
    const fault = script(stage, nth);
    for (const each of waiting) if (each.stage === stage && each.times <= nth) each.resolve();
    return fault;
  };

  const server = createServer({ noDelay: true }, (bare) => {
    connections += 1;
    open.add(bare);
    bare.on("close", () => open.delete(bare));
    bare.on("error", () => {});
    const connection = connections;
    if (options.security === "tls") talk(secured(bare), bare, connection, true);
    else talk(bare, bare, connection, false);
  });

  function secured(socket: Socket): TLSSocket {
    const tls = new TLSSocket(socket, { isServer: true, key, cert });
    tls.on("error", () => socket.destroy());
    return tls;
  }

  /** Answers as usual unless the script says otherwise; returns whether the usual happened. */
  function answer(socket: Socket, bare: Socket, stage: SmtpStage, defaultReply: string): boolean {
    const fault = come(stage);
    if (fault === "reset") bare.resetAndDestroy();
    else if (fault === "close") socket.end();
    else if (fault === "stall") {
      socket.write("354 Go ahead\r\n");
      bare.pause();
    } else if (fault === null) socket.write(`${defaultReply}\r\n`);
    else if (fault !== "silence") {
      socket.write(`${fault}\r\n`);
      if (fault.startsWith("421")) socket.end();
    }
    return fault === null;
  }

  function talk(first: Socket, bare: Socket, connection: number, alreadySecure: boolean): void {
    let socket = first;
    let secure = alreadySecure;
    let buffer = "";
    let mail: { from: string; to: string[]; commands: string[] } | null = null;
    let inData = false;
    let signingIn = 0;

    const extensions = () => {
      const offered = [...(options.extensions ?? ["PIPELINING", "SIZE 52428800"])];
      if (options.security === "starttls" && !secure) offered.push("STARTTLS");
      else offered.push("AUTH PLAIN LOGIN CRAM-MD5");
      return ["250-scripted.test", ...offered.map((name) => `250-${name}`), "250 HELP"].join("\r\n");
    };
    const data = (chunk: Buffer) => {
      buffer += chunk.toString("latin1");
      for (;;) {
        if (inData) {
          if (!takeMail()) return;
          continue;
        }
        const end = buffer.indexOf("\r\n");
        if (end === -1) return;
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        command(line);
        if (socket.destroyed) return;
      }
    };
    const takeMail = (): boolean => {
      const ends = options.strict ? [laxEnds[0]!] : laxEnds;
      const found = ends
        .map((end) => ({ at: buffer.indexOf(end), length: end.length }))
        .filter(({ at }) => at !== -1)
        .sort((a, b) => a.at - b.at || b.length - a.length)[0];
      if (found === undefined) return false;
      const raw = Buffer.from(buffer.slice(0, found.at + 2), "latin1");
      buffer = buffer.slice(found.at + found.length);
      inData = false;
      const entry = { ...mail!, raw, connection, taken: false };
      handed.push(entry);
      mail = null;
      entry.taken = answer(socket, bare, "dot", `250 2.0.0 Ok: queued as Q${handed.length}`);
      return true;
    };
    const command = (line: string) => {
      commands.push(line);
      if (signingIn > 0) {
        signingIn -= 1;
        if (signingIn === 0) answer(socket, bare, "AUTH", "235 2.7.0 Welcome");
        else socket.write("334 UGFzc3dvcmQ6\r\n");
        return;
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "EHLO" || verb === "HELO") answer(socket, bare, "EHLO", extensions());
      else if (/^STARTTLS$/i.test(line)) {
        if (!answer(socket, bare, "STARTTLS", "220 2.0.0 Go ahead")) return;
        bare.removeListener("data", data);
        secure = true;
        buffer = "";
        socket = secured(bare);
        socket.on("data", data);
      } else if (/^AUTH PLAIN/i.test(line)) answer(socket, bare, "AUTH", "235 2.7.0 Welcome");
      else if (/^AUTH LOGIN/i.test(line)) {
        signingIn = 2;
        socket.write("334 VXNlcm5hbWU6\r\n");
      } else if (/^AUTH CRAM-MD5/i.test(line)) {
        signingIn = 1;
        socket.write(`334 ${Buffer.from("<1@scripted.test>").toString("base64")}\r\n`);
      } else if (verb === "MAIL") {
        if (mail !== null) return void socket.write("503 5.5.1 Nested MAIL\r\n");
        if (answer(socket, bare, "MAIL", "250 2.1.0 Ok"))
          mail = { from: addressIn(line), to: [], commands: [line] };
      } else if (verb === "RCPT") {
        if (mail === null) return void socket.write("503 5.5.1 MAIL first\r\n");
        mail.commands.push(line);
        if (answer(socket, bare, "RCPT", "250 2.1.5 Ok")) mail.to.push(addressIn(line));
      } else if (verb === "DATA") {
        if (mail === null || mail.to.length === 0) return void socket.write("503 5.5.1 RCPT first\r\n");
        inData = answer(socket, bare, "DATA", "354 Go ahead");
      } else if (verb === "RSET") {
        mail = null;
        socket.write("250 2.0.0 Ok\r\n");
      } else if (verb === "QUIT") socket.end("221 2.0.0 Bye\r\n");
      else socket.write("500 5.5.2 What?\r\n");
    };

    const fault = come("connect");
    if (fault === "reset") return void bare.resetAndDestroy();
    if (fault !== null && fault !== "silence") return void socket.end(`${fault}\r\n`);
    socket.on("data", data);
    if (fault === null) answer(socket, bare, "banner", "220 scripted.test ESMTP");
  }

  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    handed,
    commands,
    connections: () => connections,
    open: () => open.size,
    reached: (stage, times = 1) =>
      new Promise((resolve) => {
        if ((counts.get(stage) ?? 0) >= times) resolve();
        else waiting.push({ stage, times, resolve });
      }),
    script: (next) => {
      script = next;
    },
    say: (line) => {
      for (const socket of open) socket.write(`${line}\r\n`);
    },
    dropIdle: (word) => {
      for (const socket of open) {
        if (word === undefined) socket.destroy();
        else socket.end(`${word}\r\n`);
      }
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? "";
}
