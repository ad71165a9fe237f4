// Signatures are judged by mailauth, which is not ours: they hold for what was sent, name exactly the fields
// that are meant, and break when anything that they promise to guard is changed or added.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { dkimSignatures } from "#gateways/email/mime/dkim.ts";
import { publishedKey } from "#gateways/email/mime/dkim-key.ts";
import type { DkimKey } from "#gateways/message.ts";

const now = 1_780_000_000_500;
const rsa: DkimKey = {
  domain: "example.com",
  selector: "r1",
  algorithm: "rsa-sha256",
  privateKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
};
const edwards: DkimKey = {
  domain: "example.com",
  selector: "e1",
  algorithm: "ed25519-sha256",
  privateKey: generateKeyPairSync("ed25519").privateKey,
};

/** The mail as it is sent: behind its signatures. */
const signMail = async (raw: Buffer, keys: readonly DkimKey[], at: number) =>
  Buffer.concat([await dkimSignatures(raw, keys, at), raw]);

const records = new Map(
  [rsa, edwards].map(({ algorithm, selector, privateKey: key }) => [
    `${selector}._domainkey.example.com`,
    `v=DKIM1; k=${algorithm.split("-")[0]}; p=${publishedKey({ algorithm, key })}`,
  ]),
);

async function resolver(name: string): Promise<string[][]> {
  const record = records.get(name);
  if (record === undefined) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
  return [[record]];
}

/** What mailauth says of each signature. */
async function verified(mail: Buffer): Promise<{ result: string; keys: string }[]> {
  const { results } = await dkimVerify(mail, { resolver });
  return results.map(({ status, signingHeaders }) => ({
    result: status.result,
    keys: signingHeaders?.keys ?? "",
  }));
}

const results = async (mail: Buffer) => (await verified(mail)).map(({ result }) => result);

