// One connection: what it says to the server and in which order, what it keeps to itself, and that nothing of a mail
// leaves before the connection is what the settings ask for.

import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { SmtpConnection } from "#gateways/email/smtp/connection.ts";
import { smtpTarget } from "#gateways/email/smtp/settings.ts";
import { cert } from "../certificate.ts";
import { loopback, loopbackSettings, mailingTools } from "../mailing.ts";
import { openScriptedSmtp, type ScriptedSmtpOptions } from "../scripted-smtp.ts";

const outbound = loopback();
after(() => outbound.close());

const envelope = { from: "bounces+1@example.com", to: ["ada@example.net"], id: "msg_01test" };
const mail = Buffer.from("Subject: x\r\n\r\nHello\r\n");

async function opened(
  context: TestContext,
  options: ScriptedSmtpOptions = {},
  change: Record<string, unknown> = {},
) {
  const server = await openScriptedSmtp(options);
  const tools = mailingTools({ outbound });
  const connection = await SmtpConnection.open(smtpTarget(loopbackSettings(server.port, change)), tools);
  context.after(async () => {
    if (connection instanceof SmtpConnection) connection.destroy();
    await server.close();
  });
  return { server, tools, connection };
}

function isOpen(connection: unknown): asserts connection is SmtpConnection {
  assert.ok(connection instanceof SmtpConnection, JSON.stringify(connection));
}

test("the whole conversation: signed in, one recipient, and what the server can do is made use of", async (context) => {
  const extensions = ["PIPELINING", "SIZE 1000000", "DSN", "8BITMIME", "SMTPUTF8"];
  const { server, tools, connection } = await opened(
    context,
    { extensions },
    { username: "ada", password: "kernel-panic-42" },
  );
  isOpen(connection);
  const result = await connection.transmit(envelope, [Buffer.alloc(0), mail], tools);
  assert.deepEqual(result, {
    outcome: { kind: "accepted", reference: null },
    retryable: false,
    reusable: true,
  });
  await connection.quit(tools.clock);
  assert.deepEqual(server.commands, [
    "EHLO trunkline.test",
    `AUTH PLAIN ${Buffer.from("\0ada\0kernel-panic-42").toString("base64")}`,
    `MAIL FROM:<bounces+1@example.com> SIZE=${mail.length} RET=HDRS ENVID=msg_01test`,
    "RCPT TO:<ada@example.net>",
    "DATA",
    "QUIT",
  ]);
  assert.equal(server.handed[0]!.raw.toString(), mail.toString());
  assert.equal(connection.usable, false);
  assert.equal(tools.clock.sleeping(), 0);
});

test("with STARTTLS nothing but the greeting is said before the connection is encrypted", async (context) => {
  const { server, connection } = await opened(
    context,
    { security: "starttls" },
    { security: "starttls", ca: cert, username: "ada", password: "kernel-panic-42" },
  );
  isOpen(connection);
  assert.deepEqual(
    server.commands.map((command) => command.split(" ")[0]),
    ["EHLO", "STARTTLS", "EHLO", "AUTH"],
  );
});

test("a server that claims to be another gets no command", async (context) => {
  for (const security of ["starttls", "tls"] as const) {
    const { server, connection } = await opened(
      context,
      { security },
      { security, username: "ada", password: "kernel-panic-42" },
    );
    assert.ok(!(connection instanceof SmtpConnection) && connection.kind === "deferred");
    assert.ok(!server.commands.some((command) => command.startsWith("AUTH")));
  }
});

test("a long mail flows in pieces, whole and in order", async (context) => {
  const { server, tools, connection } = await opened(context, { strict: true });
  isOpen(connection);
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index} of this mail`).join("\r\n");
  const pieces = [Buffer.from("Subject: x\r\n"), Buffer.from(`\r\n${lines}\r\n`)];
  const { outcome } = await connection.transmit(envelope, pieces, tools);
  assert.equal(outcome.kind, "accepted");
  assert.ok(server.handed[0]!.raw.equals(Buffer.concat(pieces)));
});

test("mails of every length up to a few packets arrive whole", async (context) => {
  const { server, tools, connection } = await opened(context, { strict: true });
  isOpen(connection);
  for (const length of [1, 100, 14_900, 14_999, 15_000, 15_001, 16_384, 65_536, 65_537, 131_072]) {
    const content = Buffer.concat([Buffer.alloc(length - 1, "x"), Buffer.from("\r\n")]);
    const { outcome } = await connection.transmit(envelope, [content], tools);
    assert.equal(outcome.kind, "accepted");
    assert.ok(server.handed.at(-1)!.raw.equals(content), String(length));
  }
  assert.equal(server.connections(), 1);
});

test("what a server says out of turn ends the connection, not the process", async (context) => {
  const { server, tools, connection } = await opened(context);
  isOpen(connection);
  await connection.transmit(envelope, [mail], tools);
  server.dropIdle("250 By the way");
  for (let turns = 0; turns < 5000 && connection.usable; turns += 1)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal(connection.usable, false);
});

test("an answer that has no end is cut off", async (context) => {
  const { connection } = await opened(context, {
    script: (at) => (at === "banner" ? `220-${"x".repeat(100_000)}` : null),
  });
  assert.ok(!(connection instanceof SmtpConnection) && connection.kind === "deferred");
});

test("stopped before it is open: nothing is left behind", async (context) => {
  const server = await openScriptedSmtp({ script: () => "silence" });
  context.after(() => server.close());
  const tools = mailingTools({ outbound });
  const opening = SmtpConnection.open(smtpTarget(loopbackSettings(server.port)), tools);
  await server.reached("connect");
  tools.stop.abort();
  const outcome = await opening;
  assert.ok(
    !(outcome instanceof SmtpConnection) && outcome.kind === "deferred" && outcome.code === "aborted",
  );
  assert.equal(tools.clock.sleeping(), 0);
});
