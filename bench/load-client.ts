// The load client, a process of its own: bytes prepared before the clock runs, raw sockets, an answer read
// no further than its length. It has to be much cheaper than the server or it measures itself.
// Spoken to over IPC: one job in, one result out; ends with its parent.

import { connect, type Socket } from "node:net";
import { createHistogram, type Percentiles } from "./histogram.ts";

export interface Job {
  host: string;
  port: number;
  apiKey: string;
  /** What is asked: single sends, one bulk send after another, or the GET paths in turn. */
  ask:
    | { kind: "single"; gateway: string; scheduleAt: string | null }
    | { kind: "bulk"; gateways: readonly string[]; contacts: number; scheduleAt: string | null }
    | { kind: "get"; paths: readonly string[] };
  connections: number;
  /** Ends after this many requests in all, or after this time, whichever comes first. */
  requests: number;
  durationMs: number;
  /** What comes before this does not count. */
  warmupMs: number;
  /** Rest of each connection between two requests. */
  restMs: number;
  /** Keep the ids of bulk answers. */
  ids?: boolean;
}

export interface JobResult extends Percentiles {
  perSecond: number;
  /** Answers that were not 2xx, and broken connections. */
  failed: number;
  firstFailure: string | null;
  ids: string[];
}

const numbers = 4096;

function head(job: Job, method: string, path: string, length: number): string {
  const body = length > 0 ? `content-type: application/json\r\ncontent-length: ${length}\r\n` : "";
  return `${method} ${path} HTTP/1.1\r\nhost: ${job.host}:${job.port}\r\napi-key: ${job.apiKey}\r\n${body}\r\n`;
}

/** All requests of a job as bytes, sent in turn. */
function prepare(job: Job): Buffer[] {
  const { ask } = job;
  const post = (body: string) =>
    Buffer.from(head(job, "POST", "/api/sms/send", Buffer.byteLength(body)) + body);
  const contact = (index: number, gateway: string, scheduleAt: string | null) => ({
    number: `+4915${String(100000000 + index)}`,
    message: "Your code is 482913. It is good for ten minutes.",
    gateway_identifier: gateway,
    ...(scheduleAt === null ? {} : { schedule_at: scheduleAt }),
  });
  if (ask.kind === "get") return ask.paths.map((path) => Buffer.from(head(job, "GET", path, 0)));
  if (ask.kind === "single") {
    return Array.from({ length: numbers }, (_, index) =>
      post(JSON.stringify({ contact: [contact(index, ask.gateway, ask.scheduleAt)] })),
    );
  }
  const contacts = Array.from({ length: ask.contacts }, (_, index) =>
    contact(index, ask.gateways[index % ask.gateways.length] ?? "", ask.scheduleAt),
  );
  return [post(JSON.stringify({ contact: contacts }))];
}

function run(job: Job): Promise<JobResult> {
  const requests = prepare(job);
  const histogram = createHistogram();
  const ids: string[] = [];
  const started = performance.now();
  const countFrom = started + job.warmupMs;
  const end = countFrom + job.durationMs;
  let asked = 0;
  let failed = 0;
  let firstFailure: string | null = null;
  let lastAt = countFrom;

  const connection = () =>
    new Promise<void>((resolve) => {
      const socket: Socket = connect({ host: job.host, port: job.port, noDelay: true });
      let sentAt = 0;
      let pieces: Buffer[] = [];
      let got = 0;
      let expected = -1;
      let status = 0;
      const finish = () => {
        socket.destroy();
        resolve();
      };
      const next = () => {
        const request = requests[asked % requests.length];
        if (request === undefined || asked >= job.requests || performance.now() >= end) return finish();
        asked += 1;
        expected = -1;
        got = 0;
        pieces = [];
        sentAt = performance.now();
        socket.write(request);
      };
      const fail = (why: string) => {
        failed += 1;
        firstFailure ??= why;
      };
      socket.on("connect", next);
      socket.on("error", (error) => {
        fail(error.message);
        finish();
      });
      socket.on("close", () => resolve());
      socket.on("data", (chunk: Buffer) => {
        got += chunk.length;
        if (expected === -1 || job.ids || status >= 300) pieces.push(chunk);
        if (expected === -1) {
          const text = (pieces.length === 1 ? chunk : Buffer.concat(pieces)).toString("latin1", 0, 2048);
          const bodyAt = text.indexOf("\r\n\r\n");
          if (bodyAt === -1) return;
          status = Number(text.slice(9, 12));
          expected = bodyAt + 4 + Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? Number.NaN);
          if (Number.isNaN(expected)) {
            fail("an answer without content-length");
            return finish();
          }
        }
        if (got < expected) return;
        const now = performance.now();
        if (status < 200 || status > 299)
          fail(`${status} ${Buffer.concat(pieces).toString("utf8").slice(0, 600)}`);
        else if (sentAt >= countFrom && now <= end + 1) {
          histogram.add(now - sentAt);
          lastAt = now;
        }
        if (job.ids)
          for (const match of Buffer.concat(pieces)
            .toString("latin1")
            .matchAll(/"id":"(msg_\w+)"/g))
            ids.push(match[1] ?? "");
        if (job.restMs > 0) setTimeout(next, job.restMs);
        else next();
      });
    });

  return Promise.all(Array.from({ length: job.connections }, connection)).then(() => {
    const percentiles = histogram.percentiles();
    const seconds = Math.max(lastAt - countFrom, 1) / 1000;
    return { ...percentiles, perSecond: percentiles.count / seconds, failed, firstFailure, ids };
  });
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { job: Job; ask: number }) => {
  void run(message.job).then((result) => process.send?.({ answer: message.ask, result }));
});
process.send?.({ ready: true });
