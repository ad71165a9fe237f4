// The connections of a gateway: used for many mails, given up in time, and when the server gave one up first, the mail
// goes over a new one. Also the mails that servers once read two of.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, type TestContext, test } from "node:test";
import { buildMail } from "#gateways/email/mime/mime.ts";
import { SmtpPool } from "#gateways/email/smtp/pool.ts";
import { smtpTarget } from "#gateways/email/smtp/settings.ts";
import { loopback, loopbackSettings, type Mailing, mailingTools, sampleEmail } from "../mailing.ts";
import { parsed, partsOf } from "../reread.ts";
import { openScriptedSmtp, type ScriptedSmtpOptions } from "../scripted-smtp.ts";

const outbound = loopback();
after(() => outbound.close());

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function pooled(context: TestContext, options: ScriptedSmtpOptions = {}) {
  const server = await openScriptedSmtp(options);
  const tools = mailingTools({ outbound });
  let quiet = 0;
  const pool = new SmtpPool(smtpTarget(loopbackSettings(server.port)), () => (quiet += 1));
  context.after(async () => {
    pool.close(tools.clock);
    await server.close();
  });
  return {
    server,
    pool,
    tools,
    quiet: () => quiet,
    send: (text = "Hello", change: Partial<Mailing> = {}) =>
      pool.send(
        { from: "news@example.com", to: ["ada@example.net"], id: "msg_01test" },
        [Buffer.from(`Subject: x\r\n\r\n${text}\r\n`)],
        { ...tools, ...change },
      ),
    /** Until the server has seen the connections go. */
    gone: async (open: number) => {
      for (let turns = 0; turns < 5000 && server.open() > open; turns += 1) await turn();
      assert.equal(server.open(), open);
    },
  };
}

const accepted = { kind: "accepted", reference: null };

test("one mail after the other over one connection, each with one recipient", async (context) => {
  const { server, send } = await pooled(context);
  for (let mail = 0; mail < 5; mail += 1) assert.deepEqual(await send(`Mail ${mail}`), accepted);
  assert.equal(server.connections(), 1);
  assert.equal(server.handed.length, 5);
  for (const { from, to } of server.handed) {
    assert.equal(from, "news@example.com");
    assert.deepEqual(to, ["ada@example.net"]);
  }
});

test("side by side over connections of their own, which are then used again", async (context) => {
  const { server, send } = await pooled(context);
  assert.deepEqual(await Promise.all([send(), send(), send()]), [accepted, accepted, accepted]);
  assert.equal(server.connections(), 3);
  await Promise.all([send(), send(), send()]);
  assert.equal(server.connections(), 3);
});

test("after a hundred mails a connection has done its part", async (context) => {
  const { server, send, gone } = await pooled(context);
  for (let mail = 0; mail < 101; mail += 1) await send();
  assert.equal(server.connections(), 2);
  assert.equal(server.handed.filter(({ connection }) => connection === 1).length, 100);
  await gone(1);
});

test("what idles is closed after five seconds, with a goodbye", async (context) => {
  const { server, send, tools, quiet, gone } = await pooled(context);
  await send();
  await tools.clock.advance(4999);
  assert.ok(!server.commands.includes("QUIT"));
  await tools.clock.advance(1);
  await gone(0);
  assert.ok(server.commands.includes("QUIT"));
  assert.equal(quiet(), 1);
  assert.deepEqual(await send(), accepted);
  assert.equal(server.connections(), 2);
});

test("closed, it says goodbye at once, and to what is still under way when that is done", async (context) => {
  const { pool, server, send, tools, gone } = await pooled(context);
  await send();
  const late = send();
  pool.close(tools.clock);
  assert.deepEqual(await late, accepted);
  await gone(0);
  assert.equal(server.handed.length, 2);
  assert.equal(tools.clock.sleeping(), 0);
});

test("a connection that the server closed while it idled costs nothing but a new one", async (context) => {
  for (const word of [undefined, "421 4.4.2 Idle for too long"]) {
    const { server, send } = await pooled(context);
    await send();
    server.dropIdle(word);
    assert.deepEqual(await send(), accepted);
    assert.equal(server.handed.length, 2);
    assert.equal(server.connections(), 2);
  }
});

