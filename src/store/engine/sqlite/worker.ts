// A thread that owns one SQLite connection, so that the event loop never waits for a disk. There are two:
// one writes, one reads. The writer gets a group of calls at a time and runs them in one transaction, with
// one flush; if any of them throws, the group is undone and each is run again in a transaction of its own.

import { parentPort } from "node:worker_threads";
import { collectGarbage } from "#runtime/memory/collect-garbage.ts";
import { freeBytes } from "#runtime/memory/free-bytes.ts";
import { commandWords } from "#runtime/program.ts";
import type { LongTextsIn } from "#store/database.ts";
import { deleteSmallTableStatistics } from "#store/engine/statistics.ts";
import { operations } from "#store/operations.ts";
import { migrate } from "#store/schema/migrate.ts";
import { SqliteConnection, sqliteTx } from "./connection.ts";
import { damageAtStart } from "./damage.ts";
import { textsOf } from "./long-texts.ts";
import type { Access, Answer, Call, Posted, Reply, Work } from "./protocol.ts";

if (!parentPort) throw new Error("This file runs as a worker thread.");
const port = parentPort;

// The file that is open: a thread has one at a time.
let connection: SqliteConnection;
let tx: ReturnType<typeof sqliteTx>;
let access: Access;
let crashAt: string | null;
let commits: number;
/** Whether garbage left by loading the modules has been collected. */
let collected = false;

/** The low byte of SQLite's extended code. */
const primaryCode = (errcode = 0): number => errcode & 0xff;

/** The commit itself failed in I/O: its pages may be in the log, and a later start would treat them as committed. */
class CommitFailed extends Error {}

function fault(error: unknown): Answer {
  if (error instanceof CommitFailed) return { ok: false, fault: "commit_unknown", message: error.message };
  const { errcode, message } = error as { errcode?: number; message?: string };
  // 13 full, 10 I/O, 5 busy, 6 locked, 8 read-only, 11 corrupt, 14 cannot open.
  const primary = primaryCode(errcode);
  const kind =
    primary === 13
      ? "full"
      : primary === 10 || primary === 11 || primary === 8
        ? "io"
        : primary === 5 || primary === 6 || primary === 14
          ? "unavailable"
          : "failed";
  return { ok: false, fault: kind, message: String(message ?? error) };
}

/** 11: a page is damaged; 26: the file is not a database. */
const damageCodes: ReadonlySet<number> = new Set([11, 26]);

const damaged = (words: string): Answer => ({
  ok: false,
  fault: "io",
  message: `The database is damaged (${words}). ${commandWords("doctor")} says what to do.`,
});

function commit(): void {
  // Fault tests stop the process here, on either side of the flush that a 2xx waits for.
  if (crashAt !== null) commits += 1;
  if (crashAt === `commit.before:${commits}`) process.kill(process.pid, "SIGKILL");
  try {
    connection.raw.exec("commit");
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message?: string };
    throw primaryCode(errcode) === 10 ? new CommitFailed(message, { cause: error }) : error;
  }
  if (crashAt === `commit.after:${commits}`) process.kill(process.pid, "SIGKILL");
}

async function runCall(call: Call): Promise<unknown[]> {
  const operation = operations.get(call.name);
  if (!operation) throw new Error(`No operation is called ${call.name}.`);
  if (operation.batched) return await operation.run(tx, call.inputs);
  const outputs = [];
  for (const input of call.inputs) outputs.push(await operation.run(tx, input));
  return outputs;
}

/** The call with its inputs decoded. Once per call: decoding may reuse its argument. */
function decoded(call: Call, texts: LongTextsIn): Call {
  const codec = operations.get(call.name)?.codec;
  return codec ? { ...call, inputs: call.inputs.map((input) => codec.decode(input, texts)) } : call;
}

async function inTransaction(calls: readonly Call[]): Promise<unknown[][]> {
  connection.raw.exec("begin immediate");
  try {
    const outputs = [];
    for (const call of calls) outputs.push(await runCall(call));
    commit();
    if (tx.counts.hasAny()) tx.changes.add("counts");
    tx.counts.commit();
    tx.changes.commit();
    return outputs;
  } catch (error) {
    tx.counts.discard();
    tx.changes.discard();
    if (connection.raw.isTransaction) connection.raw.exec("rollback");
    throw error;
  }
}

async function write(calls: readonly Call[]): Promise<Answer[][]> {
  try {
    const outputs = await inTransaction(calls);
    return outputs.map((list) => list.map((value) => ({ ok: true, value })));
  } catch (error) {
    const single = calls.length === 1 && calls[0]!.inputs.length === 1;
    if (single) return [[fault(error)]];
    // Until another commit overwrites it, a start would treat the remains of the failed one in the log as committed.
    const singleFault = error instanceof CommitFailed ? () => fault(error) : fault;
    const answers: Answer[][] = [];
    for (const call of calls) {
      const list: Answer[] = [];
      for (const input of call.inputs) {
        const answer = await inTransaction([{ name: call.name, inputs: [input] }]).then(
          (outputs): Answer => ({ ok: true, value: outputs[0]![0] }),
          singleFault,
        );
        list.push(answer);
      }
      answers.push(list);
    }
    return answers;
  }
}

async function read(calls: readonly Call[]): Promise<Answer[][]> {
  const answers: Answer[][] = [];
  for (const call of calls) {
    const outputs = await runCall(call).then(
      (list) => list.map((value): Answer => ({ ok: true, value })),
      (error) => call.inputs.map(() => fault(error)),
    );
    answers.push(outputs);
  }
  return answers;
}

const done: Reply = { answers: [[{ ok: true, value: null }]] };

async function handle(work: Work, texts: LongTextsIn): Promise<Reply> {
  if (work.kind === "open") {
    ({ access, crashAt } = work);
    commits = 0;
    try {
      connection = new SqliteConnection(work.path, access);
      tx = sqliteTx(connection);
      if (access === "write") {
        const damage = damageAtStart(connection.raw);
        if (damage !== null) return { answers: [[damaged(damage)]] };
        connection.raw.exec("begin immediate");
        try {
          await migrate(tx);
          // Before the reader opens: it reads them then, and never again.
          await deleteSmallTableStatistics(tx);
          connection.raw.exec("commit");
        } catch (error) {
          connection.raw.exec("rollback");
          throw error;
        }
      }
      if (!collected) setImmediate(collectGarbage);
      collected = true;
      return done;
    } catch (error) {
      const { errcode, message } = error as { errcode?: number; message?: string };
      const isDamage = damageCodes.has(primaryCode(errcode));
      return { answers: [[isDamage ? damaged(message ?? "") : fault(error)]] };
    }
  }
  if (work.kind === "close") {
    connection.close();
    return done;
  }
  const calls = work.calls.map((call) => decoded(call, texts));
  if (access === "read") return { answers: await read(calls) };
  const answers = await write(calls);
  return { answers, changes: tx.changes.take() };
}

port.on("message", (posted: Posted) => {
  const [work, texts] = typeof posted === "string" ? [posted, null] : [posted.work, posted.texts];
  void answer(JSON.parse(work), texts);
});

async function answer(work: Work, texts: Uint8Array | null): Promise<void> {
  port.postMessage(await handle(work, textsOf(texts)));
  if (texts !== null) freeBytes(texts);
}
