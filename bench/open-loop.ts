// Load at a fixed rate, which the server does not influence: each request has an instant at which it is meant to leave, and
// its latency counts from there. A stalled server so shows as a queue of late answers, as real callers would see it.

import { connect } from "node:net";
import { createAnswers } from "./answers.ts";
import { createHistogram } from "./histogram.ts";
import type { Job, JobResult } from "./job.ts";
import { prepare } from "./requests.ts";

/** What has not been answered this long after the last was sent never will be. */
const patienceMs = 15_000;

interface Connection {
  /** Sends the request with this number. */
  ask(nth: number): void;
  close(): void;
}

interface Results {
  answered(nth: number, status: number, text: () => string): void;
  /** `nth`: what was asked on it and not answered; null: it was idle. */
  broken(connection: Connection, nth: number | null, why: string): void;
}

function openConnection(
  { host, port }: Job,
  requests: readonly Buffer[],
  results: Results,
  free: (connection: Connection) => void,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const answers = createAnswers(false);
    let running: number | null = null;
    let over = false;
    let connected = false;
    const connection: Connection = {
      ask(nth) {
        running = nth;
        answers.begin();
        socket.write(requests[nth % requests.length] ?? "");
      },
      close() {
        over = true;
        socket.destroy();
      },
    };
    const end = (why: string) => {
      if (over) return;
      connection.close();
      if (connected) results.broken(connection, running, why);
      else reject(new Error(why));
    };
    socket.on("connect", () => {
      connected = true;
      resolve(connection);
    });
    socket.on("error", (error) => end(error.message));
    socket.on("close", () => end("the server closed a connection"));
    socket.on("data", (chunk: Buffer) => {
      const state = answers.feed(chunk);
      if (state === "broken") return end("an answer without content-length");
      if (state === "more" || running === null) return;
      const nth = running;
      running = null;
      results.answered(nth, answers.status(), answers.text);
      free(connection);
    });
  });
}

/** `job.requests` of them, or as many as `perSecond` makes of its time; a connection that broke is replaced. */
export async function runOpenLoop(job: Job, perSecond: number): Promise<JobResult> {
  const requests = prepare(job);
  const latency = createHistogram();
  const ownDelay = createHistogram();
  const everyMs = 1000 / perSecond;
  const total = Math.min(job.requests, Math.floor((job.warmupMs + job.durationMs) / everyMs));
  const firstCounted = Math.ceil(job.warmupMs / everyMs);
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  let started = 0;
  /** Requests before this one were given to a connection. */
  let asked = 0;
  let ended = 0;
  let over = false;
  let failed = 0;
  let firstFailure: string | null = null;
  let lastAt = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const intendedAt = (nth: number) => started + nth * everyMs;
  const end = (failure: string | null) => {
    ended += 1;
    if (failure !== null) {
      failed += 1;
      firstFailure ??= failure;
    }
    if (ended === total) finish();
  };
  const results: Results = {
    answered(nth, status, text) {
      const now = performance.now();
      if (status < 200 || status > 299) return end(`${status} ${text().slice(0, 600)}`);
      if (nth >= firstCounted) {
        latency.add(now - intendedAt(nth));
        lastAt = now;
      }
      end(null);
    },
    broken(connection, nth, why) {
      connections.delete(connection);
      const place = idle.indexOf(connection);
      if (place !== -1) idle.splice(place, 1);
      if (nth !== null) end(why);
      // As any HTTP client does: a server may close a connection on which nothing is asked.
      open().then(free, (error: Error) => {
        firstFailure ??= error.message;
      });
    },
  };
  /**
   * What is due goes out; with no connection free it waits, and its latency goes on counting. The connection
   * that waited longest is next: a server closes one on which nothing came for ten seconds after it was opened.
   */
  const dispatch = (now: number, onTime: boolean) => {
    while (asked < total && intendedAt(asked) <= now) {
      const connection = idle.shift();
      if (connection === undefined) return;
      if (onTime && asked >= firstCounted) ownDelay.add(now - intendedAt(asked));
      asked += 1;
      connection.ask(asked - 1);
    }
  };
  const free = (connection: Connection) => {
    idle.push(connection);
    if (started > 0) dispatch(performance.now(), false);
  };
  const open = async () => {
    const connection = await openConnection(job, requests, results, free);
    if (over) connection.close();
    connections.add(connection);
    return connection;
  };
  idle.push(...(await Promise.all(Array.from({ length: job.connections }, open))));
  started = performance.now() + 10;
  const timer = setInterval(() => {
    const now = performance.now();
    dispatch(now, true);
    if (now > intendedAt(total) + patienceMs) finish();
  }, 1);
  await finished;
  over = true;
  clearInterval(timer);
  for (const connection of connections) connection.close();
  if (ended < total) {
    failed += total - ended;
    firstFailure ??= `${total - ended} were not answered within ${patienceMs / 1000} s`;
  }
  const percentiles = latency.percentiles();
  const seconds = Math.max(lastAt - intendedAt(firstCounted), 1) / 1000;
  return {
    ...percentiles,
    perSecond: percentiles.count / seconds,
    asked,
    failed,
    firstFailure,
    ids: [],
    ownDelayP99Ms: ownDelay.percentiles().p99Ms,
  };
}
