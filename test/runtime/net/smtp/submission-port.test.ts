// The submission port against clients that are wrong, slow, many or hostile; and with TLS as clients use it. What a mail becomes is faked.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { after, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { LineEnds } from "#gateways/email/mail-text/head.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import {
  isLoopback,
  openSubmissionPort,
  SmtpRefusal,
  type SubmissionPort,
  type SubmittedMail,
} from "#runtime/net/smtp/submission-port.ts";
import { cert, key } from "../../../gateways/email/certificate.ts";
import { plain, type Talk, talk } from "../../../http/submission/submitting.ts";
import { memoryLog } from "../../../log.ts";
import { cert as otherCert, key as otherKey } from "../../certificate.ts";

const certificate = { cert, key };
const clock = movableClock();
const taken: SubmittedMail[] = [];
let take: (mail: SubmittedMail) => Promise<string> = async (mail) => {
  taken.push(mail);
  return "2.0.0 Accepted as msg_1";
};
/** Bytes that mails hold, and how many they may. */
let held = 0;
let room = Number.POSITIVE_INFINITY;

const maxBytes = 100_000;
type Options = Partial<Parameters<typeof openSubmissionPort<string>>[0]>;
const open = (options: Options = {}): Promise<SubmissionPort> =>
  openSubmissionPort<string>({
    host: "127.0.0.1",
    port: 0,
    implicitTls: false,
    certificate,
    plainSignIn: false,
    maxBytes,
    maxRecipients: 3,
    clock,
    log: memoryLog(),
    desk: {
      async signIn(_client, password) {
        if (password === "right") return password;
        throw new SmtpRefusal(535, "5.7.8", "Wrong");
      },
      async admit() {},
      faultOf: (address) =>
        !address.endsWith("elsewhere.test") ? null : new SmtpRefusal(553, "5.1.3", "No address"),
      inspect: () => new LineEnds(),
      memory: () => {
        let own = 0;
        return {
          grow: (bytes) => {
            if (held + bytes > room) return false;
            held += bytes;
            own += bytes;
            return true;
          },
          release: () => {
            held -= own;
            own = 0;
          },
        };
      },
      take: (_sender, mail) => take(mail),
    },
    ...options,
  });
const port = await open();
after(() => port.close(0));

async function signedIn(at = port): Promise<Talk> {
  const wire = await talk(at.port);
  await wire.say("EHLO client.test");
  assert.match(await wire.say(`AUTH PLAIN ${plain("right")}`), /^235/);
  return wire;
}

async function inData(wire: Talk): Promise<void> {
  await wire.say("MAIL FROM:<a@example.com>");
  await wire.say("RCPT TO:<b@example.net>");
  assert.match(await wire.say("DATA"), /^354/);
}

const answers = async (wire: Talk, steps: readonly [line: string, expected: RegExp][]) => {
  for (const [line, expected] of steps) assert.match(await wire.say(line), expected, line);
};

test("nothing is taken of a client that has not signed in", async () => {
  const tables: [line: string, expected: RegExp][][] = [
    [["MAIL FROM:<a@example.com>", /^503/]],
    [
      ["EHLO x", /^250/],
      ["MAIL FROM:<a@example.com>", /^530 5\.7\.0/],
      ["RCPT TO:<b@example.net>", /^530/],
      ["DATA", /^530/],
    ],
    [["GET / HTTP/1.1", /^421/]],
    [
      ["EHLO x", /^250/],
      ["VRFY root", /^500/],
      ["XCLIENT ADDR=127.0.0.1", /^500/],
      ["AUTH CRAM-MD5", /^504/],
      ["AUTH PLAIN ====", /^501/],
      ["AUTH LOGIN", /^334/],
      ["*", /^501/],
      ["BDAT 10", /^500/],
    ],
    [[`EHLO ${"x".repeat(20_000)}`, /^421/]],
  ];
  for (const steps of tables) {
    const wire = await talk(port.port);
    await answers(wire, steps);
    wire.end();
  }
  assert.deepEqual(taken, []);
});

