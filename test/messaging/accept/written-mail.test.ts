// Mails that came whole: what is refused before anything is stored, and with which status.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Account } from "#accounts/account.ts";
import { readWrittenMail, WrittenMailRefusal } from "#messaging/accept/written-mail.ts";

const gateway = {
  id: "gw_1",
  identifier: "mail",
  channel: "email",
  kind: "smtp",
  contents: ["email"],
  active: true,
  isDefault: true,
  test: false,
  mail: { domain: "example.com", unsubscribe: false },
} as const;
const account: Account = {
  id: "acc_1",
  name: "acme",
  timeZone: "UTC",
  country: null,
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles: 2, maxBytes: 2048 },
  gateways: [gateway],
};
const recipients = ["ada@example.net"];
const read = (raw: string | Buffer, own: Account = account) =>
  readWrittenMail(own, { recipients, raw: Buffer.from(raw as string, "latin1"), now: 0 });

const file = (bytes: number) =>
  `--b\r\nContent-Disposition: attachment; filename=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(bytes).toString("base64")}\r\n`;
const withFiles = (...sizes: number[]) =>
  `From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n${sizes.map(file).join("")}--b--\r\n`;

test("each fault has its status and a sentence", () => {
  const table: [raw: string, status: string, words: RegExp][] = [
    ["", "5.6.0", /no From field/],
    ["Subject: x\r\n\r\nx", "5.6.0", /no From field/],
    ["From: a@example.com, b@example.com\r\n\r\nx", "5.6.0", /one plain address/],
    ["From: Ada\r\n\r\nx", "5.6.0", /one plain address/],
    ["From: evil@evil.test <a@example.com>\r\n\r\nx", "5.6.0", /one plain address/],
    ["From: a@example.com\r\nFrom: b@example.com\r\n\r\nx", "5.6.0", /more than one from/],
    ["From: a@example.com\r\nTo: a\r\nTo: b\r\n\r\nx", "5.6.0", /more than one to/],
    ["From: a@evil.test\r\n\r\nx", "5.7.1", /No email gateway of this account sends from evil\.test/],
    ["From: a@example.com\r\nnonsense\r\n\r\nx", "5.6.0", /a line that is no field/],
    ["From: a@example.com\r\nSubject: \xff\r\n\r\nx", "5.6.0", /neither ASCII nor UTF-8/],
    [`From: a@example.com\r\nX: ${"x".repeat(300_000)}\r\n\r\nx`, "5.6.0", /256 KiB/],
    [withFiles(10, 10, 10), "5.3.4", /at most 2 attachments/],
    [withFiles(2049), "5.3.4", /a\.bin is larger than 2 kilobytes/],
    ["From: a@example.com\r\nX-Trunkline-Tag: a\r\n\r\nx", "5.6.0", /x-trunkline-tag is no header/],
    [
      "From: a@example.com\r\nX-Trunkline-Tags: a\r\nX-Trunkline-Tags: b\r\n\r\nx",
      "5.6.0",
      /more than one x-trunkline-tags/,
    ],
  ];
  for (const [raw, status, words] of table)
    assert.throws(
      () => read(raw),
      (error) => {
        assert.ok(error instanceof WrittenMailRefusal, String(error));
        assert.equal(error.status, status, raw.slice(0, 60));
        assert.match(error.message, words, raw.slice(0, 60));
        return true;
      },
    );
});

test("files at the limits, unknown character sets and encodings are taken, and named if they are in the way", () => {
  assert.equal(read(withFiles(2048, 2048)).draft.written?.obstacle, null);
  const odd = (header: string) => read(`From: a@example.com\r\n${header}\r\n\r\nGr\xfc\xdfe`).draft;
  assert.equal(
    odd("Content-Type: text/plain; charset=klingon").written?.obstacle,
    "the character set klingon",
  );
  assert.equal(odd("Content-Type: text/plain; charset=klingon").message, "Grüße");
  assert.equal(odd("Content-Type: text/plain; charset=iso-8859-1").message, "Grüße");
  assert.equal(odd("Content-Transfer-Encoding: uuencode").written?.obstacle, "the encoding uuencode");
});

test("a mail without subject and body is shown as such, and gets a Date", () => {
  const { draft, raw } = read("From: a@example.com\r\nBcc: b@example.com\r\n\r\n");
  assert.deepEqual([draft.subject, draft.message, draft.email], ["", "", "ada@example.net"]);
  assert.equal(
    raw.toString("latin1"),
    "Date: Thu, 01 Jan 1970 00:00:00 +0000\r\nFrom: a@example.com\r\n\r\n",
  );
});
