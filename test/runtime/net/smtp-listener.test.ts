// The mail port, asked by a real mail client: only wanted addresses, nothing too large, no relay, and 250 only once the
// mail is taken in.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { readReport } from "#gateways/email/reports/delivery-report.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type IncomingMail, openSmtpListener, type SmtpListener } from "#runtime/net/smtp-listener.ts";
import { ourId, samples } from "../../gateways/email/report-samples.ts";
import { memoryLog } from "../../log.ts";

const taken: IncomingMail[] = [];
let take: (mail: IncomingMail) => Promise<void> = async (mail) => void taken.push(mail);
const log = memoryLog();
const clock = movableClock();
const port: SmtpListener = await openSmtpListener({
  host: "127.0.0.1",
  port: 0,
  clock,
  log,
  accepts: (address) => address.endsWith("@ours.test"),
  take: (mail) => take(mail),
});
after(() => port.close());

interface Answer {
  accepted: string[];
  response: string;
}

/** Sends one mail; rejects as the client does. */
async function send(to: string | string[], raw: string | Buffer, from = ""): Promise<Answer> {
  const client = new SMTPConnection({ host: "127.0.0.1", port: port.port, ignoreTLS: true });
  try {
    await new Promise<void>((resolve, reject) => {
      client.once("error", reject);
      client.connect(() => resolve());
    });
    return await new Promise<Answer>((resolve, reject) => {
      client.send({ from, to: [to].flat() }, raw, (error, info) =>
        error ? reject(error) : resolve(info as unknown as Answer),
      );
    });
  } finally {
    client.close();
  }
}

const refused = (code: number) => (error: unknown) => {
  assert.equal((error as { responseCode?: number }).responseCode, code, String(error));
  return true;
};

/** One line after another, each answered; returns the answers. */
function talk(lines: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port.port, "127.0.0.1");
    const answers: string[] = [];
    let text = "";
    let next = 0;
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("close", () => resolve(answers));
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (!/^\d{3} .*\r\n$/m.test(text)) return;
      answers.push(text);
      text = "";
      const line = lines[next++];
      if (line === undefined) socket.end();
      else socket.write(`${line}\r\n`);
    });
  });
}

test("a mail for a wanted address is taken whole, from whomever it comes", async () => {
  taken.length = 0;
  const raw = "Subject: x\r\n\r\n.dot\r\n..two\r\nend\r\n";
  const { response } = await send("b+1@ours.test", raw);
  assert.match(response, /^250 2\.0\.0/);
  await send("b+1@ours.test", raw, "someone@example.com");
  assert.deepEqual(
    taken.map(({ recipients, raw: bytes }) => [recipients, bytes.toString()]),
    [
      [["b+1@ours.test"], raw],
      [["b+1@ours.test"], raw],
    ],
  );
});

test("any other address is refused, alone and beside a wanted one: no relay", async () => {
  taken.length = 0;
  for (const to of ["victim@example.com", "b+1@ours.test.evil.test", "b+1%example.com@relay.test"])
    await assert.rejects(send(to, "x\r\n"), refused(550));
  const { accepted } = await send(["victim@example.com", "b+1@ours.test"], "x\r\n");
  assert.deepEqual(accepted, ["b+1@ours.test"]);
  assert.deepEqual(
    taken.map(({ recipients }) => recipients),
    [["b+1@ours.test"]],
  );
});

test("a report with the whole mail behind it is taken, and its first MiB says what it is about", async () => {
  taken.length = 0;
  const returned = `X-Files: many\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(44_000)}`;
  const [front, back] = samples.gmail.toString("latin1").split("Subject: Hello\r\n");
  const raw = Buffer.from(
    `${front!.replace("text/rfc822-headers", "message/rfc822")}${returned}${back}`,
    "latin1",
  );
  assert.ok(raw.length > 3_000_000);
  assert.match((await send("b+1@ours.test", raw)).response, /^250 2\.0\.0/);
  const [mail] = taken;
  assert.ok(mail!.raw.equals(raw.subarray(0, 1024 * 1024)));
  const report = readReport(mail!.raw);
  assert.ok(report.kind === "delivery");
  assert.deepEqual([report.action, report.status, report.original.messageId], ["failed", "5.1.1", ourId]);
  assert.deepEqual(report, readReport(raw));
});

test("what is too large is refused when it says so, and when it turns out to be", async () => {
  taken.length = 0;
  const large = Buffer.alloc(64 * 1024 * 1024 + 10, "x\r\n");
  await assert.rejects(send("b+1@ours.test", large), refused(552));
  const lines = ["EHLO a", "MAIL FROM:<> SIZE=70000000"];
  assert.match((await talk(lines)).at(-1) ?? "", /^552/);
  assert.deepEqual(taken, []);
});

test("only once it is taken in is a mail answered with 250; until then its server keeps it", async () => {
  const failing = take;
  take = async () => {
    throw new Error("storage is away");
  };
  await assert.rejects(send("b+1@ours.test", "x\r\n"), refused(451));
  take = failing;
  assert.ok(log.lines().some(({ level }) => level === "warn"));
  assert.match((await send("b+1@ours.test", "x\r\n")).response, /^250/);
});