test("an envelope that is wrong is refused at its line", async () => {
  const wire = await signedIn();
  await answers(wire, [
    ["RCPT TO:<b@example.net>", /^503/],
    ["MAIL FROM:a@example.com", /^501/],
    ["MAIL FROM:<a@example.com> SIZE=100001", /^552/],
    ["MAIL FROM:<a@example.com> BODY=BINARYMIME", /^501/],
    ["MAIL FROM:<a@example.com>", /^250/],
    ["MAIL FROM:<a@example.com>", /^503/],
    ["DATA", /^503/],
    ["RCPT TO:<nowhere>", /^501/],
    ["RCPT TO:<a@elsewhere.test>", /^553 5\.1\.3/],
    ["RCPT TO:<a@example.net>\0", /^501/],
    ["RCPT TO:<1@example.net>", /^250/],
    ["RCPT TO:<2@example.net>", /^250/],
    ["RCPT TO:<3@example.net>", /^250/],
    ["RCPT TO:<4@example.net>", /^452/],
    ["RSET", /^250/],
    ["DATA", /^503/],
  ]);
  wire.end();
});

test("no end of a mail but CRLF.CRLF, and no bare line end in one: nothing can be smuggled", async () => {
  const second = "MAIL FROM:<evil@example.com>\r\nRCPT TO:<c@example.net>\r\nDATA\r\nFrom: evil\r\n\r\nevil";
  for (const ending of [
    "\n.\n",
    "\n.\r\n",
    "\r\n.\n",
    "\r.\r",
    "\r.\r\n",
    "\r\n.\r",
    "\n\n.\r\n",
    "\r\n\0.\r\n",
  ]) {
    taken.length = 0;
    const wire = await signedIn();
    await inData(wire);
    const answer = await wire.say(Buffer.from(`From: a\r\n\r\nfirst${ending}${second}\r\n.\r\n`));
    assert.match(answer, /^554 5\.6\.0 Lines must end in CRLF/, JSON.stringify(ending));
    assert.deepEqual(taken, []);
    assert.match(await wire.say("NOOP"), /^250/);
    wire.end();
  }
});

