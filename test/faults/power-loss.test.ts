// What a power cut leaves of SQLite, where it can be said without cutting: the images, the judge, and a start on them.
// `node test/faults/power-loss.ts` does the same with the real server's system calls.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { storeSends } from "#store/messages/insert.ts";
import { type Ground, harness } from "../harness.ts";
import { provider, readRequest, takes } from "../scenarios/provider.ts";
import { columnsOf, makeAccount, makeGateway, seeded, sendOf } from "../store/rows.ts";
import { DiskFile, type Fate } from "./disk-image.ts";
import { judgeImage } from "./power-loss-judge.ts";
import { readTrace, type TraceEvent } from "./syscall-trace.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-power-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fractions = (seed: number) => {
  const next = seeded(seed);
  return () => next(1_000_000) / 1_000_000;
};
const fates = (seed: number): Fate[] => [
  { kind: "lost" },
  { kind: "kept" },
  ...[512, 4096].flatMap((size) =>
    [false, true].map(
      (garbage): Fate => ({ kind: "sectors", size, fraction: fractions(seed + size), garbage }),
    ),
  ),
];

/** A database file with its WAL as they are now. The memory map is lost with the power. */
const taken = (path: string) => ({ database: readFileSync(path), wal: readFileSync(`${path}-wal`) });

/** Writes an image: everything of `before` was flushed, what `after` has more was not. Returns its path. */
function imageOf(before: ReturnType<typeof taken>, after: ReturnType<typeof taken>, fate: Fate): string {
  const wal = new DiskFile();
  wal.write(0, before.wal);
  wal.synced("1");
  wal.write(before.wal.length, after.wal.subarray(before.wal.length));
  const path = join(folder, "image", "trunkline.db");
  rmSync(join(folder, "image"), { recursive: true, force: true });
  mkdirSync(join(folder, "image"));
  writeFileSync(path, before.database);
  writeFileSync(`${path}-wal`, wal.image(fate));
  return path;
}

test("with any fate of what was not flushed, every commit that was answered is there, and whole", async () => {
  const path = join(folder, "trunkline.db");
  const database = await openSqlite({ path });
  const accountId = await makeAccount(database);
  const gatewayId = await makeGateway(database, accountId);
  const answered = new Set<string>();
  const moments = [{ ...taken(path), answered: new Set(answered) }];
  for (let i = 0; i < 12; i++) {
    const send = sendOf(accountId, gatewayId, { count: 1 + (i % 4) * 20 });
    await database.run(storeSends, send);
    for (const id of columnsOf(send.messages).id) answered.add(id);
    moments.push({ ...taken(path), answered: new Set(answered) });
  }
  assert.ok(
    moments.every(({ database }) => database.equals(moments[0]!.database)),
    "no checkpoint came between",
  );
  for (const [i, moment] of moments.slice(0, -1).entries()) {
    for (const fate of fates(i + 1)) {
      const image = imageOf(moment, moments[i + 1]!, fate);
      assert.deepEqual(judgeImage(image, { answered: moment.answered, handed: new Set() }), [], fate.kind);
    }
  }
  // The control: an answer that came before the flush of its last sector.
  const last = moments.at(-1)!;
  const early = { ...last, wal: last.wal.subarray(0, -512) };
  assert.match(
    judgeImage(imageOf(early, last, { kind: "lost" }), { answered, handed: new Set() }).join(),
    /answered messages are missing/,
  );
  await database.close();
});

test("a start on an image sends what waited, once, and holds what was on the wire", async () => {
  const path = join(folder, "trunkline.db");
  const on = (file: string): Ground => ({
    engine: "sqlite",
    open: () => openSqlite({ path: file }),
    remove: async () => {},
  });
  const clock = movableClock();
  const never = new Promise<never>(() => {});
  const one = await harness({ ground: on(path), clock, respond: () => never });
  const account = await one.account();
  await one.gateway({ identifier: "main", ...provider, pace: { concurrency: 3 } });
  const ids = await one.accepted(
    Array.from({ length: 10 }, (_, i) => ({ number: `+1555000000${i}`, message: "hi" })),
  );
  await one.settle();
  const handed = new Set(one.requests.map((request) => readRequest(request).id));
  assert.equal(handed.size, 3);
  const before = taken(path);
  await one.accepted([{ number: "+15550000099", message: "not flushed" }]);
  const after = taken(path);
  await one.kill();

  for (const fate of fates(9)) {
    const image = imageOf(before, after, fate);
    assert.deepEqual(judgeImage(image, { answered: new Set(ids), handed }), [], fate.kind);
    const two = await harness({ ground: on(image), clock: movableClock(clock.now()), respond: takes });
    two.as(account);
    await two.advance(60_000);
    for (const id of ids)
      assert.equal((await two.message(id)).status, handed.has(id) ? "unknown" : "sent", `${fate.kind} ${id}`);
    const again = two.requests.map((request) => readRequest(request).id);
    assert.equal(new Set(again).size, again.length, "nothing goes out twice");
    assert.ok(again.every((id) => !handed.has(id)));
    await two.close();
  }
});

