// The load client, a process of its own: bytes prepared before the clock runs, raw sockets, an answer read
// no further than its length. It has to be much cheaper than the server or it measures itself.
// Spoken to over IPC: one job in, one result out; ends with its parent.

import { connect, type Socket } from "node:net";
import { createAnswers } from "./answers.ts";
import { createHistogram } from "./histogram.ts";
import type { Job, JobResult } from "./job.ts";
import { runOpenLoop } from "./open-loop.ts";
import { prepare } from "./requests.ts";

/** A closed loop: each connection asks again when it was answered. */
function runClosedLoop(job: Job): Promise<JobResult> {
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
      const answers = createAnswers(job.ids ?? false);
      let sentAt = 0;
      const finish = () => {
        socket.destroy();
        resolve();
      };
      const next = () => {
        const request = requests[asked % requests.length];
        if (request === undefined || asked >= job.requests || performance.now() >= end) return finish();
        asked += 1;
        answers.begin();
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
        const state = answers.feed(chunk);
        if (state === "more") return;
        if (state === "broken") {
          fail("an answer without content-length");
          return finish();
        }
        const now = performance.now();
        const status = answers.status();
        if (status < 200 || status > 299) fail(`${status} ${answers.text().slice(0, 600)}`);
        else if (sentAt >= countFrom && now <= end + 1) {
          histogram.add(now - sentAt);
          lastAt = now;
        }
        if (job.ids)
          for (const match of answers.text().matchAll(/"id":"(msg_\w+)"/g)) ids.push(match[1] ?? "");
        if (job.restMs > 0) setTimeout(next, job.restMs);
        else next();
      });
    });

  return Promise.all(Array.from({ length: job.connections }, connection)).then(() => {
    const percentiles = histogram.percentiles();
    const seconds = Math.max(lastAt - countFrom, 1) / 1000;
    return {
      ...percentiles,
      perSecond: percentiles.count / seconds,
      asked,
      failed,
      firstFailure,
      ids,
      ownDelayP99Ms: 0,
    };
  });
}

function run(job: Job): Promise<JobResult> {
  return job.perSecond === undefined ? runClosedLoop(job) : runOpenLoop(job, job.perSecond);
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { job: Job; ask: number }) => {
  void run(message.job).then(
    (result) => process.send?.({ answer: message.ask, result }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send?.({ ready: true });
