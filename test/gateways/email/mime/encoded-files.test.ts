// Files kept encoded: read once however many mails carry them, and not for longer than there is room.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EncodedFiles } from "#gateways/email/mime/encoded-files.ts";
import { file } from "../reread.ts";

function counted(name: string, bytes: number) {
  const attachment = file(name, Buffer.alloc(bytes, name));
  const it = {
    reads: 0,
    broken: false,
    attachment: {
      ...attachment,
      content: async () => {
        it.reads += 1;
        if (it.broken) throw new Error("storage is down");
        return attachment.content();
      },
    },
  };
  return it;
}

test("the same content is read and encoded once, also when asked for at once", async () => {
  const files = new EncodedFiles(1_000_000);
  const one = counted("a", 1000);
  const again = { ...one.attachment, filename: "other-name.pdf" };
  const [first, second] = await Promise.all([files.encode(one.attachment), files.encode(again)]);
  assert.equal(first, second);
  assert.ok(Buffer.from(first.toString("latin1"), "base64").equals(Buffer.alloc(1000, "a")));
  await files.encode(one.attachment);
  assert.equal(one.reads, 1);
});

test("those used last are kept, within the bytes there are", async () => {
  const files = new EncodedFiles(4000);
  const [a, b, c] = [counted("a", 1000), counted("b", 1000), counted("c", 1000)];
  await files.encode(a.attachment);
  await files.encode(b.attachment);
  await files.encode(a.attachment);
  await files.encode(c.attachment);
  await files.encode(a.attachment);
  assert.deepEqual([a.reads, b.reads, c.reads], [1, 1, 1]);
  await files.encode(b.attachment);
  assert.equal(b.reads, 2, "it was the one used longest ago");
});

test("one that is larger than all is encoded, and not kept", async () => {
  const files = new EncodedFiles(100);
  const large = counted("a", 1000);
  await files.encode(large.attachment);
  assert.ok((await files.encode(large.attachment)).length > 1000);
  assert.equal(large.reads, 2);
});

test("a failure is not kept", async () => {
  const files = new EncodedFiles(10_000);
  const one = counted("a", 10);
  one.broken = true;
  await assert.rejects(files.encode(one.attachment), /storage is down/);
  one.broken = false;
  assert.equal(
    (await files.encode(one.attachment)).toString(),
    `${Buffer.alloc(10, "a").toString("base64")}\r\n`,
  );
});

test("cleared, nothing is kept", async () => {
  const files = new EncodedFiles(10_000);
  const one = counted("a", 10);
  await files.encode(one.attachment);
  files.clear();
  await files.encode(one.attachment);
  assert.equal(one.reads, 2);
});
