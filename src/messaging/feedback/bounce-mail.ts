// Mails that come back to the addresses that our mails were sent from (VERP): the address proves which message a report
// is about, so whatever the report itself says of that is not needed. What is no report is taken and is nothing.

import type { Core } from "#core/core.ts";
import { toReports } from "#gateways/email/reports/delivery-report.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import { readReturnPath } from "#messaging/email/tokens.ts";
import type { IncomingMail } from "#runtime/net/smtp-listener.ts";
import { findCarrier, storeEngagements } from "#store/feedback/engagements.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { engagementFrom, receiptFrom } from "./normalise.ts";

export interface BounceMailDeps extends Pick<Core, "clock" | "database" | "log" | "sealer" | "signals"> {
  readReport: ReadReport;
}

export interface BounceMail {
  /** Whether an address is one that bounces of a message of ours come back to. */
  accepts(address: string): boolean;
  /**
   * Resolves when all that the mail says is stored, which is nothing for one that cannot be read; rejects when storage
   * does, and when too many mails wait to be read: its server keeps it then and brings it again.
   */
  take(mail: IncomingMail): Promise<void>;
}

export function createBounceMail(parts: BounceMailDeps): BounceMail {
  const { database, clock, log, sealer, readReport } = parts;
  return {
    accepts: (address) => readReturnPath(sealer, address) !== null,
    async take({ recipients, raw }) {
      const reading = await readReport(raw);
      if (reading.kind === "busy") throw new Error("Too many returned mails wait to be read.");
      if (reading.kind === "unreadable") return;
      const { report } = reading;
      if (report.kind === "none") {
        log.debug({ why: report.why }, "a returned mail was no report");
        return;
      }
      const ids = new Set(recipients.map((address) => readReturnPath(sealer, address)));
      for (const id of ids) {
        // Removed by retention since: there is nothing left to tell of it.
        const carrier = id === null ? null : await database.run(findCarrier, id);
        if (id === null || carrier === null) continue;
        const { receipts, engagements } = toReports(report, id);
        const at = clock.now();
        await Promise.all([
          ...receipts.map((one) => database.run(storeReceipts, receiptFrom(carrier.gateway_id, one, at))),
          ...engagements.map((one) =>
            database.run(storeEngagements, engagementFrom(carrier.gateway_id, one, at)),
          ),
        ]);
        log.info({ message: id, gateway: carrier.identifier, report: report.kind }, "a report came back");
        parts.signals.emit("eventsRecorded");
      }
    },
  };
}
