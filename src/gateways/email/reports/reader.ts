// Reads returned mails in a worker thread. Every recipient can return one, so the time needed to read it must not delay anything else.

import { ownModule } from "#runtime/program.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { createWorkerThread } from "#runtime/worker-thread.ts";
import type { MailReport } from "./delivery-report.ts";

/** `unreadable`: reading took too long or crashed the thread, and would do so again. `busy`: the mail was not read. */
type ReportReading = { kind: "read"; report: MailReport } | { kind: "unreadable" } | { kind: "busy" };

/** Reads a raw mail, at most its first MiB. Never rejects. */
export type ReadReport = (raw: Uint8Array) => Promise<ReportReading>;

/** The longest report takes 50 ms to read. */
const limitMs = 5_000;
/** How many mails wait for the thread, of at most a MiB each. */
const maxWaiting = 64;

interface ReportReader {
  read: ReadReport;
  close(): Promise<void>;
}

/** `unreadable` counts a mail that could not be read. `module`: replaces the thread in tests. */
export function createReportReader(parts: {
  clock: Clock;
  log: Log;
  unreadable(): void;
  module?: URL;
}): ReportReader {
  const { clock, log, unreadable, module = ownModule("gateways/email/reports/thread") } = parts;
  const thread = createWorkerThread<Uint8Array, MailReport>({
    module,
    name: "mail-reports",
    clock,
    limitMs,
    maxQueued: maxWaiting,
  });
  return {
    read: async (raw) => {
      const result = await thread.run(raw);
      if (result.kind === "done") return { kind: "read", report: result.output };
      const { kind, reason } = result;
      if (kind === "failed") unreadable();
      log.warn(
        { event: "report.unread", kind, reason, bytes: raw.byteLength },
        `The gateway could not read a returned mail: ${kind}.`,
      );
      return { kind: kind === "failed" ? "unreadable" : "busy" };
    },
    close: () => thread.close(),
  };
}
