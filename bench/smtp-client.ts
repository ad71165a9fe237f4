// The client of mail submission, a process of its own: raw sockets, bytes prepared before the clock runs. Each connection signs in once and
// hands in one mail after the other. Ends with its parent.

import { connect } from "node:net";
import { createHistogram } from "./histogram.ts";

export interface SubmissionJob {
  port: number;
  apiKey: string;
  /** Headers of ours. */
  headers: string;
  connections: number;
  durationMs: number;
  warmupMs: number;
}

export interface SubmissionResult {
  perSecond: number;
  p99: number;
  failed: number;
  firstFailure: string | null;
}

const envelope = "MAIL FROM:<app@example.com>\r\nRCPT TO:<ada@example.net>\r\nDATA\r\n";

function mailOf(headers: string): string {
  const text = `${"Hello Ada, your invoice is attached. ".repeat(2)}\r\n`.repeat(24);
  return `${headers}From: App <app@example.com>\r\nTo: ada@example.net\r\nSubject: Your invoice\r\nMessage-ID: <1@app.example.com>\r\nDate: Sun, 29 Nov 2026 12:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}.\r\n`;
}

async function run(job: SubmissionJob): Promise<SubmissionResult> {
  const mail = mailOf(job.headers);
  const histogram = createHistogram();
  const countFrom = performance.now() + job.warmupMs;
  const end = countFrom + job.durationMs;
  let failed = 0;
  let firstFailure: string | null = null;
  let lastAt = countFrom;
  const signIn = `AUTH PLAIN ${Buffer.from(`\0bench\0${job.apiKey}`).toString("base64")}\r\n`;

  const connection = () =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: job.port, noDelay: true });
      /** The codes that are awaited, and what is said after the last of them. */
      let awaited: string[] = [];
      let then = () => {};
      let text = "";
      let sentAt = 0;
      const say = (what: string, codes: string[], next: () => void) => {
        awaited = codes;
        then = next;
        if (what !== "") socket.write(what);
      };
      const mails = () => {
        const now = performance.now();
        if (now >= end) return socket.end();
        sentAt = now;
        say(envelope, ["250", "250", "354"], () => say(mail, ["250"], answered));
      };
      const answered = () => {
        const now = performance.now();
        if (sentAt >= countFrom && now <= end + 1) {
          histogram.add(now - sentAt);
          lastAt = now;
        }
        mails();
      };
      socket.setEncoding("latin1");
      socket.on("error", () => {});
      socket.on("close", () => resolve());
      socket.on("data", (piece: string) => {
        text += piece;
        for (;;) {
          const line = /^(?:\d{3}-.*\r\n)*(\d{3}) .*\r\n/.exec(text);
          if (line === null) return;
          text = text.slice(line[0].length);
          const expected = awaited.shift();
          if (line[1] !== expected) {
            failed += 1;
            firstFailure ??= line[0].trim();
            socket.destroy();
            return;
          }
          if (awaited.length === 0) then();
        }
      });
      say("", ["220"], () => say("EHLO bench\r\n", ["250"], () => say(signIn, ["235"], mails)));
    });

  await Promise.all(Array.from({ length: job.connections }, connection));
  const { count, p99Ms } = histogram.percentiles();
  return { perSecond: count / (Math.max(lastAt - countFrom, 1) / 1000), p99: p99Ms, failed, firstFailure };
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: { job?: SubmissionJob; ask?: number }) => {
  if (message.job !== undefined)
    void run(message.job).then((result) => process.send?.({ answer: message.ask, result }));
});
process.send?.({ ready: true, port: 0 });
