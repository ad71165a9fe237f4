// Mails put together and read again by a parser that shares no code with their maker: what went in comes out, no more
// and no less. With MAIL_FUZZ=100000 before the command as many awkward mails are made as the figure says.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { buildMail, domainOf, messageIdOf } from "#gateways/email/mime/mime.ts";
import { seed } from "../../conformance-samples.ts";
import { sampleEmail } from "../mailing.ts";
import { awkwardParts, built, fieldsOf, file, parsed, partsOf, sameMail, sentAt } from "../reread.ts";

test("text alone: one part, and every field as it should be", async () => {
  const parts = partsOf(sampleEmail({ html: null, text: "Hello,\nall well?" }), { fromName: "Example News" });
  const raw = await built(parts);
  assert.equal(
    raw.toString("latin1"),
    [
      'From: "Example News" <news@example.com>',
      "To: ada@example.net",
      "Subject: =?UTF-8?B?R3LDvMOfZSAmIDEwMCAl?=",
      "Date: Fri, 20 Nov 2026 12:00:00 +0000",
      "Message-ID: <msg_01test@example.com>",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 7bit",
      "",
      "Hello,",
      "all well?",
      "",
    ].join("\r\n"),
  );
  await sameMail(parts, raw);
});

test("text and HTML are alternatives, the HTML last", async () => {
  const parts = partsOf(sampleEmail());
  const raw = await built(parts);
  await sameMail(parts, raw);
  const text = raw.toString("latin1");
  assert.match(text, /Content-Type: multipart\/alternative;/);
  assert.ok(text.indexOf("text/plain") < text.indexOf("text/html"));
});

test("the same at every attempt, but for the date", async () => {
  const parts = partsOf(sampleEmail());
  assert.ok(buildMail(parts).equals(buildMail(parts)));
  const later = fieldsOf(buildMail({ ...parts, date: sentAt + 3_600_000 }));
  const differing = fieldsOf(buildMail(parts)).filter(([, value], index) => value !== later[index]![1]);
  assert.deepEqual(differing, [["Date", "Fri, 20 Nov 2026 12:00:00 +0000"]]);
});

test("files: in any script, always to be saved, their content untouched", async () => {
  const everyByte = Buffer.from(Array.from({ length: 1000 }, (_, index) => index & 255));
  const attachments = [
    file("Rechnung März 2026.pdf", everyByte),
    file('a "quoted"; name\\.csv', "a;b\n.\n", "text/csv"),
    file("图.svg", "<svg onload='alert(1)'/>", "image/svg+xml"),
    file("page.html", "<script>alert(1)</script>", "text/html"),
    file(`${"sehr-länge-".repeat(12)}.zip`, "PK", "application/zip"),
    file("empty.txt", "", "text/plain"),
    file("🎉", "x", "image/png"),
  ];
  const parts = partsOf(sampleEmail({ attachments }));
  const raw = await built(parts);
  await sameMail(parts, raw);
  assert.doesNotMatch(raw.toString("latin1"), /disposition: inline/i);
});

test("a content type that is not valid becomes bytes without a meaning", async () => {
  for (const wrong of ["", "pdf", 'text/html"\r\nX: y', "text/plain; name=x", "a/b/c"]) {
    const parts = partsOf(sampleEmail({ attachments: [file("a.pdf", "x", wrong)] }));
    const read = await parsed(await built(parts));
    assert.equal(read.attachments[0]?.mimeType, "application/octet-stream", wrong);
  }
});

test("names, reply address and further fields", async () => {
  const email = sampleEmail({
    senderName: "Doe, Jane (Sales) <eve@example.org>",
    replyTo: [{ name: null, address: "jane@xn--mnchen-3ya.example" }],
    headers: [
      ["List-Unsubscribe", `<https://trunkline.test/u/${"0123456789".repeat(20)}>`],
      ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
    ],
  });
  const raw = await built(partsOf(email, { fromName: "Not this one" }));
  const fields = new Map(fieldsOf(raw));
  assert.equal(fields.get("Reply-To"), "jane@xn--mnchen-3ya.example");
  assert.equal(fields.get("List-Unsubscribe"), email.headers[0]![1]);
  assert.equal(fields.get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
  const read = await parsed(raw);
  assert.deepEqual(read.from, { name: "Doe, Jane (Sales) <eve@example.org>", address: "news@example.com" });
});

test("a text cannot bring its own boundary", async () => {
  const raw = buildMail(partsOf(sampleEmail()));
  const boundary = /boundary="([^"]+)"/.exec(raw.toString("latin1"))![1]!;
  const smuggled = `--${boundary}\r\nContent-Type: text/html\r\n\r\n<b>not mine</b>\r\n--${boundary}--\r\n`;
  const parts = partsOf(sampleEmail({ text: smuggled, html: `<p>${smuggled}</p>` }));
  await sameMail(parts, await built(parts));
});

test("the Message-ID is of the sender's domain, in ASCII", () => {
  assert.equal(messageIdOf("msg_1", "news@München.example"), "<msg_1@xn--mnchen-3ya.example>");
  assert.equal(domainOf("a@b.example"), "b.example");
});

test("awkward names, subjects, addresses, bodies and file names come back as they went", async () => {
  const numRuns = Number(process.env.MAIL_FUZZ ?? 500);
  await fc.assert(
    fc.asyncProperty(awkwardParts, async (parts) => sameMail(parts, await built(parts))),
    { numRuns, seed },
  );
});