const fields = [
  "From: =?utf-8?Q?J=C3=BCrgen?= <news@example.com>",
  "To: someone@example.org",
  "Subject: Your order",
  "Date: Thu, 28 May 2026 20:26:40 +0000",
  "Message-ID: <msg_1@example.com>",
  "Reply-To: help@example.com",
  "MIME-Version: 1.0",
  "Content-Type: multipart/alternative;\r\n boundary=b1",
  "Content-Transfer-Encoding: 7bit",
  "List-Unsubscribe: <https://t.example.com/u/1>",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  "X-Other: not signed",
];
const body = "--b1\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b1--\r\n";
const mailOf = (head: readonly string[], text = body) =>
  Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`, "latin1");

describe("a signed mail", () => {
  test("has one signature of each key, over exactly the fields that are meant", async () => {
    const mail = await signMail(mailOf(fields), [rsa, edwards], now);
    const meant = fields.slice(0, -1).map((field) => field.slice(0, field.indexOf(":")));
    const keys = meant.join(": ");
    assert.deepEqual(await verified(mail), [
      { result: "pass", keys },
      { result: "pass", keys },
    ]);
  });

  test("names From, Subject and Reply-To once more than they are there, and states no length", async () => {
    const mail = await signMail(mailOf(fields.filter((field) => !field.startsWith("Reply"))), [edwards], now);
    const tags = tagsOf(mail);
    assert.deepEqual(tags.get("h")?.split(":"), [
      ...["From", "From", "To", "Subject", "Subject", "Date", "Message-ID", "Reply-To", "MIME-Version"],
      ...["Content-Type", "Content-Transfer-Encoding", "List-Unsubscribe", "List-Unsubscribe-Post"],
    ]);
    assert.deepEqual([...tags.keys()].sort(), ["a", "b", "bh", "c", "d", "h", "s", "t", "v"]);
    assert.equal(tags.get("c"), "relaxed/relaxed");
    assert.equal(tags.get("t"), "1780000000");
  });

  test("is the mail as it was behind lines of at most 78 columns", async () => {
    const raw = mailOf(fields);
    const mail = await signMail(raw, [rsa, edwards], now);
    assert.ok(mail.subarray(mail.length - raw.length).equals(raw));
    const added = mail.subarray(0, mail.length - raw.length).toString("latin1");
    assert.match(added, /^(?:DKIM-Signature: [^\r\n]+\r\n(?: [^\r\n]+\r\n)+){2}$/);
    for (const line of added.split("\r\n")) assert.ok(line.length <= 78, line);
    // Signatures of Ed25519 are the same each time.
    const alone = await dkimSignatures(raw, [edwards], now);
    assert.ok(added.endsWith(alone.toString("latin1")));
  });

  test("a long domain and selector are not torn", async () => {
    const domain = `${"a".repeat(63)}.${"b".repeat(63)}.example.com`;
    const mail = await signMail(mailOf(fields), [{ ...edwards, domain }], now);
    assert.equal(tagsOf(mail).get("d"), domain);
  });

  test("without keys it is left as it is", async () => {
    const raw = mailOf(fields);
    assert.ok((await signMail(raw, [], now)).equals(raw));
  });
});

describe("what is changed on the way", () => {
  const changes: Record<string, (mail: string) => string> = {
    "a word of the body": (mail) => mail.replace("Hello", "Hallo"),
    "text behind the body": (mail) => `${mail}More\r\n`,
    "the sender": (mail) => mail.replace("<news@", "<boss@"),
    "a second sender above": (mail) => `From: boss@example.com\r\n${mail}`,
    "a second sender below": (mail) => mail.replace("\r\n\r\n", "\r\nFrom: boss@example.com\r\n\r\n"),
    "the subject": (mail) => mail.replace("Your order", "Your bill"),
    "a second subject": (mail) => `Subject: Your bill\r\n${mail}`,
    "the address for answers": (mail) => mail.replace("help@", "evil@"),
    "a second address for answers": (mail) => `Reply-To: evil@example.com\r\n${mail}`,
    "the recipient": (mail) => mail.replace("To: someone@", "To: another@"),
    "the date": (mail) => mail.replace("28 May", "29 May"),
    "the type": (mail) => mail.replace("boundary=b1", "boundary=b2"),
    "the link to unsubscribe": (mail) => mail.replace("/u/1", "/u/2"),
  };
  for (const [what, change] of Object.entries(changes)) {
    test(`${what}: breaks both signatures`, async () => {
      const mail = (await signMail(mailOf(fields), [rsa, edwards], now)).toString("latin1");
      const changed = change(mail);
      assert.notEqual(changed, mail);
      for (const result of await results(Buffer.from(changed, "latin1"))) assert.notEqual(result, "pass");
    });
  }

  test("an address for answers that is added where there was none: breaks them as well", async () => {
    const without = fields.filter((field) => !field.startsWith("Reply"));
    const mail = (await signMail(mailOf(without), [rsa, edwards], now)).toString("latin1");
    const changed = Buffer.from(`Reply-To: evil@example.com\r\n${mail}`, "latin1");
    for (const result of await results(changed)) assert.notEqual(result, "pass");
  });

  test("white space, and headers that are not signed: leave them whole", async () => {
    const mail = (await signMail(mailOf(fields), [rsa, edwards], now)).toString("latin1");
    const changed = `Received: from a by b\r\n${mail}\r\n \t\r\n`
      .replace("Subject: Your order", "SUBJECT :\tYour\r\n\t order ")
      .replace("Hello\r\n", "Hello \t\r\n");
    assert.deepEqual(await results(Buffer.from(changed, "latin1")), ["pass", "pass"]);
  });
});

describe("corner cases of the canonical form", () => {
  const long = `${"A".repeat(76)}\r\n`;
  const bodies: Record<string, string> = {
    "no body": "",
    "one empty line": "\r\n",
    "white space alone": " \t\r\n\r\n \r\n",
    "no line end at the end": "Hello",
    "white space at the end, no line end": "Hello \t",
    "many empty lines at the end": `Hello${"\r\n".repeat(40)}`,
    "empty lines at the start": "\r\n\r\nHello\r\n",
    "tabs and runs": "a\t\tb  c \t d\r\n\t x\r\n",
    "lines of white space inside": "a\r\n \t \r\nb\r\n",
    "lines that begin with dots": ".\r\n..\r\n.a\r\n",
    "bytes above 127": "\u00a0\u00e9\u0085 \u00ff\u00a0\r\n",
    "longer than a window, with white space in one place": `${long.repeat(500)}a  b \r\n${long.repeat(500)}`,
    "a line longer than a window": `${"x y\t".repeat(20_000)}\r\nend\r\n`,
    "a last line longer than a window": `${"A".repeat(40_000)}\r\n\r\n`,
    "empty lines across windows": `${"\r\n".repeat(40_000)}end\r\n`,
    "a window that ends with the body": `${"A".repeat(32_768)}\r\n`,
  };
  for (const [what, text] of Object.entries(bodies)) {
    test(what, async () => {
      const mail = await signMail(mailOf(fields, text), [rsa, edwards], now);
      assert.deepEqual(await results(mail), ["pass", "pass"]);
    });
  }

  test("the hash of an empty body is that of RFC 6376", async () => {
    const mail = await signMail(mailOf(fields, ""), [edwards], now);
    assert.equal(tagsOf(mail).get("bh"), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  });

  const heads: Record<string, string[]> = {
    "folded with tabs, and runs": [
      "From: news@example.com",
      "Subject:\tone\r\n\ttwo  three\r\n  four\t",
      "To:a@example.org,\r\n b@example.org",
    ],
    "white space before the colon, names in capitals": ["FROM : news@example.com", "sUBJECT\t:x"],
    "no value": ["From: news@example.com", "Subject:", "Reply-To: "],
    "bytes above 127": ["From: news@example.com", "Subject: \u00a0caf\u00c3\u00a9\u0085\u00a0"],
    "colons in values": ["From: news@example.com", "Subject: a:b : c"],
    "the same field twice": [
      "From: news@example.com",
      "Subject: x",
      "To: a@example.org",
      "To: b@example.org",
    ],
  };
  for (const [what, head] of Object.entries(heads)) {
    test(`fields: ${what}`, async () => {
      assert.deepEqual(await results(await signMail(mailOf(head), [rsa, edwards], now)), ["pass", "pass"]);
    });
  }

  test("a mail that is all head, without the empty line behind it", async () => {
    const raw = Buffer.from("From: news@example.com\r\nSubject: x\r\n", "latin1");
    assert.deepEqual(await results(await signMail(raw, [edwards], now)), ["pass"]);
  });
});

test("for every kind of mail, an independent verifier agrees", async () => {
  const value = fc
    .array(fc.constantFrom("a", "Zz", ":", ";", "=", " ", "\t", "  ", "\r\n ", "\r\n\tx", "\u00e9", "\u00a0"))
    .map((parts) => parts.join(""))
    // A line of white space alone would end the head for some readers.
    .filter((text) => !/\r\n[\t ]*(?:\r\n|$)/.test(text));
  const name = fc.constantFrom(
    "To",
    "Subject",
    "Date",
    "Reply-To",
    "Content-Type",
    "X-A",
    "list-unsubscribe",
  );
  const text = fc
    .array(
      fc.constantFrom("a", "bc", " ", "\t", "   ", "\r\n", "\r\n\r\n", ".", "--b", "\u00ff", "\u0085", "=20"),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value)), text, async (more, content) => {
      const head = ["From: news@example.com", ...more.map(([field, fieldText]) => `${field}:${fieldText}`)];
      const mail = await signMail(mailOf(head, content), [edwards], now);
      assert.deepEqual(await results(mail), ["pass"]);
    }),
    { numRuns: 400 },
  );
});

/** The tags of the first signature, without white space. */
function tagsOf(mail: Buffer): Map<string, string> {
  const [field = ""] = mail.toString("latin1").split(/\r\n(?![\t ])/);
  const tags = field
    .slice(field.indexOf(":") + 1)
    .replace(/\s+/g, "")
    .split(";");
  return new Map(tags.map((tag) => [tag.slice(0, tag.indexOf("=")), tag.slice(tag.indexOf("=") + 1)]));
}