test("the judge sees what was answered and is gone, what would be handed over again, and requests in part", async () => {
  const path = join(folder, "trunkline.db");
  const database = await openSqlite({ path });
  const accountId = await makeAccount(database);
  const send = sendOf(accountId, await makeGateway(database, accountId), { count: 2 });
  await database.run(storeSends, send);
  await database.close();
  const [first = "", second = ""] = columnsOf(send.messages).id;
  const judge = (answered: string[], handed: string[]) =>
    judgeImage(path, { answered: new Set(answered), handed: new Set(handed) });
  assert.deepEqual(judge([first, second], []), []);
  assert.match(judge([first, "msg_gone"], []).join(), /1 answered messages are missing, such as msg_gone/);
  assert.match(judge([first], [second]).join(), /1 messages were handed over and would be again/);
  const { DatabaseSync } = await import("node:sqlite");
  const raw = new DatabaseSync(path);
  raw.prepare("delete from messages where id = ?").run(second);
  raw.close();
  assert.match(judge([first], []).join(), /1 requests are there in part/);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(7, 4096, 20_000));
  assert.notDeepEqual(judge([first], []), []);
});

test("a flush covers what was written before it began, and a file holds any part of the rest", () => {
  const file = new DiskFile();
  const text = (fate: Fate) => file.image(fate).toString("latin1");
  file.write(0, Buffer.from("aaaa"));
  file.sync("7");
  file.write(4, Buffer.from("bbbb"));
  assert.equal(text({ kind: "lost" }), "");
  file.synced("7");
  assert.equal(text({ kind: "lost" }), "aaaa");
  assert.equal(file.unflushed, 4);
  assert.equal(text({ kind: "kept" }), "aaaabbbb");
  file.truncate(6);
  file.write(8, Buffer.from("cc"));
  assert.equal(text({ kind: "kept" }), "aaaabb\0\0cc");
  const halves: number[] = [0.9, 0.1, 0.9, 0.1];
  const sectors = {
    kind: "sectors",
    size: 2,
    fraction: () => halves.shift() ?? 0.9,
    garbage: false,
  } as const;
  assert.equal(text(sectors), "aaaa\0\0bbcc", "the second half of b, and c, but not the cut");
  file.synced("8");
  assert.equal(text({ kind: "lost" }), "aaaabb\0\0cc");
});

test("a trace becomes what was written, flushed and sent, in its order", () => {
  const hex = (text: string) =>
    text.replace(/[\s\S]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const wal = hex("/d/trunkline.db-wal");
  const read = readTrace();
  const events = [
    `12  pwrite64(33<${wal}>, "${hex("ab")}", 2, 4096) = 2`,
    `12  pwrite64(33<${wal}>, "${hex("ab")}", 2, 4096) = -1 ENOSPC (No space left on device)`,
    `12  fsync(33<${wal}> <unfinished ...>`,
    `99  write(28<${hex("anon_inode:[eventfd]")}>, "${hex("x")}", 1) = 1`,
    `7   write(39<TCP:[127.0.0.1:8080->127.0.0.1:4000]>, "${hex("HTTP")}", 4) = 4`,
    "12  <... fsync resumed>) = 0",
    `12  fdatasync(33<${wal}>) = 0`,
    `12  fsync(33<${wal}>) = -1 EIO (Input/output error)`,
    `12  ftruncate(33<${wal}>, 32) = 0`,
    `7   writev(40<TCP:[127.0.0.1:4001->127.0.0.1:9000]>, [{iov_base="${hex("PO")}", iov_len=2}, {iov_base="${hex("ST")}", iov_len=2}], 2) = 4`,
    "12  +++ exited with 0 +++",
  ].map(read);
  const file = "/d/trunkline.db-wal";
  const expected: (TraceEvent | null)[] = [
    { kind: "write", file, offset: 4096, data: Buffer.from("ab") },
    null,
    { kind: "sync", file, thread: "12" },
    null,
    {
      kind: "sent",
      socket: "TCP:[127.0.0.1:8080->127.0.0.1:4000]",
      port: 8080,
      peer: 4000,
      data: Buffer.from("HTTP"),
    },
    { kind: "synced", file, thread: "12" },
    { kind: "synced", file, thread: "12" },
    null,
    { kind: "truncate", file, size: 32 },
    {
      kind: "sent",
      socket: "TCP:[127.0.0.1:4001->127.0.0.1:9000]",
      port: 4001,
      peer: 9000,
      data: Buffer.from("POST"),
    },
    null,
  ];
  assert.deepEqual(events, expected);
  assert.throws(() => read(`12  pwrite64(33<${wal}>, "${hex("ab")}"..., 9, 0) = 9`), /not traced whole/);
});