test("no sign-in, no TLS of a key that everybody has, no looking up of addresses", async () => {
  const [, hello = "", auth = "", tls = "", verify = ""] = await talk([
    "EHLO a",
    "AUTH PLAIN AGEAYg==",
    "STARTTLS",
    "VRFY b",
  ]);
  assert.ok(!/AUTH|STARTTLS|SMTPUTF8/.test(hello), hello);
  assert.match(hello, /SIZE 67108864/);
  for (const answer of [auth, tls, verify]) assert.match(answer, /^5\d\d /);
});

test("so many recipients and no more", async () => {
  const lines = [
    "EHLO a",
    "MAIL FROM:<>",
    ...Array.from({ length: 11 }, (_, i) => `RCPT TO:<b${i}@ours.test>`),
  ];
  const answers = await talk(lines);
  assert.match(answers.at(-2) ?? "", /^250/);
  assert.match(answers.at(-1) ?? "", /^4\d\d|^5\d\d/);
});

test("a connection that breaks off in the middle of a mail leaves nothing", async () => {
  taken.length = 0;
  const socket = connect(port.port, "127.0.0.1");
  await new Promise<void>((resolve) => {
    let step = 0;
    const lines = ["EHLO a", "MAIL FROM:<>", "RCPT TO:<b@ours.test>", "DATA"];
    socket.on("data", () => {
      const line = lines[step++];
      if (line !== undefined) socket.write(`${line}\r\n`);
      else {
        socket.write("half a line", () => socket.destroy());
        resolve();
      }
    });
  });
  await send("b+1@ours.test", "whole\r\n");
  assert.deepEqual(
    taken.map(({ raw }) => raw.toString()),
    ["whole\r\n"],
  );
});

test("a port that is taken cannot be had", async () => {
  const options = {
    host: "127.0.0.1",
    port: port.port,
    clock,
    log,
    accepts: () => true,
    take: async () => {},
  };
  await assert.rejects(openSmtpListener(options), { code: "EADDRINUSE" });
});

/** A connection from an address of this machine, and all that it receives. */
async function caller(
  localAddress = "127.0.0.1",
): Promise<{ socket: Socket; received(): string; closed: Promise<unknown> }> {
  const socket = connect({ port: port.port, host: "127.0.0.1", localAddress });
  let text = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
  socket.on("error", () => {});
  const closed = once(socket, "close");
  await once(socket, "data");
  return { socket, received: () => text, closed };
}

/** Says a line and waits for its answer. */
async function say({ socket }: { socket: Socket }, line: string): Promise<void> {
  socket.write(`${line}\r\n`);
  await once(socket, "data");
}

test("a network has ten connections, and others are not kept out by it", async () => {
  const idle = await Promise.all(Array.from({ length: 10 }, () => caller()));
  const more = await caller();
  assert.match(more.received(), /^421 4\.7\.0 /);
  await more.closed;
  const other = await caller("127.0.0.2");
  assert.match(other.received(), /^220 /);
  for (const { socket, closed } of [...idle, other]) {
    socket.destroy();
    await closed;
  }
  await send("b+1@ours.test", "x\r\n");
});

test("when all places are taken, a server with a mail of ours gets one of a connection that has none", async () => {
  const places = Array.from({ length: 100 }, (_, i) => `127.0.1.${1 + Math.floor(i / 10)}`);
  const idle = await Promise.all(places.map((address) => caller(address)));
  assert.ok(idle.every(({ received }) => received().startsWith("220 ")));
  assert.match((await send("b+1@ours.test", "x\r\n")).response, /^250/);
  assert.equal(idle.filter(({ received }) => received().includes("421 4.3.2")).length, 1);
  await Promise.all(
    idle.map(({ socket, closed }) => {
      socket.destroy();
      return closed;
    }),
  );
});

test("who names no wanted address within 30 s is sent away; who does has five minutes", async () => {
  const [idle, real] = [await caller(), await caller()];
  await say(real, "EHLO a");
  await say(real, "MAIL FROM:<>");
  await say(real, "RCPT TO:<b@ours.test>");
  await clock.advance(29_999);
  await say(idle, "EHLO a");
  await clock.advance(1);
  await idle.closed;
  assert.match(idle.received(), /421 4\.4\.2 /);
  await clock.advance(269_999);
  await say(real, "NOOP");
  await clock.advance(1);
  await real.closed;
});

test("five wrong addresses end a connection, and so do commands without a mail", async () => {
  const guess = await talk([
    "EHLO a",
    "MAIL FROM:<>",
    ...Array.from({ length: 9 }, (_, i) => `RCPT TO:<b${i}@x.test>`),
  ]);
  assert.equal(guess.filter((answer) => answer.startsWith("550")).length, 4);
  assert.match(guess.at(-1) ?? "", /^421 4\.7\.0/);
  const idler = await caller();
  idler.socket.write("NOOP\r\n".repeat(20_000));
  await idler.closed;
  assert.match(idler.received(), /421 4\.7\.0 Too many commands/);
  // Ten recipients each, and as many mails as a server may have for us, fit.
  const many = Array.from({ length: 10 }, (_, i) => `b${i}@ours.test`);
  for (let i = 0; i < 3; i++) assert.equal((await send(many, "x\r\n")).accepted.length, 10);
});