test("one that dies under a mail before the content: once more over a new one, and then no more", async (context) => {
  for (const stage of ["MAIL", "RCPT", "DATA"] as const) {
    for (const fault of ["reset", "close", "421 4.7.0 Enough"]) {
      const { server, send } = await pooled(context);
      await send();
      server.script((at, nth) => (at === stage && nth === 2 ? fault : null));
      assert.deepEqual(await send(), accepted, `${fault} at ${stage}`);
      assert.equal(server.handed.length, 2);
      server.script((at) => (at === stage ? fault : null));
      const outcome = await send();
      assert.ok(outcome.kind === "deferred" && outcome.gatewayFault === undefined);
      assert.equal(server.connections(), 3);
      assert.equal(server.handed.length, 2);
    }
  }
});

test("one that dies after the content is never tried again here", async (context) => {
  const { server, send } = await pooled(context);
  await send();
  server.script((at) => (at === "dot" ? "reset" : null));
  assert.equal((await send()).kind, "unknown");
  assert.equal(server.handed.length, 2);
  assert.equal(server.connections(), 1);
});

test("half an answer after the content is no answer", async (context) => {
  const { server, send } = await pooled(context);
  server.script((at) => (at === "dot" ? "250-queued" : null));
  const sent = send();
  await server.reached("dot");
  server.dropIdle();
  assert.equal((await sent).kind, "unknown");
});

test("after a refusal the connection is good for the next mail", async (context) => {
  for (const extensions of [["PIPELINING"], []]) {
    const { server, send } = await pooled(context, { extensions });
    for (const [stage, reply] of [
      ["MAIL", "451 4.3.0 Later"],
      ["RCPT", "550 5.1.1 No such user"],
      ["DATA", "451 4.3.0 Later"],
      ["dot", "554 5.7.1 Spam"],
    ] as const) {
      server.script((at) => (at === stage ? reply : null));
      assert.notEqual((await send()).kind, "accepted");
      server.script(() => null);
      assert.deepEqual(await send(), accepted, `after ${reply}`);
    }
    assert.equal(server.connections(), 1);
  }
});

test("stopped before the content: not sent; stopped after it: in doubt", async (context) => {
  for (const stage of ["banner", "MAIL", "DATA", "dot"] as const) {
    const { server, send } = await pooled(context);
    server.script((at) => (at === stage ? "silence" : null));
    const stop = new AbortController();
    const sent = send("Hello", { signal: stop.signal });
    await server.reached(stage);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    stop.abort();
    const outcome = await sent;
    assert.equal(outcome.kind, stage === "dot" ? "unknown" : "deferred", stage);
    assert.ok("code" in outcome && outcome.code === "aborted");
    const again = await send("Hello", { signal: stop.signal });
    assert.ok(again.kind === "deferred" && again.code === "aborted");
  }
});

test("a large mail that stops flowing is given up, and was not sent", async (context) => {
  const { server, tools, pool } = await pooled(context);
  const large = Buffer.from(`Subject: x\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(400_000)}`);
  server.script((at) => (at === "DATA" ? "stall" : null));
  const sent = pool.send({ from: "a@b.example", to: ["c@d.example"], id: "msg_1" }, [large], tools);
  await server.reached("DATA");
  for (let turns = 0; turns < 500; turns += 1) await turn();
  await tools.clock.advance(tools.timeoutMs);
  const outcome = await sent;
  assert.ok(outcome.kind === "deferred" && outcome.code === "timeout", JSON.stringify(outcome));
  assert.equal(server.handed.length, 0);
});

const large = `${"x".repeat(70)}\r\n`.repeat(400_000);

test("an acceptance that comes before the final dot does not count: certainly not sent, and the connection is done with", async (context) => {
  const word = "354 Go ahead\r\n";
  const early = "250 2.0.0 Ok: queued as Q0";
  for (const extensions of [["PIPELINING"], []])
    for (const text of ["Hello", "x".repeat(20_000), "x".repeat(300_000)])
      for (const greeting of [early, `\r\n\r\n${early}`, `250-and\r\n${early}`]) {
        const { server, send, gone } = await pooled(context, { extensions });
        assert.deepEqual(await send(), accepted);
        server.script((at) => (at === "DATA" ? `${word}${greeting}` : null));
        const outcome = await send(text);
        assert.ok(outcome.kind === "deferred" && outcome.code === "bad_reply", JSON.stringify(outcome));
        assert.equal(outcome.gatewayFault, undefined);
        await gone(0);
        assert.ok(!server.commands.includes("."), "the dot never went out");
        server.script(() => null);
        assert.deepEqual(await send(), accepted);
        assert.equal(server.handed.length, 2);
        assert.equal(server.connections(), 2);
      }
});

