// Files on their way in: in pieces of bounded size, within the account's limits, and gone again when refused.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import type { Account } from "#accounts/account.ts";
import { errorsByPath } from "#contract/issue.ts";
import { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError } from "#store/database.ts";
import type { AttachmentChunk } from "#store/email/attachments.ts";
import { memoryLog } from "../../log.ts";

const account = (maxFiles = 3, maxBytes = 1_048_576): Account => ({
  id: "acc_1",
  name: "acme",
  timeZone: "UTC",
  country: null,
  plan: { name: "basic", expiresAt: null },
  requestsPerMinute: null,
  attachments: { maxFiles, maxBytes },
  gateways: [],
});

function opened(owner = account()) {
  const pieces: AttachmentChunk[] = [];
  const removed: string[] = [];
  let broken = false;
  const run = async ({ name }: { name: string }, input: unknown): Promise<unknown> => {
    if (broken) throw new StorageError("full", "no room");
    if (name === "storeChunk") return void pieces.push(input as AttachmentChunk);
    const loose = input as { id: string };
    removed.push(loose.id);
    // Two steps for each.
    return removed.filter((id) => id === loose.id).length === 2;
  };
  const database = { run } as unknown as Database;
  let made = 0;
  const log = memoryLog();
  const upload = new AttachmentUpload(
    { database, clock: movableClock(), log, newId: (prefix) => `${prefix}_${++made}` },
    owner,
  );
  const breakStorage = () => {
    broken = true;
  };
  return { upload, pieces, removed, log, breakStorage };
}

async function put(
  upload: AttachmentUpload,
  name: string,
  content: Buffer,
  order: number | null = null,
  step = 50_000,
) {
  const file = upload.open(name, order);
  for (let at = 0; at < content.length; at += step) await file.write(content.subarray(at, at + step));
  await file.close();
}

const pdf = (bytes: number) => Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes - 9, "abcdefg")]);
const errorsOf = (upload: AttachmentUpload) => ({ ...errorsByPath(upload.issues()) });
const types = "pdf, doc, docx, xls, xlsx, csv, txt, png, jpg, jpeg, gif, zip, rar, svg, webp";
const wrongType = (at: number) => [`The attachments.${at} field must be a file of type: ${types}.`];

test("a file is stored in pieces whose base64 is that of the whole", async () => {
  const { upload, pieces } = opened();
  const content = pdf(500_000);
  await put(upload, "dir/a.pdf", content);
  assert.deepEqual(
    pieces.map(({ seq, content: { length } }) => [seq, length]),
    [
      [0, 262_144],
      [1, 262_144],
      [2, 142_380],
    ],
  );
  assert.ok(Buffer.from(pieces.map((piece) => piece.content).join(""), "base64").equals(content));
  assert.ok(pieces.every(({ accountId }) => accountId === "acc_1"));
  assert.deepEqual(upload.issues(), []);
  assert.deepEqual(upload.files(), [
    {
      id: "att_1",
      filename: "a.pdf",
      content_type: "application/pdf",
      size: 500_000,
      sha256: createHash("sha256").update(content).digest("hex"),
      content_id: null,
    },
  ]);
});

test("a file of no bytes is one", async () => {
  const { upload, pieces } = opened();
  await put(upload, "a.txt", Buffer.alloc(0));
  assert.deepEqual(
    pieces.map(({ seq, content }) => [seq, content]),
    [[0, ""]],
  );
  assert.equal(upload.files()[0]?.size, 0);
});

test("files come in the order of their indices, others behind those before them", async () => {
  const { upload } = opened(account(5));
  await put(upload, "c.txt", Buffer.from("c"), 5);
  await put(upload, "a.txt", Buffer.from("a"), 0);
  await put(upload, "d.txt", Buffer.from("d"));
  await put(upload, "b.txt", Buffer.from("b"), 3);
  assert.deepEqual(
    upload.files().map(({ filename }) => filename),
    ["a.txt", "b.txt", "c.txt", "d.txt"],
  );
});

