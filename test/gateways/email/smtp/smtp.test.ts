// The `smtp` gateway against a real mail server: what is handed over is read again by a parser, encryption is what the
// settings say or nothing, and credentials go out the way that is offered.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, type TestContext, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { publishedKey } from "#gateways/email/mime/dkim-key.ts";
import { receiveReport } from "#gateways/email/reports/callback.ts";
import { smtp } from "#gateways/email/smtp/smtp.ts";
import { AttachmentReadError, type DkimKey } from "#gateways/message.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { gatewayConformance } from "../../conformance.ts";
import { callbackUrl, sendOnce, toolsWith, wellFormed } from "../../conformance-samples.ts";
import { cert, key } from "../certificate.ts";
import { loopback, loopbackSettings, type Mailing, mailingTools, sampleMail } from "../mailing.ts";
import { samples } from "../report-samples.ts";
import { file, partsOf, sameMail } from "../reread.ts";

const callbackToken = "a token of sixteen or more";

gatewayConformance(smtp, {
  settings: {
    host: "mail.example.com",
    security: "tls",
    username: "ada",
    password: "kernel-panic-42",
    from: "news@example.com",
    from_name: "Example News",
    name: "trunkline.example.com",
    callback_token: callbackToken,
  },
  refused: [
    { settings: { from: "news@example.com" }, path: "host", says: /./ },
    { settings: { host: "a b", from: "news@example.com" }, path: "host", says: /host name/ },
    {
      settings: { host: "http://mail.example.com", from: "news@example.com" },
      path: "host",
      says: /host name/,
    },
    { settings: { host: "mail.example.com", from: "News <a@b.example>" }, path: "from", says: /plain email/ },
    {
      settings: { host: "mail.example.com", from: "a@b.example", security: "maybe" },
      path: "security",
      says: /./,
    },
    {
      settings: { host: "mail.example.com", from: "a@b.example", username: "a" },
      path: "password",
      says: /together/,
    },
    { settings: { host: "mail.example.com", from: "a@b.example", ca: "x" }, path: "ca", says: /certificate/ },
    {
      settings: { host: "mail.example.com", from: "a@b.example", name: "a\r\nb" },
      path: "name",
      says: /host name/,
    },
    { settings: { host: "mail.example.com", from: "a@b.example", port: 70_000 }, path: "port", says: /./ },
  ],
  callbacks: {
    sign: ({ method, query, body }) => {
      const all = new URLSearchParams([...query, ["token", callbackToken]]);
      const headers = { "content-type": "message/rfc822" };
      return { method, url: `${callbackUrl}?${all}`, query: all, headers, body };
    },
    covers: { body: false, url: false },
    withoutSecret: (own: object) => ({ ...own, callback_token: undefined }),
    cases: [
      {
        name: "a returned mail",
        unsigned: { body: samples.rfcFailed },
        received: await receiveReport(
          {
            method: "POST",
            url: callbackUrl,
            query: new URLSearchParams({ token: callbackToken }),
            headers: {},
            body: samples.rfcFailed,
          },
          callbackToken,
          toolsWith().readReport,
        ),
      },
    ],
  },
});

const outbound = loopback();
after(() => outbound.close());

interface Received {
  from: string;
  to: string[];
  raw: Buffer;
  secure: boolean;
  user: string | null;
}

/** A mail server as others run it. */
async function mailServer(context: TestContext, options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    key,
    cert,
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onAuth: (auth, _session, done) => {
      const knows =
        auth.method === "CRAM-MD5"
          ? auth.validatePassword("kernel-panic-42")
          : auth.password === "kernel-panic-42";
      const right = auth.username === "ada" && knows;
      if (right) done(null, { user: "ada" });
      else done(new Error(`No: ${auth.password}`));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks),
          secure: session.secure,
          user: (session.user as string | undefined) ?? null,
        });
        done(null, "queued");
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  context.after(async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    received,
    async send(
      change: Record<string, unknown>,
      email: Parameters<typeof sampleMail>[0] = {},
      message: Parameters<typeof sampleMail>[1] = {},
      tools: Partial<Mailing> = {},
    ) {
      const own = loopbackSettings(port, change);
      const outcome = await sendOnce(
        smtp,
        sampleMail(email, message),
        own,
        mailingTools({ outbound, ...tools }),
      );
      wellFormed(outcome, ["kernel-panic-42", Buffer.from("kernel-panic-42").toString("base64")]);
      return outcome;
    },
  };
}

