// A mail that an application sends by SMTP goes out as it was written, and lookups show what it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { authenticate } from "mailauth";
import PostalMime from "postal-mime";
import { addSuppressions } from "#store/feedback/suppressions.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { someEngines } from "../../harness.ts";
import { gateway, idIn, lines, settled, signedIn, simple, submit, submitting } from "./submitting.ts";

for (const engine of someEngines(import.meta.filename)) {
  test(`${engine}: a mail is stored before its 250, and goes out as it was written`, async (context) => {
    const own = await submitting(context, { engine });
    const raw = lines(
      "Received: from laptop by app; Sun, 29 Nov 2026 12:00:00 +0000",
      'From: "Acme, Inc" <Billing@example.com>',
      "To: Ada <ada@example.net>,",
      "\tBob <bob@example.net>",
      "Cc: Carol@example.net",
      "Bcc: dan@example.net",
      "Resent-Bcc: dan@example.net",
      "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
      "Reply-To: help@example.com",
      "Message-ID: <1@app.example.com>",
      "Date: Sun, 29 Nov 2026 12:00:00 +0000",
      "X-Mailer:   two  spaces",
      "x-trunkline-reference: order-4711",
      "X-Trunkline-Tags: welcome, campaign:spring",
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "A preamble.",
      "--b",
      "Content-Type: multipart/alternative; boundary=a",
      "",
      "--a",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Gr=FC=DFe =",
      "an Ada",
      "--a",
      "Content-Type: text/html; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      "<p>Grüße an Ada</p>",
      ".hidden dot",
      "--a--",
      "--b",
      "Content-Type: application/pdf",
      "Content-Disposition: attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from("A file.").toString("base64"),
      "--b--",
    );
    const to = ["ada@example.net", "bob@example.net", "carol@example.net", "dan@example.net"];
    const answer = await submit(own, { to, raw });
    assert.match(answer.text, /^250 2\.0\.0 Accepted as msg_\w+$/);
    const record = await settled(own, idIn(answer));
    assert.equal(record.status, "sent");
    const [handed, ...rest] = own.server.handed;
    assert.ok(handed);
    assert.deepEqual(rest, []);
    assert.equal(handed.from, "Billing@example.com");
    assert.deepEqual(handed.to, to);
    const unstuffed = handed.raw.toString("utf8").replaceAll("\r\n..", "\r\n.");
    const expected = raw
      .replaceAll(/^(?:resent-)?bcc:.*\r\n/gim, "")
      .replaceAll(/^x-trunkline-.*\r\n/gim, "");
    assert.equal(unstuffed, `X-Trunkline-Message: ${record.id}\r\n${expected}`);
    assert.deepEqual(
      [record.subject, record.from_email, record.sender_name, record.reply_to_email, record.reference],
      ["Grüße", "Billing@example.com", "Acme, Inc", "help@example.com", "order-4711"],
    );
    assert.deepEqual(record.tags, ["welcome", "campaign:spring"]);
    assert.equal(record.message, "<p>Grüße an Ada</p>\n.hidden dot");
    assert.equal(record.text, "Grüße an Ada");
    assert.deepEqual(
      record.recipients.map(({ email, field, status }) => `${field} ${email} ${status}`),
      [
        "to ada@example.net sent",
        "to bob@example.net sent",
        "cc carol@example.net sent",
        "bcc dan@example.net sent",
      ],
    );
    assert.deepEqual(record.attachments, [
      { filename: "Grüße.pdf", size: 7, content_type: "application/pdf" },
    ]);
    const account = (await own.it.get("/api/account")).json().data;
    assert.equal(account.credit.email.remaining, 996);
  });

  test(`${engine}: a long mail is stored in pieces and arrives whole; one that is refused leaves none`, async (context) => {
    const own = await submitting(context, { engine });
    const body = Array.from({ length: 6000 }, (_, index) => `${index} ${"x".repeat(70)}`).join("\r\n");
    const refused = await submit(own, { raw: simple.replace("app@example.com", "a@other.test") + body });
    assert.match(refused.text, /^550 5\.7\.1 /);
    const answer = await submit(own, { raw: `${simple}${body}\r\n` });
    assert.equal(answer.code, 250, answer.text);
    assert.equal((await settled(own, idIn(answer))).status, "sent");
    const raw = own.server.handed[0]?.raw.toString("latin1") ?? "";
    assert.ok(raw.endsWith(`${simple.slice(simple.indexOf("Hello Ada."))}${body}\r\n`));
  });
}

