// Which calls are stored, what of them, and that a storage which is away costs contents and never a call.

import assert from "node:assert/strict";
import test from "node:test";
import type { ClientRequest, CompletionResult, ResponseStream } from "#ai/completion.ts";
import { createContentLog, type StoredContent } from "#ai/content-log/content-log.ts";
import { contentLog } from "#contract/manage/pools/content-log.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import { contentContext } from "#store/pools/call-contents.ts";
import type { CallContentsTable } from "#store/schema/pools.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";
import { requested } from "../completing.ts";

const served = { provider: "one", model: "gpt", latency_ms: 1, attempts: 1 };
const answer = (text: string): CompletionResult => ({ kind: "answer", text, served });

function logging(random: () => number = () => 0.5) {
  const clock = movableClock();
  const rows = new Map<string, CallContentsTable>();
  const storage = { fault: null as StorageFault | null };
  const sealer = createSealer("k".repeat(32), seededRandom());
  const log = memoryLog();
  let dropped = 0;
  const database = {
    run: async (_operation: unknown, contents: readonly CallContentsTable[]) => {
      if (storage.fault) throw new StorageError(storage.fault, storage.fault);
      for (const row of contents) rows.set(row.call_id, row);
      return null;
    },
  } as unknown as Database;
  const contents = createContentLog({
    database,
    sealer,
    clock,
    log,
    random,
    dropped: (count) => {
      dropped += count;
    },
  });
  const observe = (
    id: string,
    result: CompletionResult,
    rules: object | null = {},
    more: Partial<ClientRequest> = {},
  ) => {
    const pool = { id: "pool_1", accountId: "acc_1", content_log: contentLog.parse(rules) };
    return contents.observe(pool, id, { ...requested(result.kind === "stream"), ...more }, result);
  };
  const read = (id: string) => {
    const row = rows.get(id);
    return row === undefined
      ? null
      : (JSON.parse(sealer.unseal(row.content, contentContext(id))) as StoredContent);
  };
  return { clock, rows, storage, contents, observe, read, log, dropped: () => dropped };
}

const streamOf = (pieces: readonly string[], more: Partial<ResponseStream> = {}): CompletionResult => {
  const left = [...pieces];
  const stream = { next: async () => left.shift() ?? null, cancel: () => {}, stop: () => {}, ...more };
  return { kind: "stream", stream, served };
};
const piece = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

async function heard(result: CompletionResult, limit = 1_000): Promise<string[]> {
  assert.ok(result.kind === "stream");
  const texts: string[] = [];
  for (let text = await result.stream.next(); text !== null; text = await result.stream.next()) {
    texts.push(text);
    if (texts.length === limit) {
      result.stream.cancel();
      break;
    }
  }
  return texts;
}

test("a whole answer is stored within a second, sealed, as the pool's", async () => {
  const { clock, rows, observe, read } = logging();
  const result = answer('{"choices":[]}');
  assert.equal(
    observe("req_1", result, {}, { body: { messages: [{ content: "key sk-abcdefghij0123456789" }] } }),
    result,
  );
  assert.equal(rows.size, 0);
  await clock.advance(1_000);
  assert.deepEqual(read("req_1"), {
    request: { messages: [{ content: "key [secret]" }] },
    response: { choices: [] },
    missing: { request: 0, response: 0 },
    redacted: ["secret"],
  });
  const { content, ...row } = rows.get("req_1")!;
  assert.deepEqual(row, {
    call_id: "req_1",
    account_id: "acc_1",
    pool_id: "pool_1",
    stored_at: clock.now() - 1_000,
    bytes: content.length,
  });
});

test("without the setting nothing is touched, and the share of calls is chosen by chance alone", async () => {
  const chances = [0, 0.2, 0.3, 0.999];
  let asked = 0;
  const { clock, rows, observe } = logging(() => chances[asked++ % chances.length]!);
  const off = answer("{}");
  assert.equal(observe("off", off, null), off);
  assert.equal(asked, 0);
  for (const [sample, stored] of [
    [0, []],
    [0.25, [0, 1]],
    [1, [0, 1, 2, 3]],
  ] as const) {
    rows.clear();
    asked = 0;
    const error = { message: "m", type: "t", param: null, code: null };
    const failure: CompletionResult = { kind: "error", status: 502, error, retryAfterMs: null, served: null };
    for (let at = 0; at < 4; at++) observe(`req_${at}`, at % 2 === 0 ? answer("{}") : failure, { sample });
    await clock.advance(1_000);
    assert.deepEqual(
      [...rows.keys()],
      stored.map((at) => `req_${at}`),
      String(sample),
    );
  }
});

