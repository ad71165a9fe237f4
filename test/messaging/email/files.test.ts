// One file goes to ten thousand people: it is read once, however many ask at once, and memory has a bound.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AttachmentReadError } from "#gateways/message.ts";
import { createMailFiles } from "#messaging/email/files.ts";
import type { Database } from "#store/database.ts";

const pieceBytes = 300_000;

/** A database whose request `req_N` has one file of `sizes[N]` bytes, all of them N. */
function holding(sizes: readonly number[]) {
  const reads: string[] = [];
  let broken = false;
  const database: Database = {
    engine: "sqlite",
    async run(operation, input) {
      if (broken) throw new Error("storage is away");
      if (operation.name === "readEmailFiles") {
        const at = Number(String(input).slice(4));
        const file = {
          id: `att_${at}`,
          filename: "f.txt",
          content_type: "text/plain",
          size: sizes[at],
          sha256: `${at}`,
        };
        return [file] as never;
      }
      const { id, from, limit } = input as { id: string; from: number; limit: number };
      const at = Number(id.slice(4));
      if (from === 0) reads.push(id);
      const pieces: string[] = [];
      for (let seq = from; seq < from + limit && seq * pieceBytes < sizes[at]!; seq++)
        pieces.push(Buffer.alloc(Math.min(pieceBytes, sizes[at]! - seq * pieceBytes), at).toString("base64"));
      return pieces as never;
    },
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
  return { database, reads, fail: (now: boolean) => (broken = now) };
}

describe("the files of mails", () => {
  it("are read once for everybody who asks at the same time and after", async () => {
    const store = holding([2_500_000]);
    const files = createMailFiles(store.database);
    const lists = await Promise.all(Array.from({ length: 50 }, () => files.forRequest("req_0")));
    const contents = await Promise.all(lists.map(([file]) => file!.content()));
    assert.deepEqual(store.reads, ["att_0"]);
    assert.ok(contents.every((content) => content.equals(Buffer.alloc(2_500_000, 0))));
  });

  it("keep to the bound, and the one used last stays", async () => {
    const store = holding([400_000, 400_000, 400_000]);
    const files = createMailFiles(store.database, 1_000_000);
    const read = async (at: number) => (await files.forRequest(`req_${at}`))[0]!.content();
    for (const at of [0, 1, 0, 2, 0, 1]) assert.equal((await read(at))[0], at);
    assert.deepEqual(store.reads, ["att_0", "att_1", "att_2", "att_1"]);
  });

  it("that could not be read are asked for again", async () => {
    const store = holding([10]);
    const files = createMailFiles(store.database);
    store.fail(true);
    await assert.rejects(files.forRequest("req_0"));
    store.fail(false);
    const [file] = await files.forRequest("req_0");
    store.fail(true);
    await assert.rejects(file!.content(), AttachmentReadError);
    store.fail(false);
    assert.equal((await file!.content()).length, 10);
  });

  it("whose content is missing are an error, not an empty file", async () => {
    const store = holding([10]);
    const files = createMailFiles({
      ...store.database,
      run: async (operation, input) =>
        operation.name === "readFileChunks" ? ([] as never) : await store.database.run(operation, input),
    });
    const [file] = await files.forRequest("req_0");
    await assert.rejects(file!.content(), ({ cause }: AttachmentReadError) => {
      assert.match(String(cause), /is missing/);
      return true;
    });
  });
});