test("what a submission agent adds: Date, Message-ID, and the signatures of the account's domain", async (context) => {
  const own = await submitting(context);
  const answer = await submit(own, { raw: simple });
  const record = await settled(own, idIn(answer));
  const raw = own.server.handed[0]!.raw;
  const read = await PostalMime.parse(raw);
  assert.equal(read.messageId, `<${record.id}@example.com>`);
  assert.equal(new Date(read.date ?? "").getTime(), Math.floor(own.it.clock.now() / 1000) * 1000);
  assert.ok(raw.toString().endsWith(simple));
  const { generateKeyPairSync } = await import("node:crypto");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await own.it.gateway({
    identifier: gateway,
    channel: "email",
    kind: "smtp",
    settings: {
      host: "localhost",
      port: own.server.port,
      ca: (await import("../../gateways/email/certificate.ts")).cert,
      from: "news@example.com",
      dkim: {
        domain: "example.com",
        selector: "one",
        private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      },
    },
  });
  const signed = await submit(own, { raw: simple.replace("Hello Ada.", "Hello  Ada.\t\r\n\r\n") });
  await settled(own, idIn(signed));
  const verdict = await authenticate(own.server.handed[1]!.raw, {
    ip: "127.0.0.1",
    helo: "test",
    sender: "news@example.com",
    resolver: async (name: string) => {
      if (name !== "one._domainkey.example.com")
        throw Object.assign(new Error("none"), { code: "ENOTFOUND" });
      return [[`v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`]];
    },
  } as never);
  assert.equal(verdict.dkim.results[0]?.status.result, "pass");
});

test("the headers of ours: gateway, schedule, key; an unknown one is refused by name", async (context) => {
  const own = await submitting(context);
  await own.it.gateway({ identifier: "other", channel: "email", kind: "sandbox" });
  const withHeaders = (...more: string[]) => lines(...more) + simple;
  const table: [header: string, answer: RegExp][] = [
    ["X-Trunkline-Gateway: other", /^250 /],
    ["X-Trunkline-Gateway: missing", /^550 5\.7\.1 .*X-Trunkline-Gateway/i],
    ["X-Trunkline-Schedule-At: 2099-01-31 09:00:00", /^250 /],
    ["X-Trunkline-Schedule-At: tomorrow", /^554 5\.6\.0 .*schedule-at/i],
    ["X-Trunkline-Schedule: 2099-01-31 09:00:00", /^554 5\.6\.0 x-trunkline-schedule is no header/],
    ["X-Trunkline-Tags: not a tag", /^554 5\.6\.0 .*tags/i],
    ["X-Trunkline-Idempotency-Key:", /^554 5\.6\.0 /],
    ["X-Trunkline-Message: msg_from_before", /^250 /],
  ];
  const ids: string[] = [];
  for (const [header, expected] of table) {
    const answer = await submit(own, { raw: withHeaders(header) });
    assert.match(answer.text, expected, header);
    if (answer.code === 250) ids.push(idIn(answer));
  }
  const [other, scheduled] = await Promise.all(
    ids.slice(0, 2).map(async (id) => (await own.it.get(`/api/get/email/${id}`)).json().data),
  );
  assert.equal(other.gateway_identifier, "other");
  assert.equal(scheduled.status, "scheduled");
  const key = "X-Trunkline-Idempotency-Key: order-1";
  const first = await submit(own, { raw: withHeaders(key, "Message-ID: <1@a.test>") });
  const again = await submit(own, { raw: withHeaders(key, "Message-ID: <2@a.test>") });
  assert.equal(idIn(again), idIn(first));
  assert.match(again.text, /^250 2\.0\.0 Accepted before as /);
  const different = await submit(own, { raw: withHeaders(key).replace("Hello Ada.", "Goodbye.") });
  assert.match(different.text, /^550 5\.6\.0 This idempotency key was used for a different mail/);
});