test("dots are unstuffed, byte by byte as in one piece", async () => {
  const raw = "From: a\r\n\r\n..one\r\n...two\r\n..\r\n";
  for (const whole of [true, false]) {
    taken.length = 0;
    const wire = await signedIn();
    await inData(wire);
    const bytes = Buffer.from(`${raw}.\r\n`);
    wire.socket.setNoDelay(true);
    if (whole) wire.socket.write(bytes);
    else
      for (const byte of bytes) {
        wire.socket.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    assert.match(await wire.hear(), /^250 2\.0\.0 Accepted as msg_1$/);
    assert.equal(taken[0]?.raw.toString(), "From: a\r\n\r\n.one\r\n..two\r\n.\r\n");
    wire.end();
  }
});

test("a mail that is too large is refused at its end, one that never ends is cut off, and neither is held", async () => {
  taken.length = 0;
  const wire = await signedIn();
  await inData(wire);
  const line = Buffer.from(`${"x".repeat(998)}\r\n`);
  assert.match(
    await wire.say(Buffer.concat([...Array(150).fill(line), Buffer.from(".\r\n")])),
    /^552 5\.3\.4 A mail may have at most 100000 bytes/,
  );
  await inData(wire);
  assert.match(
    await wire.say(Buffer.concat(Array(400).fill(line))),
    /^552 5\.3\.4 The mail is far too large/,
  );
  assert.equal(await wire.hear(), "");
  assert.deepEqual([taken.length, held], [0, 0]);
});

test("a mail without room in memory is a temporary refusal", async () => {
  room = 10;
  const wire = await signedIn();
  await inData(wire);
  const answer = await wire.say(Buffer.from(`From: a\r\n\r\n${"x".repeat(100)}\r\n.\r\n`));
  room = Number.POSITIVE_INFINITY;
  assert.match(answer, /^452 4\.3\.1 /);
  assert.equal(held, 0);
  wire.end();
});

test("a client that stalls in a mail, or signs in too late, is let go", async () => {
  const stalling = await signedIn();
  const silent = await talk(port.port);
  await inData(stalling);
  stalling.socket.write("From: a\r\n");
  await clock.advance(30_000);
  assert.match(await silent.hear(), /^421 4\.4\.2/);
  assert.equal(await silent.hear(), "");
  await clock.advance(600_000);
  assert.equal(await stalling.hear(), "");
  assert.equal(held, 0);
});

test("a mail that fails to be stored is a temporary refusal, and a client that leaves takes nothing with it", async () => {
  const before = take;
  take = async () => {
    throw new Error("broken");
  };
  const wire = await signedIn();
  await inData(wire);
  assert.match(await wire.say(Buffer.from("From: a\r\n\r\nx\r\n.\r\n")), /^451 4\.3\.0 /);
  take = before;
  taken.length = 0;
  await inData(wire);
  wire.socket.write("From: a\r\n\r\nhalf");
  wire.end();
  await once(wire.socket, "close");
  for (let turn = 0; held > 0 && turn < 1000; turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([taken.length, held], [0, 0]);
});

test("idle connections beyond the limit of a network are refused, and those who are signed in go on", async () => {
  const wire = await signedIn();
  const idle: Socket[] = [];
  let refused = 0;
  for (let count = 0; count < 400; count += 1) {
    const socket = connect(port.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      if (String(piece).startsWith("421 4.7.0 Too many connections")) refused += 1;
    });
    idle.push(socket);
    await once(socket, "connect");
  }
  while (refused < 140) await new Promise((resolve) => setImmediate(resolve));
  await inData(wire);
  assert.match(await wire.say(Buffer.from("From: a\r\n\r\nx\r\n.\r\n")), /^250/);
  wire.end();
  for (const socket of idle) socket.destroy();
});

const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

test("without TLS AUTH is not even offered beyond loopback, unless a setting says so", async (context) => {
  if (ownAddress === undefined) return context.skip("this machine has no address but loopback");
  for (const plainSignIn of [false, true]) {
    const own = await open({ host: "0.0.0.0", plainSignIn });
    const wire = await talk(own.port, ownAddress);
    const hello = await wire.say("EHLO x");
    assert.equal(hello.includes("AUTH"), plainSignIn);
    assert.match(await wire.say(`AUTH PLAIN ${plain("right")}`), plainSignIn ? /^235/ : /^500/);
    if (!plainSignIn)
      assert.match(await wire.say("MAIL FROM:<a@example.com>"), /^530 5\.7\.0 Issue STARTTLS/);
    if (!plainSignIn) assert.match(await wire.say("RCPT TO:<b@example.net>"), /^503/);
    wire.end();
    await own.close(0);
  }
});

test("which addresses are loopback", () => {
  for (const [address, expected] of [
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["localhost", true],
    ["0.0.0.0", false],
    ["::", false],
    ["10.0.0.1", false],
    ["1.127.0.0", false],
    ["127.0.0.1.evil.test", false],
  ] as const)
    assert.equal(isLoopback(address), expected, address);
});

async function overTls(at: SubmissionPort, implicit: boolean): Promise<string> {
  const raw = implicit ? null : await talk(at.port);
  if (raw !== null) {
    assert.match(await raw.say("EHLO x"), /STARTTLS/);
    assert.match(await raw.say("STARTTLS"), /^220/);
    raw.socket.removeAllListeners("data");
  }
  const socket = connectTls({
    ...(raw === null ? { port: at.port, host: "127.0.0.1" } : { socket: raw.socket }),
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

for (const implicitTls of [false, true])
  test(`${implicitTls ? "TLS" : "STARTTLS"}: a new certificate is used by the next connection`, async () => {
    const own = await open({ implicitTls });
    assert.equal(await overTls(own, implicitTls), "localhost");
    own.renew({ cert: otherCert, key: otherKey });
    assert.equal(await overTls(own, implicitTls), "peer.test");
    assert.throws(() => own.renew({ cert, key: otherKey }));
    assert.equal(await overTls(own, implicitTls), "peer.test");
    await own.close(0);
  });

test("a port that closes answers the mail that is being stored, and says goodbye to the others", async () => {
  const own = await open();
  const storing = Promise.withResolvers<string>();
  const before = take;
  const begun = Promise.withResolvers<void>();
  take = () => {
    begun.resolve();
    return storing.promise;
  };
  const [busy, idle] = [await signedIn(own), await signedIn(own)];
  await inData(busy);
  busy.socket.write("From: a\r\n\r\nx\r\n.\r\n");
  await begun.promise;
  const closed = own.close(10_000);
  assert.match(await idle.hear(), /^421 4\.3\.2/);
  storing.resolve("2.0.0 Accepted as msg_2");
  assert.match(await busy.hear(), /^250 2\.0\.0 Accepted as msg_2/);
  await closed;
  take = before;
});
