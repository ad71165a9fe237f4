// Files that are fetched beside files that came with the request: their order, their meaning to an idempotency key, and the first that fails.

import assert from "node:assert/strict";
import test from "node:test";
import type { Account } from "#accounts/account.ts";
import type { IncomingFile } from "#messaging/accept/attachment-upload.ts";
import { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { FetchedFiles } from "#messaging/accept/fetched-files.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";
import { memoryLog } from "../../log.ts";

const inline = { filename: "b.txt", content: "SGk=", contentId: null };
const remote = (order: number, url: string) => ({
  order,
  url,
  filename: `dir/${order}.txt`,
  contentId: null,
});

/** Two fetched files around one that came with the request. `content`: what is at an address; null if there is nothing. */
async function opened(
  content: (url: string) => string | null,
  urls = ["https://a.test/0", "https://a.test/2"],
) {
  const database = { run: async () => undefined } as unknown as Database;
  let made = 0;
  const deps = {
    database,
    clock: movableClock(),
    log: memoryLog(),
    newId: (prefix: string) => `${prefix}_${++made}`,
  };
  const account = { id: "acc_1", attachments: { maxFiles: 3, maxBytes: 1000 } } as Account;
  const upload = new AttachmentUpload(deps, account);
  await upload.addInline([null, inline, null], { store: true, elsewhere: new Set([0, 2]) });
  const asked: string[] = [];
  const fetch = async (url: string, file: IncomingFile) => {
    asked.push(url);
    const found = content(url);
    if (found === null) return "its server answered 404";
    await file.write(Buffer.from(found));
    return null;
  };
  const files = new FetchedFiles(upload, [remote(0, urls[0]!), remote(2, urls[1]!)], fetch);
  return { files, asked };
}

test("files are in the order of the list, with what was fetched", async () => {
  const { files, asked } = await opened((url) => url);
  assert.deepEqual(await files.fetchRemote(), []);
  assert.deepEqual(
    files.files().map(({ filename, size }) => [filename, size]),
    [
      ["0.txt", 16],
      ["b.txt", 2],
      ["2.txt", 16],
    ],
  );
  assert.deepEqual(asked, ["https://a.test/0", "https://a.test/2"]);
});

test("the meaning is in the order of the list, is that of the addresses, and needs no server", async () => {
  const first = await opened(() => null);
  assert.deepEqual(
    first.files.meaning().map(({ filename }) => filename),
    ["0.txt", "b.txt", "2.txt"],
  );
  const other = await opened(() => null, ["https://a.test/0", "https://a.test/3"]);
  const digests = [first, other].map(({ files }) => files.meaning().map(({ sha256 }) => sha256));
  assert.deepEqual(
    digests[0]!.map((digest, at) => digest === digests[1]![at]),
    [true, true, false],
  );
  assert.deepEqual([first.asked, other.asked], [[], []]);
});

test("the first file that fails is the issue, and no other server is asked", async () => {
  const missing = await opened(() => null);
  assert.deepEqual(await missing.files.fetchRemote(), [
    {
      path: ["attachments", 0],
      message: 'The file "dir/0.txt" could not be fetched: its server answered 404.',
    },
  ]);
  assert.equal(missing.asked.length, 1);
  const wrong = await opened(() => "a\0b");
  const [issue, ...others] = await wrong.files.fetchRemote();
  assert.deepEqual(issue?.path, ["attachments", 0]);
  assert.match(issue.message, /must be a file of type/);
  assert.deepEqual([others, wrong.asked.length], [[], 1]);
});