test("hidden recipients alone: one mail, whose header names no one", async (context) => {
  const own = await submitting(context);
  const raw = lines("From: app@example.com", "To: undisclosed-recipients:;", "Subject: x", "", "x");
  const answer = await submit(own, { raw, to: ["a@example.net", "b@example.net"] });
  const record = await settled(own, idIn(answer));
  assert.deepEqual(
    record.recipients.map(({ email, field }) => `${field} ${email}`),
    ["bcc a@example.net", "bcc b@example.net"],
  );
  assert.deepEqual(own.server.handed[0]?.to, ["a@example.net", "b@example.net"]);
  assert.doesNotMatch(own.server.handed[0]!.raw.toString(), /@example\.net/);
});

test("a vendor's API gets the parts of the mail, and a mail with more than parts is refused by name", async (context) => {
  const own = await submitting(context);
  await own.it.gateway({
    identifier: "vendor",
    channel: "email",
    kind: "postmark",
    settings: {
      from: "app@vendor.test",
      server_token: "a-token-of-a-test",
      base_url: "https://93.184.215.14",
    },
  });
  own.it.respond(
    () =>
      ({
        kind: "response",
        status: 200,
        headers: {},
        body: Buffer.from(JSON.stringify({ ErrorCode: 0, MessageID: "1" })),
      }) as never,
  );
  const raw = lines(
    "From: App <app@vendor.test>",
    "To: Ada <ada@example.net>",
    "Reply-To: Help <help@vendor.test>, =?UTF-8?Q?D=C3=A9sk?= <desk@vendor.test>",
    "Subject: Hello",
    "In-Reply-To: <0@example.net>",
    "MIME-Version: 1.0",
    "Content-Type: multipart/alternative; boundary=a",
    "",
    "--a",
    "",
    "Text.",
    "--a",
    "Content-Type: text/html",
    "",
    "<p>HTML.</p>",
    "--a--",
  );
  const answer = await submit(own, { raw });
  assert.equal(answer.code, 250, answer.text);
  const record = await settled(own, idIn(answer));
  assert.equal(record.gateway_identifier, "vendor");
  const body = JSON.parse(String(own.it.requests[0]?.body));
  assert.deepEqual(
    [body.From, body.To, body.ReplyTo, body.Subject, body.TextBody, body.HtmlBody],
    [
      '"App" <app@vendor.test>',
      '"Ada" <ada@example.net>',
      '"Help" <help@vendor.test>, "Désk" <desk@vendor.test>',
      "Hello",
      "Text.",
      "<p>HTML.</p>",
    ],
  );
  assert.deepEqual(
    body.Headers.find(({ Name }: { Name: string }) => Name === "In-Reply-To"),
    { Name: "In-Reply-To", Value: "<0@example.net>" },
  );
  const table: [from: string, to: string, answer: RegExp][] = [
    ["multipart/alternative", "multipart/signed", /of kind postmark .* has multipart\/signed/],
    ["text/html", "text/calendar", /of kind postmark .* has text\/calendar in multipart\/alternative/],
    ["Subject: Hello", "Resent-To: ada@example.net\r\nSubject: Hello", /has Resent fields/],
    [
      "To: Ada <ada@example.net>",
      "To: Ada <ada@example.net>, Friends: bob@example.net;",
      /has a To that is no list of plain addresses/,
    ],
    ["Subject: Hello", "Cc: Team: bob@example.net;\r\nSubject: Hello", /has a Cc that is no list of plain/],
    [
      "Reply-To: Help <help@vendor.test>,",
      "Reply-To: Team: a@vendor.test;,",
      /of kind postmark .* has a Reply-To that is no list of plain addresses/,
    ],
    [
      "To: Ada <ada@example.net>",
      "To: someone@example.net",
      /of kind postmark needs a recipient who is in the To field/,
    ],
  ];
  for (const [from, to, expected] of table)
    assert.match((await submit(own, { raw: raw.replace(from, to) })).text, expected, to);
});