test("a failure, a client that left, sound and a form", async () => {
  const { clock, observe, read } = logging();
  const error = { message: "busy", type: "server_error", param: null, code: "x" };
  observe("failed", { kind: "error", status: 502, error, retryAfterMs: null, served: null });
  observe("left", { kind: "aborted" });
  const media = (contentType: string, text: string) => ({ contentType, bytes: Buffer.from(text) });
  observe("sound", { kind: "answer", text: "", served, media: media("audio/mpeg", "abc") });
  observe("subtitles", { kind: "answer", text: "", served, media: media("text/vtt", "WEBVTT") });
  observe("plain", answer("no JSON"));
  const part = (name: string, filename: string | null, text: string) => ({
    name,
    filename,
    bytes: Buffer.from(text),
  });
  const form = { boundary: "b", parts: [part("model", null, "m"), part("file", "private.wav", "12345")] };
  observe("form", answer("{}"), {}, { form, body: { model: "m" } });
  await clock.advance(1_000);
  assert.deepEqual(read("failed")?.response, { error });
  assert.equal(read("left")?.response, null);
  assert.equal(read("sound")?.response, "[audio/mpeg, 3 bytes]");
  assert.equal(read("subtitles")?.response, "WEBVTT");
  assert.equal(read("plain")?.response, "no JSON");
  assert.deepEqual(read("form")?.request, { model: "m", file: "[file, 5 bytes]" });
});

test("a stream is passed on piece by piece, and stored when it ends, when its client leaves, and when it throws", async () => {
  const { clock, observe, read } = logging();
  const pieces = [piece("Hel"), piece("lo"), "data: [DONE]\n\n"];
  assert.deepEqual(await heard(observe("whole", streamOf(pieces))), pieces);
  assert.deepEqual(await heard(observe("left", streamOf(pieces)), 1), pieces.slice(0, 1));
  const broken = streamOf([], {
    next: async () => {
      throw new Error("lost");
    },
  });
  await assert.rejects(heard(observe("broken", broken)), /lost/);
  const unread = observe("unread", streamOf(pieces));
  assert.ok(unread.kind === "stream");
  unread.stream.cancel();
  unread.stream.cancel();
  await clock.advance(1_000);
  const texts = ["whole", "left"].map(
    (id) => (read(id)!.response as { choices: { message: object }[] }).choices[0]?.message,
  );
  assert.deepEqual(texts, [
    { role: "assistant", content: "Hello" },
    { role: "assistant", content: "Hel" },
  ]);
  assert.deepEqual([read("broken")?.response, read("unread")?.response], [null, null]);
});

test("of a stream beyond what is collected the beginning is stored, and the rest is counted", async () => {
  const { clock, observe, read } = logging();
  const long = piece("word ".repeat(200_000));
  const pieces = [piece("first "), ...Array.from({ length: 9 }, () => long), piece("last")];
  assert.equal((await heard(observe("req_1", streamOf(pieces)))).length, 11);
  await clock.advance(1_000);
  const { missing, response } = read("req_1")!;
  assert.match(JSON.stringify(response), /"content":"first word .*\[\d+ bytes are missing\]/);
  const sent = pieces.reduce((sum, text) => sum + text.length, 0);
  assert.ok(missing.response > sent - 200_000 && missing.response < sent, `${missing.response} of ${sent}`);
});

test("while the storage is away contents wait, then they are written; what is too much is dropped and counted", async () => {
  const { clock, rows, storage, observe, contents, log, dropped } = logging();
  storage.fault = "unavailable";
  observe("req_1", answer("{}"));
  await clock.advance(3_000);
  assert.equal(rows.size, 0);
  storage.fault = null;
  await clock.advance(1_000);
  assert.deepEqual([[...rows.keys()], dropped()], [["req_1"], 0]);
  storage.fault = "unavailable";
  for (let at = 0; at < 10; at++) observe(`long_${at}`, answer("x".repeat(8 * 1024 * 1024)));
  assert.equal(dropped(), 3, "no more than 64 MiB wait to be sealed");
  storage.fault = "failed";
  await clock.advance(1_000);
  await clock.advance(1_000);
  assert.equal(dropped(), 10, "what the storage rejects is dropped, one by one");
  assert.ok(log.lines().some(({ event }) => event === "content_log.record_rejected"));
  observe("last", answer("{}"));
  storage.fault = null;
  await contents.stop();
  assert.deepEqual([...rows.keys()], ["req_1", "last"]);
});

test("what a storage outage leaves waiting are rows of bounded size, and not the bodies", async () => {
  const { clock, rows, storage, observe, dropped } = logging();
  storage.fault = "unavailable";
  for (let at = 0; at < 20; at++) {
    observe(`long_${at}`, answer("x".repeat(8 * 1024 * 1024)));
    // Each turn tries what waits and finds the storage away.
    await clock.advance(1_000);
  }
  assert.equal(dropped(), 0);
  storage.fault = null;
  await clock.advance(1_000);
  assert.equal(rows.size, 20);
});
