// Reads returned mails in a thread of their own. Anybody who got a mail of ours can send one back, so how long it takes to
// read one must be nobody else's concern.

import type { Clock, Log } from "#runtime/runtime.ts";
import { createWorkerThread } from "#runtime/worker-thread.ts";
import type { MailReport } from "./delivery-report.ts";

/** `unreadable`: reading it took too long or broke the thread, and would again. `busy`: it was not tried. */
export type ReportReading = { kind: "read"; report: MailReport } | { kind: "unreadable" } | { kind: "busy" };

/** Reads a raw mail, at most its first MiB. Never rejects. */
export type ReadReport = (raw: Uint8Array) => Promise<ReportReading>;

/** The longest report takes 50 ms to read. */
const limitMs = 5_000;
/** Of at most a MiB each. */
const mostWaiting = 64;

export interface ReportReader {
  read: ReadReport;
  close(): Promise<void>;
}

/** `unreadable`: counts a mail that could not be read. `module`: takes the place of the thread in tests. */
export function createReportReader(parts: {
  clock: Clock;
  log: Log;
  unreadable(): void;
  module?: URL;
}): ReportReader {
  const { clock, log, unreadable, module = new URL("./thread.ts", import.meta.url) } = parts;
  const thread = createWorkerThread<Uint8Array, MailReport>({
    module,
    name: "mail-reports",
    clock,
    limitMs,
    mostWaiting,
  });
  return {
    read: async (raw) => {
      const worked = await thread.run(raw);
      if (worked.kind === "done") return { kind: "read", report: worked.output };
      const { kind, reason } = worked;
      if (kind === "failed") unreadable();
      log.warn({ reason, bytes: raw.byteLength }, `a returned mail was not read: ${kind}`);
      return { kind: kind === "failed" ? "unreadable" : "busy" };
    },
    close: () => thread.close(),
  };
}