test("SIZE, 8BITMIME, SMTPUTF8 and PIPELINING are offered, and a pipelined mail is taken", async (context) => {
  const own = await submitting(context);
  const wire = await signedIn(own);
  const hello = await wire.say("EHLO client.test");
  for (const word of ["SIZE 1048576", "8BITMIME", "SMTPUTF8", "PIPELINING"])
    assert.ok(hello.includes(word), word);
  wire.socket.write(
    [
      "MAIL FROM:<app@example.com> SIZE=300 BODY=8BITMIME SMTPUTF8",
      "RCPT TO:<ada@example.net>",
      "RCPT TO:<ada@bücher.example>",
      "DATA\r\n",
    ].join("\r\n"),
  );
  for (const code of ["250", "250", "250", "354"]) assert.equal((await wire.hear()).slice(0, 3), code);
  const answer = await wire.say(Buffer.from(`${simple.replace("Hello", "Grüße")}.\r\nQUIT\r\n`));
  assert.match(answer, /^250 2\.0\.0 Accepted as /);
  assert.match(await wire.hear(), /^221/);
  const record = await settled(own, idIn({ code: 250, text: answer }));
  assert.equal(record.subject, "Grüße");
  assert.deepEqual(own.server.handed[0]?.to, ["ada@example.net", "ada@xn--bcher-kva.example"]);
});

test("the suppression list holds for the envelope, and the header stays as it was written", async (context) => {
  const own = await submitting(context);
  const { it } = own;
  const row = await it.system.database.run(findGatewayByIdentifier, gateway);
  const suppress = (recipients: string[]) =>
    it.system.database.run(addSuppressions, {
      accountId: row?.account_id ?? "",
      channel: "email",
      recipients,
      note: null,
      at: it.clock.now(),
    });
  await suppress(["ada@example.net", "a@example.net"]);
  const send = async (header: string, to: string[]) => {
    const raw = lines("From: app@example.com", header, "Subject: x", "", "x");
    const record = await settled(own, idIn(await submit(own, { raw, to })));
    const each = record.recipients.map(({ email, status }) => `${email} ${status}`);
    return [record.status, ...each].join(", ");
  };
  const both = "To: ada@example.net, bob@example.net";
  assert.equal(
    await send(both, ["ada@example.net", "bob@example.net"]),
    "sent, ada@example.net suppressed, bob@example.net sent",
  );
  assert.deepEqual(own.server.handed[0]?.to, ["bob@example.net"]);
  assert.match(own.server.handed[0]!.raw.toString(), /^To: ada@example\.net, bob@example\.net\r$/m);
  assert.equal(
    await send("To: undisclosed-recipients:;", ["a@example.net", "b@example.net"]),
    "sent, a@example.net suppressed, b@example.net sent",
  );
  assert.deepEqual(own.server.handed[1]?.to, ["b@example.net"]);
  assert.equal(await send(both, ["ada@example.net"]), "suppressed");
  assert.equal(own.server.handed.length, 2);
});

test("a gateway that adds an unsubscribe link puts it in place of the mail's own", async (context) => {
  const own = await submitting(context, { settings: { unsubscribe: true } });
  const raw = lines("List-Unsubscribe: <https://app.example.com/out>") + simple;
  await settled(own, idIn(await submit(own, { raw })));
  const read = await PostalMime.parse(own.server.handed[0]!.raw);
  const links = read.headers.filter(({ key }) => key === "list-unsubscribe");
  assert.equal(links.length, 1);
  assert.match(links[0]?.value ?? "", /^<https:\/\/trunkline\.test\/u\//);
  const several = await submit(own, { raw: simple, to: ["ada@example.net", "bob@example.net"] });
  assert.match(several.text, /adds an unsubscribe link to each mail/);
});