test("any reply while the content flows ends the connection at once: no command is put into the content", async (context) => {
  for (const [answer, code, trouble] of [
    ["250 2.0.0 Ok: queued", "bad_reply", undefined],
    ["354 Go ahead", "bad_reply", undefined],
    ["451 4.3.1 Disk full", "4.3.1", undefined],
    ["554 5.7.1 No", "5.7.1", "refused"],
  ] as const) {
    const { server, send } = await pooled(context);
    assert.deepEqual(await send(), accepted);
    server.script((at) => (at === "DATA" ? "stall" : null));
    const sent = send(large);
    await server.reached("DATA", 2);
    for (let turns = 0; turns < 200; turns += 1) await turn();
    server.say(answer);
    // The clock does not move: nothing waits for an answer that never comes.
    const outcome = await sent;
    assert.ok(outcome.kind === "deferred" && outcome.code === code, JSON.stringify(outcome));
    assert.equal(outcome.gatewayFault, trouble);
    server.script(() => null);
    assert.deepEqual(await send(), accepted);
    assert.equal(server.connections(), 2);
  }
});

test("a connection that is closed, or half closed, and has not said so yet costs nothing but a new one", async (context) => {
  for (const end of ["end", "destroy"] as const) {
    const sockets: Socket[] = [];
    const watched = {
      ...outbound,
      dial: async (to: Parameters<typeof outbound.dial>[0]) => {
        const dialled = await outbound.dial(to);
        if (dialled.kind !== "not_sent") sockets.push(dialled.socket);
        return dialled;
      },
    };
    const { server, send } = await pooled(context);
    assert.deepEqual(await send("Hello", { outbound: watched }), accepted);
    sockets[0]![end]();
    assert.deepEqual(await send(), accepted, end);
    assert.equal(server.handed.length, 2);
    assert.equal(server.connections(), 2);
  }
});

/** Ends of a mail as some server has read them (SMTP smuggling, 2023), each followed by a mail of its own. */
const ends = [
  "\n.\n",
  "\n.\r\n",
  "\r.\r",
  "\r\n.\n",
  "\r\n.\r\n",
  "\r.\r\n",
  "\r\n.\r",
  "\n.\r",
  "\n\n.\r\n",
  "\r\n\0.\r\n",
];
const second =
  "MAIL FROM:<eve@example.org>\r\nRCPT TO:<bob@example.net>\r\nDATA\r\nSubject: y\r\n\r\nboo\r\n.\r\n";

test("no text is a second mail to anybody, however a server reads line ends", async (context) => {
  const { server, pool, tools } = await pooled(context);
  const envelope = { from: "news@example.com", to: ["ada@example.net"], id: "msg_01test" };
  let sent = 0;
  for (const end of ends) {
    const text = `Hello${end}${second}`;
    for (const email of [
      sampleEmail({ text, html: null }),
      sampleEmail({ text: "x", html: `<p>${text}</p>` }),
      sampleEmail({ subject: text, senderName: text }),
      // Long enough for every encoding, and with what each of them treats in its own way.
      sampleEmail({ text: `${"ü".repeat(40)}${text}`, html: `${"漢".repeat(400)}${text}` }),
    ]) {
      assert.deepEqual(await pool.send(envelope, [buildMail(partsOf(email))], tools), accepted);
      sent += 1;
      assert.equal(server.handed.length, sent, JSON.stringify(end));
    }
  }
  for (const { from, to, raw } of server.handed) {
    assert.equal(from, "news@example.com");
    assert.deepEqual(to, ["ada@example.net"]);
    assert.equal((await parsed(raw)).to?.[0]?.address, "ada@example.net");
  }
});
