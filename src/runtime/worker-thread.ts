// A worker thread for input from outside, so that no input can block the event loop. It processes one input at a time, from a bounded queue
// and with a time limit. The thread starts when it is first needed, and is replaced if it exceeds the limit or crashes.

import { parentPort, Worker } from "node:worker_threads";
import type { Clock } from "./runtime.ts";

/**
 * The result of an input. `failed`: the work threw, exceeded the limit or crashed the thread, and would do so again. `busy`: the work was
 * not tried, because the queue is full, the thread does not start, or it is closed.
 */
type WorkerResult<Output> =
  | { kind: "done"; output: Output }
  | { kind: "failed"; reason: string }
  | { kind: "busy"; reason: string };

export interface WorkerThread<Input, Output> {
  /** The input is copied by structured clone. Never rejects. */
  run(input: Input): Promise<WorkerResult<Output>>;
  /** Ends the thread; inputs in the queue get `busy`. */
  close(): Promise<void>;
}

interface WorkerThreadOptions {
  /** A module that calls `serve`. */
  module: URL;
  name: string;
  clock: Clock;
  /** The time limit of one input, from when the thread receives it, ms. */
  limitMs: number;
  maxQueued: number;
}

/** The heap limit of the thread, MiB. */
const heap = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** The thread's messages: that it has started, and then one result for each input. */
type WorkerReply<Output> = "ready" | { output: Output } | { reason: string };

/** In the thread: answers each input with the result of `work`. */
export function serveWorker<Input, Output>(work: (input: Input) => Output): void {
  const port = parentPort;
  if (port === null) throw new Error("This file runs as a worker thread.");
  const reply = (message: WorkerReply<Output>) => port.postMessage(message);
  port.on("message", (input: Input) => {
    try {
      reply({ output: work(input) });
    } catch (error) {
      reply({ reason: error instanceof Error ? error.message : String(error) });
    }
  });
  reply("ready");
}

interface Job<Input, Output> {
  input: Input;
  settle(worked: WorkerResult<Output>): void;
}

export function createWorkerThread<Input, Output>(options: WorkerThreadOptions): WorkerThread<Input, Output> {
  const { module, name, clock, limitMs, maxQueued } = options;
  const waiting: Job<Input, Output>[] = [];
  let current: Job<Input, Output> | null = null;
  let worker: Worker | null = null;
  let ready = false;
  let closed = false;
  /** Ends the wait for the limit of the current input. */
  let over = new AbortController();

  const settle = (worked: WorkerResult<Output>) => {
    const job = current;
    current = null;
    over.abort();
    worker?.unref();
    job?.settle(worked);
    next();
  };
  /** A thread that failed is not used again. */
  const giveUp = (worked: WorkerResult<Output>) => {
    void worker?.terminate();
    worker = null;
    ready = false;
    settle(worked);
  };
  const hand = (thread: Worker, { input }: Job<Input, Output>) => {
    over = new AbortController();
    const { signal } = over;
    void clock.sleep(limitMs, signal).then(() => {
      if (!signal.aborted) giveUp({ kind: "failed", reason: `it took more than ${limitMs} ms` });
    });
    thread.postMessage(input);
  };
  const start = (): Worker => {
    const thread = new Worker(module, { name, resourceLimits: heap });
    thread.on("message", (message: WorkerReply<Output>) => {
      if (thread !== worker) return;
      if (message === "ready") {
        ready = true;
        if (current !== null) hand(thread, current);
      } else if ("output" in message) settle({ kind: "done", output: message.output });
      else settle({ kind: "failed", reason: message.reason });
    });
    const broke = (reason: string) => {
      if (thread !== worker) return;
      giveUp(ready ? { kind: "failed", reason } : { kind: "busy", reason });
    };
    thread.on("error", (error) => broke(error instanceof Error ? error.message : String(error)));
    thread.on("exit", (code) => broke(`the thread ended with ${code}`));
    return thread;
  };
  const next = () => {
    if (current !== null || closed) return;
    current = waiting.shift() ?? null;
    if (current === null) return;
    worker ??= start();
    // It keeps the process alive only while it works.
    worker.ref();
    if (ready) hand(worker, current);
  };

  return {
    run: (input) => {
      if (closed) return Promise.resolve({ kind: "busy", reason: "the thread is closed" });
      if (waiting.length >= maxQueued) return Promise.resolve({ kind: "busy", reason: "too many wait" });
      return new Promise((resolve) => {
        waiting.push({ input, settle: resolve });
        next();
      });
    },
    close: async () => {
      closed = true;
      const thread = worker;
      giveUp({ kind: "busy", reason: "the thread is closed" });
      for (const { settle } of waiting.splice(0)) settle({ kind: "busy", reason: "the thread is closed" });
      await thread?.terminate();
    },
  };
}