test("a mail with everything arrives as it was given", async (context) => {
  const server = await mailServer(context);
  const change = {
    senderName: "Jörg",
    replyTo: [{ name: null, address: "help@example.com" }],
    headers: [["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"]] as const,
    attachments: [file("März.pdf", Buffer.alloc(300_000, 7)), file("b.txt", "x\r\n.\r\n", "text/plain")],
    returnPath: "bounces+1@example.com",
  };
  const outcome = await server.send({ from: "news@München.example" }, change);
  assert.deepEqual(outcome, { kind: "accepted", reference: "msg_01test@xn--mnchen-3ya.example" });
  const [mail] = server.received;
  assert.equal(mail!.from, "bounces+1@example.com");
  assert.deepEqual(mail!.to, ["ada@example.net"]);
  const { content } = sampleMail(change);
  const clock = movableClock();
  await sameMail(
    partsOf(content, {
      from: "news@xn--mnchen-3ya.example",
      messageId: "<msg_01test@xn--mnchen-3ya.example>",
      fromName: "Example News",
      date: clock.now(),
    }),
    mail!.raw,
  );
});

test("STARTTLS and TLS, with a private authority: encrypted, and signed in", async (context) => {
  for (const security of ["starttls", "tls"] as const) {
    const server = await mailServer(context, { secure: security === "tls" });
    const outcome = await server.send({ security, ca: cert, username: "ada", password: "kernel-panic-42" });
    assert.equal(outcome.kind, "accepted");
    assert.equal(server.received[0]!.secure, true);
    assert.equal(server.received[0]!.user, "ada");
  }
});

test("a certificate without a known issuer is no certificate", async (context) => {
  for (const security of ["starttls", "tls"] as const) {
    const server = await mailServer(context, { secure: security === "tls" });
    const outcome = await server.send({ security });
    assert.ok(outcome.kind === "deferred" && outcome.gatewayFault === "unreachable");
    assert.equal(outcome.code, "tls_failed");
    assert.match(outcome.reason, /SELF_SIGNED/);
    assert.equal(server.received.length, 0);
  }
});

test("a certificate for another name is no certificate either", async (context) => {
  const server = await mailServer(context, { secure: true });
  const outcome = await server.send({ security: "tls", ca: cert, host: "127.0.0.2" });
  assert.equal(outcome.kind, "deferred");
});

