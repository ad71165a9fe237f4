// Reads a raw mail back: with checks of its own for what must hold of every byte, and with an independent parser for
// what it says. Also makes mails of awkward parts, the same ones in every run.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import PostalMime, { type Email } from "postal-mime";
import { buildMail, type MailParts, messageIdOf } from "#gateways/email/mime/mime.ts";
import { wrappedBase64 } from "#gateways/email/mime/transfer-encoding.ts";
import type { EmailContent, OutgoingAttachment } from "#gateways/message.ts";

export const sentAt = Date.UTC(2026, 10, 20, 12, 0, 0);

export function partsOf(email: EmailContent, change: Partial<MailParts> = {}): MailParts {
  const messageId = messageIdOf("msg_01test", "news@example.com");
  return {
    email,
    recipient: "ada@example.net",
    from: "news@example.com",
    fromName: null,
    messageId,
    date: sentAt,
    ...change,
  };
}

/** The raw mail, as the `smtp` gateway makes it. */
export async function built(parts: MailParts): Promise<Buffer> {
  const files: Buffer[] = [];
  for (const attachment of parts.email.attachments) files.push(wrappedBase64(await attachment.content()));
  return buildMail(parts, files);
}

export function file(
  filename: string,
  content: string | Buffer,
  contentType = "application/pdf",
): OutgoingAttachment {
  const bytes = Buffer.from(content);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { filename, contentType, size: bytes.length, sha256, content: async () => bytes };
}

/** What must hold of every mail, with any content. */
export function wireSafe(raw: Buffer): void {
  const text = raw.toString("latin1");
  assert.ok(text.endsWith("\r\n"));
  assert.doesNotMatch(text, /[^\t\r\n -~]/, "a byte that needs 8BITMIME, or a control");
  assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n/, "a bare CR or LF");
  assert.doesNotMatch(text, /(?:^|\n)\./, "a line that begins with a dot");
  for (const line of text.split("\r\n")) assert.ok(line.length <= 998, `${line.length} bytes in a line`);
}

/** The header's fields, unfolded, in order. */
export function fieldsOf(raw: Buffer): [name: string, value: string][] {
  const text = raw.toString("latin1");
  return text
    .slice(0, text.indexOf("\r\n\r\n"))
    .split(/\r\n(?![ \t])/)
    .map((field) => {
      const colon = field.indexOf(":");
      assert.match(field.slice(0, colon), /^[!-9;-~]+$/, `no field: ${field}`);
      return [
        field.slice(0, colon),
        field
          .slice(colon + 1)
          .replaceAll("\r\n", "")
          .trim(),
      ];
    });
}

export function parsed(raw: Buffer): Promise<Email> {
  return PostalMime.parse(raw);
}

/** Line ends as this parser gives them. */
export const lines = (text: string) => text.toWellFormed().replace(/\r\n?|\n/g, "\n");

const unwanted = fc.constantFrom(
  "\r\nBcc: eve@example.org",
  "\n\n<script>",
  "\r\n.\r\n",
  "\n.\n",
  ".",
  "From ",
  "=?UTF-8?B?QmNjOg==?=",
  '"',
  "\\",
  "<eve@example.org>",
  "eve@example.org, ",
  ";",
  "%0d%0a",
  "\u0000",
  "\u2028",
  "\ud800",
  "é",
  "ß",
  "漢字",
  "🎉",
  "👩‍👩‍👧",
  "\u202e",
  "שלום",
  " ",
  "  ",
  "\t",
  "=",
  "=\r\n",
  "--=_",
  "x".repeat(80),
  "ü".repeat(90),
);
const words = fc.oneof(unwanted, fc.string({ unit: "binary", maxLength: 12 }), fc.string({ maxLength: 12 }));
const awkward = (max: number) => fc.array(words, { maxLength: max }).map((all) => all.join(""));
const name = awkward(6).filter((text) => text.length <= 256);
const localPart = fc.stringMatching(
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20})?$/,
);
const domain = fc.constantFrom("example.net", "xn--mnchen-3ya.example", "a.b.c.d.example", "x-1.example.org");
const address = fc.tuple(localPart, domain).map(([local, host]) => `${local}@${host}`);

/** Mails of awkward texts and addresses. */
export const awkwardParts: fc.Arbitrary<MailParts> = fc
  .record({
    subject: awkward(8),
    text: awkward(20),
    html: fc.option(awkward(20)),
    senderName: fc.option(name),
    replyTo: fc.array(fc.record({ name: fc.option(name), address }), { maxLength: 3 }),
    filename: fc.option(awkward(5).map((text) => `${text}.pdf`)),
    recipient: address,
    from: address,
    id: fc.stringMatching(/^[0-9a-z]{26}$/),
  })
  .map(({ recipient, from, id, filename, ...mail }) =>
    partsOf(
      {
        kind: "email",
        ...mail,
        headers: [["List-Unsubscribe", "<https://trunkline.test/u/0123456789>"]],
        returnPath: null,
        attachments: filename === null ? [] : [file(filename, `%PDF ${id}\n.\n`)],
      },
      { recipient, from, messageId: messageIdOf(`msg_${id}`, from) },
    ),
  );

/** A text as a header field carries it: on one line. */
export const oneHeaderLine = (text: string) =>
  text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");

/** Everything that a mail was made of, found again by a parser that shares no code with its maker. */
export async function sameMail(parts: MailParts, raw: Buffer): Promise<void> {
  const { email } = parts;
  wireSafe(raw);
  const names = fieldsOf(raw).map(([field]) => field);
  assert.deepEqual(names, [
    "From",
    "To",
    ...(email.replyTo.length === 0 ? [] : ["Reply-To"]),
    "Subject",
    "Date",
    "Message-ID",
    ...email.headers.map(([field]) => field),
    "MIME-Version",
    "Content-Type",
    ...(email.html === null && email.attachments.length === 0 ? ["Content-Transfer-Encoding"] : []),
  ]);
  const read = await parsed(raw);
  const shownName = email.senderName ?? parts.fromName ?? "";
  assert.equal(read.from?.address, parts.from);
  assert.equal(read.from?.name.trim(), oneHeaderLine(shownName).trim());
  assert.deepEqual(read.to, [{ address: parts.recipient, name: "" }]);
  assert.equal(read.cc, undefined);
  assert.equal(read.bcc, undefined);
  assert.deepEqual(
    (read.replyTo ?? []).map((each) => ({ address: each.address, name: each.name.trim() })),
    email.replyTo.map((each) => ({ address: each.address, name: oneHeaderLine(each.name ?? "").trim() })),
  );
  assert.equal((read.subject ?? "").trim(), oneHeaderLine(email.subject).trim());
  assert.equal(read.messageId, parts.messageId);
  assert.equal(read.date, new Date(parts.date).toISOString());
  sameText(read.text, email.text, "text");
  if (email.html !== null) sameText(read.html, email.html, "html");
  assert.equal(read.attachments.length, email.attachments.length);
  for (const [index, attachment] of email.attachments.entries()) {
    const found = read.attachments[index]!;
    assert.equal(found.filename, oneHeaderLine(attachment.filename).replaceAll("=?", "=_"), "filename");
    assert.equal(found.mimeType, attachment.contentType);
    assert.equal(found.disposition, "attachment");
    assert.ok((await attachment.content()).equals(Buffer.from(found.content as ArrayBuffer)));
  }
}

/** The same but for the line ends that close a part. */
function sameText(found: string | undefined, expected: string, what: string): void {
  assert.equal(lines(found ?? "").replace(/\n+$/, ""), lines(expected).replace(/\n+$/, ""), what);
}
