// The port for returned mails: anybody may connect to it, and who got one mail knows an address that it takes.

import { clientAddress, isLinux } from "./addresses.ts";
import { jsonOf } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { apiKey, secrets } from "./installation.ts";
import { type Line, openLine } from "./line.ts";
import { greeted, say } from "./smtp-line.ts";
import type { Stage } from "./stage.ts";

const family = "mail port";
const base = (stage: Stage) => `http://127.0.0.1:${stage.bouncePort}`;

/** The return path of a mail that was sent to us. */
async function returnPath(stage: Stage): Promise<string> {
  const reply = await stage.ask({
    path: "/api/email/send",
    headers: apiKey(secrets.ourKey),
    body: {
      contact: [{ email: "a@example.com", subject: "x", message: "x", gateway_identifier: "smtp-ours" }],
    },
  });
  if (jsonOf(reply)?.data?.contact?.[0]?.id === undefined) throw new Error(`no mail was sent: ${reply.text}`);
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const path = (await stage.seenByPeers()).returnPaths.at(-1);
    if (path !== undefined) return path;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error("no mail came");
}

/** Hands a mail in; the code of the answer to it. */
async function handIn(stage: Stage, to: string, mail: string | Buffer, ms: number): Promise<number> {
  const wire = await greeted(base(stage));
  if (wire === null) return 0;
  await say(wire, "EHLO attacker");
  await say(wire, "MAIL FROM:<>");
  const taken = await say(wire, `RCPT TO:<${to}>`);
  if (taken !== 250) {
    wire.end();
    return taken;
  }
  await say(wire, "DATA");
  wire.clear();
  await wire.write(mail);
  const code = await say(wire, "\r\n.", ms);
  wire.end();
  return code;
}

const mime = (encoding: string, body: string) =>
  `Content-Type: text/plain\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;

/** Mails whose reading is the work. */
function worst(bytes: number): Record<string, string> {
  const times = (piece: string) => piece.repeat(Math.floor(bytes / piece.length));
  const parts = Array.from({ length: 2_000 }, () => "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n").join("");
  return {
    "blanks in quoted-printable": mime("quoted-printable", `${" ".repeat(bytes)}x`),
    "tabs in quoted-printable": mime("quoted-printable", `${"\t ".repeat(bytes / 2)}x`),
    "equals in quoted-printable": mime("quoted-printable", times("=")),
    "soft breaks": mime("quoted-printable", times("=\r\n")),
    "base64 of blanks": mime("base64", times(" ")),
    "line ends": times("\r\n"),
    "a header of folds": `Subject: x\r\n${times(" y\r\n")}\r\nx`,
    headers: `${times("X-A: b\r\n")}\r\nx`,
    "a header of colons": `${times(":")}\r\n\r\nx`,
    "many parts": `Content-Type: multipart/report; boundary=b\r\n\r\n${parts}--b--`,
    "nested boundaries": `${Array.from({ length: 500 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join("")}x`,
    "a boundary of dashes": `Content-Type: multipart/mixed; boundary="-"\r\n\r\n${times("--")}`,
    parameters: `Content-Type: text/plain${";a=b".repeat(bytes / 8)}\r\n\r\nx`,
    "status lines": `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${times("Status: 5.1.1\r\n\r\n")}\r\n--b--`,
    "diagnostic words": `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nDiagnostic-Code: smtp; 550 ${times("5.1.1 user ")}\r\n\r\n--b--`,
  };
}

const reports: Attack = {
  family,
  name: "returned mails of worst cases",
  expected: "taken, and nothing waits",
  short: true,
  async run(stage, size) {
    const it = tally();
    const to = await returnPath(stage);
    for (const [label, mail] of Object.entries(worst(size === "whole" ? 1_000_000 : 192 * 1024))) {
      // Quadratic, the first of them would take minutes.
      const code = await handIn(stage, to, mail, 60_000);
      it.add(code, code !== 250 && (code < 500 || code > 599) && `${label}: ${code}`);
      if (code === 0) break;
    }
    return it;
  },
};

const idle: Attack = {
  family,
  name: "300 idle connections from one address",
  expected: "another network's server gets in",
  short: isLinux,
  async run(stage) {
    const it = tally();
    const open: (Line | null)[] = [];
    const from = clientAddress(1);
    await spread(300, 30, async (at) => {
      const wire = await openLine(base(stage), from);
      open[at] = wire;
      const greeting = wire === null ? false : await wire.until(/^\d{3} /m, 2_000);
      it.add(greeting ? (/^(\d{3})/m.exec(wire!.received())?.[1] ?? "0") : "no greeting");
    });
    for (let at = 2; at < 5; at += 1) {
      const other = await greeted(base(stage), clientAddress(at));
      it.add(
        other === null ? "other refused" : "other in",
        other === null && "a server of another network was refused",
      );
      other?.end();
    }
    for (const wire of open) wire?.end();
    return it;
  },
};

const commands: Attack = {
  family,
  name: "junk commands, relaying, forged return paths",
  expected: "5xx; no relay, no sign-in",
  short: true,
  async run(stage) {
    const it = tally();
    const path = await returnPath(stage);
    const [local, domain] = path.split("@") as [string, string];
    /** On a connection of its own: who errs too often on one is sent away. */
    const alone = async (before: readonly string[], command: string): Promise<number> => {
      const wire = await greeted(base(stage));
      if (wire === null) throw new Error("no greeting");
      for (const each of before) await say(wire, each);
      const code = await say(wire, command);
      wire.end();
      return code;
    };
    for (const command of [
      "AUTH PLAIN AGEAYg==",
      "STARTTLS",
      "VRFY root",
      "EXPN list",
      "XCLIENT ADDR=127.0.0.1",
      "XFORWARD ADDR=127.0.0.1",
      "ETRN x",
      "TURN",
      "HELP \0",
      `NOISE ${"x".repeat(400)}`,
    ]) {
      const code = await alone(["EHLO attacker"], command);
      const known = command.startsWith("HELP") && code === 214;
      it.add(code, code < 400 && !known && `${command.slice(0, 20)}: ${code}`);
    }
    const envelope = ["EHLO attacker", "MAIL FROM:<>"];
    const addresses = [
      "root@localhost",
      "a@example.com",
      `x@${domain}`,
      `b+@${domain}`,
      `b+1${"0".repeat(52)}@${domain}`,
      `${local.slice(0, -1)}@${domain}`,
      `${local}x@${domain}`,
      `a@example.com@${domain}`,
      `"${local}@${domain}"@example.com`,
      `${local}%example.com@${domain}`,
    ];
    for (const address of addresses) {
      const code = await alone(envelope, `RCPT TO:<${address}>`);
      it.add(code, code < 500 && `RCPT TO:<${address}>: ${code}`);
    }
    const own = await alone(envelope, `RCPT TO:<${path}>`);
    it.add(`${own} own`, own !== 250 && `its own return path: ${own}`);
    return it;
  },
};

const large: Attack = {
  family,
  name: "a returned mail of 60 MiB",
  expected: "taken, bounded memory",
  short: false,
  async run(stage) {
    const it = tally();
    const to = await returnPath(stage);
    const mail = Buffer.alloc(60 * 1024 * 1024, `${"x".repeat(74)}\r\n`);
    const code = await handIn(stage, to, mail, 120_000);
    it.add(code, code !== 250 && `${code}`);
    return it;
  },
};

export const mailPortAttacks: readonly Attack[] = [reports, idle, commands, large];