test("STARTTLS is never skipped: a server without it gets nothing", async (context) => {
  const server = await mailServer(context, { hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
  const outcome = await server.send({ security: "starttls", username: "ada", password: "kernel-panic-42" });
  assert.ok(outcome.kind === "deferred" && outcome.gatewayFault === "refused", JSON.stringify(outcome));
  assert.equal(server.received.length, 0);
});

test("`none` is not encrypted, even where it could be", async (context) => {
  const server = await mailServer(context);
  assert.equal((await server.send({ security: "none" })).kind, "accepted");
  assert.equal(server.received[0]!.secure, false);
});

test("signing in as offered: PLAIN, LOGIN, CRAM-MD5", async (context) => {
  for (const method of ["PLAIN", "LOGIN", "CRAM-MD5"]) {
    const server = await mailServer(context, { authMethods: [method] });
    const own = { security: "starttls", ca: cert, username: "ada" };
    assert.equal((await server.send({ ...own, password: "kernel-panic-42" })).kind, "accepted", method);
    const refused = await server.send({ ...own, password: "kernel-panic-4" });
    assert.ok(refused.kind === "deferred" && refused.gatewayFault === "refused", method);
    assert.ok(!refused.reason.includes("kernel"), refused.reason);
    assert.equal(server.received.length, 1);
  }
});

test("credentials and a server that cannot take them", async (context) => {
  const server = await mailServer(context, { disabledCommands: ["AUTH"] });
  const outcome = await server.send({
    security: "starttls",
    ca: cert,
    username: "ada",
    password: "kernel-panic-42",
  });
  assert.ok(outcome.kind === "deferred" && outcome.gatewayFault === "refused" && outcome.code === "no_auth");
});

test("a mail that is longer than the server takes is not even begun", async (context) => {
  const server = await mailServer(context, { size: 2000 });
  const outcome = await server.send({}, { text: "x".repeat(3000) });
  assert.ok(outcome.kind === "rejected" && outcome.code === "5.3.4", JSON.stringify(outcome));
  assert.equal((await server.send({})).kind, "accepted");
});

test("the signature of the gateway's own key wins over the account's", async (context) => {
  const pair = generateKeyPairSync("ed25519");
  const privateKey = pair.privateKey;
  const dkim: DkimKey[] = [
    { domain: "example.com", selector: "account", algorithm: "ed25519-sha256", privateKey },
  ];
  const server = await mailServer(context);
  const selectorOf = (mail: Received | undefined) =>
    /^DKIM-Signature: (?:[^;]+;){0,8}? ?(?:\r\n )?s=(\w+);/.exec(mail!.raw.toString("latin1"))?.[1];
  await server.send({}, {}, {}, { dkim });
  assert.equal(selectorOf(server.received[0]), "account");
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" });
  await server.send({ dkim: { domain: "example.com", selector: "own", private_key } }, {}, {}, { dkim });
  assert.equal(selectorOf(server.received[1]), "own");
  await server.send({});
  assert.match(server.received[2]!.raw.toString("latin1"), /^From:/);
});

test("signatures hold for what arrives, files, folded fields and dots included", async (context) => {
  const dkim: DkimKey[] = [
    {
      domain: "example.com",
      selector: "r1",
      algorithm: "rsa-sha256",
      privateKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
    },
    {
      domain: "example.com",
      selector: "e1",
      algorithm: "ed25519-sha256",
      privateKey: generateKeyPairSync("ed25519").privateKey,
    },
  ];
  const resolver = async (name: string) => {
    const { algorithm, privateKey } = dkim.find(({ selector }) => name.startsWith(`${selector}.`))!;
    return [[`v=DKIM1; k=${algorithm.split("-")[0]}; p=${publishedKey({ algorithm, key: privateKey })}`]];
  };
  const server = await mailServer(context);
  const text = `..\n.\nFrom here\r\rto there  \n\n${"ü ".repeat(200)}\n\n\n`;
  for (const email of [
    { text, html: null },
    { text, html: `<p>${text}</p>`, subject: "Grüße ".repeat(40) },
    { text, senderName: "Jörg ".repeat(30), attachments: [file("März.pdf", Buffer.alloc(100_000, 3))] },
  ]) {
    assert.equal((await server.send({}, email, {}, { dkim })).kind, "accepted");
    const { results } = await dkimVerify(server.received.at(-1)!.raw, { resolver });
    assert.deepEqual(
      results.map(({ status }) => status.result),
      ["pass", "pass"],
    );
  }
});

test("an attachment that cannot be read: told as that, before anything is sent", async (context) => {
  const server = await mailServer(context);
  const attachment = {
    ...file("a.pdf", "x"),
    content: () => Promise.reject(new AttachmentReadError("storage is down")),
  };
  await assert.rejects(server.send({}, { attachments: [attachment] }), AttachmentReadError);
  assert.deepEqual(server.received, []);
});

test("no server listens, or the address is not allowed: certainly not sent", async () => {
  const unreached = await sendOnce(smtp, sampleMail(), loopbackSettings(1), mailingTools({ outbound }));
  assert.ok(unreached.kind === "deferred" && unreached.gatewayFault === "unreachable");
  const inside = await sendOnce(
    smtp,
    sampleMail(),
    loopbackSettings(25, { host: "10.0.0.1" }),
    mailingTools({ outbound }),
  );
  assert.ok(
    inside.kind === "deferred" && inside.gatewayFault === "refused" && inside.code === "url_not_allowed",
  );
});

test("settings lead where the guard can judge them, and a doubtful mail is sent once more", () => {
  assert.deepEqual(smtp.urls(loopbackSettings(2525)), ["http://localhost:2525/"]);
  assert.equal(smtp.onUnknown, "resend");
  assert.equal(smtp.receives, true);
});
