// What adapters of email APIs share: names that no mail program reads as something else.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import PostalMime from "postal-mime";
import { asciiMailboxText, base64Attachments, mailboxText, senderOf } from "#gateways/email/http-mail.ts";
import { sampleAttachment, sampleEmail, seed } from "../conformance-samples.ts";

const address = "news@example.com";
const own = {
  from: address,
  from_name: "Example" as string | undefined,
  tracking: { opens: false, clicks: false },
  unsubscribe: false,
};

/** How a mail program reads a From header. */
async function readBack(text: string) {
  const { from } = await PostalMime.parse(Buffer.from(`From: ${text}\r\n\r\n`));
  return { address: from?.address, name: from?.name };
}

describe("mailboxes", () => {
  test("the caller's name goes before the gateway's, and there may be none", () => {
    const email = sampleEmail({ senderName: "Ada" }).content;
    assert.deepEqual(senderOf(email, own), { address, name: "Ada" });
    assert.deepEqual(senderOf({ ...email, senderName: null }, own), { address, name: "Example" });
    const nameless = { ...own, from_name: undefined };
    assert.deepEqual(senderOf({ ...email, senderName: null }, nameless), { address, name: null });
    assert.equal(
      senderOf(email, { ...own, from: "news@Bücher.example" }).address,
      "news@xn--bcher-kva.example",
    );
    assert.equal(mailboxText({ address, name: null }), address);
    assert.equal(asciiMailboxText({ address, name: null }), address);
  });

  test("a name is quoted, with anything in it", () => {
    assert.equal(mailboxText({ address, name: 'A "B" \\ C' }), '"A \\"B\\" \\\\ C" <news@example.com>');
    assert.equal(asciiMailboxText({ address, name: "Ü" }), "=?UTF-8?B?w5w=?= <news@example.com>");
  });

  test("any name of one line reads back as itself, with the same single address", async () => {
    const character = fc.oneof(
      fc.constantFrom(...'"\\<>,;:@()[]=? ', "ü", "🎉", "漢"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    );
    const name = fc
      .array(character, { minLength: 1, maxLength: 120, size: "max" })
      .map((parts) =>
        parts
          .join("")
          .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
          .trim(),
      )
      // A reader decodes encoded words also where it should not: inside quotes.
      .filter((text) => text !== "" && text.isWellFormed() && !text.includes("=?"));
    await fc.assert(
      fc.asyncProperty(name, async (original) => {
        for (const text of [
          mailboxText({ address, name: original }),
          asciiMailboxText({ address, name: original }),
        ]) {
          assert.deepEqual(await readBack(text), { address, name: original });
        }
        assert.match(asciiMailboxText({ address, name: original }), /^[\u0020-\u007e]+$/);
        for (const [word] of asciiMailboxText({ address, name: original }).matchAll(/=\?UTF-8\?B\?\S*/g)) {
          assert.ok(word.length <= 75);
        }
      }),
      { numRuns: 500, seed },
    );
  });
});

test("attachments keep their order and their bytes", async () => {
  const attachments = [
    sampleAttachment("b.bin", "application/octet-stream", Buffer.from([0, 1, 255])),
    sampleAttachment("a.txt", "text/plain", Buffer.alloc(0)),
  ];
  assert.deepEqual(await base64Attachments(sampleEmail({ attachments }).content), [
    { filename: "b.bin", contentType: "application/octet-stream", base64: "AAH/" },
    { filename: "a.txt", contentType: "text/plain", base64: "" },
  ]);
});