test("a fault is reported by the index that its file was given, or that came next", async () => {
  const { upload } = opened(account(5));
  await put(upload, "c.exe", Buffer.from("c"), 5);
  await put(upload, "a.txt", Buffer.from("a"), 0);
  await put(upload, "d.exe", Buffer.from("d"));
  assert.deepEqual(errorsOf(upload), { "attachments.5": wrongType(5), "attachments.6": wrongType(6) });
});

test("every fault of every file is reported, and nothing is stored after the first", async () => {
  const { upload, pieces } = opened(account(5, 2_048));
  await put(upload, "good.pdf", pdf(1_000));
  await put(upload, "wrong.png", pdf(1_000));
  await put(upload, "large.pdf", pdf(3_000));
  await put(upload, "a\r\nb.txt", Buffer.from("x"));
  await put(upload, "large.exe", pdf(3_000));
  const size = (at: number) => `The attachments.${at} field must not be greater than 2 kilobytes.`;
  assert.deepEqual(errorsOf(upload), {
    "attachments.1": wrongType(1),
    "attachments.2": [size(2)],
    "attachments.3": ["The attachments.3 field must be one line without control characters."],
    "attachments.4": [...wrongType(4), size(4)],
  });
  assert.deepEqual([...new Set(pieces.map(({ id }) => id))], ["att_1"]);
  assert.throws(() => upload.files());
});

test("one file too many is the one fault that is reported", async () => {
  const { upload } = opened(account(1));
  await put(upload, "a.txt", Buffer.from("x"));
  await put(upload, "b.exe", Buffer.from("x"));
  assert.deepEqual(errorsOf(upload), {
    attachments: ["The attachments field must not have more than 1 items."],
  });
});

test("the size of a file is judged while it comes, not at its end", async () => {
  const { upload, pieces } = opened(account(1, 400_000));
  const file = upload.open("a.pdf", null);
  const content = pdf(10_000_000);
  for (let at = 0; at < content.length; at += 50_000) await file.write(content.subarray(at, at + 50_000));
  assert.equal(pieces.length, 2);
});

test("files of a JSON body; one with a fault of its own keeps its place", async () => {
  const { upload } = opened();
  const content = pdf(400_000);
  await upload.addInline([{ filename: "a.pdf", content: content.toString("base64"), contentId: null }], {
    store: true,
  });
  assert.equal(upload.files()[0]?.sha256, createHash("sha256").update(content).digest("hex"));
  const faulty = opened().upload;
  await faulty.addInline([null, { filename: "a.png", content: "QUJD", contentId: null }], { store: true });
  assert.deepEqual(errorsOf(faulty), { "attachments.1": wrongType(1) });
});

test("what was not accepted is removed, what was is not", async () => {
  const refused = opened();
  await put(refused.upload, "a.pdf", pdf(1_000));
  await refused.upload.discard();
  assert.deepEqual(refused.removed, ["att_1", "att_1"]);
  const taken = opened();
  await put(taken.upload, "a.pdf", pdf(1_000));
  taken.upload.commit();
  await taken.upload.discard();
  assert.deepEqual(taken.removed, []);
});

test("storage that fails is reported; files that cannot be removed are left to the upkeep", async () => {
  const { upload, log, breakStorage } = opened();
  await put(upload, "a.pdf", pdf(1_000));
  breakStorage();
  await assert.rejects(put(upload, "b.pdf", pdf(1_000)), StorageError);
  await upload.discard();
  assert.deepEqual(
    log.lines().map(({ event }) => event),
    ["attachment.removal_failed"],
  );
});

test("a request that has a fault already gets its files looked at, and not stored", async () => {
  const { upload, pieces } = opened();
  const content = pdf(300_000).toString("base64");
  await upload.addInline([{ filename: "a.png", content, contentId: null }], { store: false });
  assert.equal(pieces.length, 0);
  assert.deepEqual(errorsOf(upload), { "attachments.0": wrongType(0) });
});
