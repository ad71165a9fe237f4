// Bounce mail, sent to the return paths of our mails (VERP). The address proves which message a report is about, so the report need not
// name it. Mail that is not a delivery report is accepted and ignored.

import type { Core } from "#core/core.ts";
import { toReports } from "#gateways/email/reports/delivery-report.ts";
import type { ReadReport } from "#gateways/email/reports/reader.ts";
import { readReturnPath } from "#messaging/email/tokens.ts";
import type { IncomingMail } from "#runtime/net/smtp-listener.ts";
import { findMessageGateway, storeEngagements } from "#store/feedback/engagements.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { engagementFrom, receiptFrom } from "./normalise.ts";
import { countRefusals } from "./refusals-in-row.ts";

interface BounceMailDeps extends Pick<Core, "clock" | "database" | "log" | "sealer"> {
  readReport: ReadReport;
}

export interface BounceMail {
  /** Whether the address is the return path of one of our messages. */
  accepts(address: string): boolean;
  /**
   * Resolves when the mail's report is stored; a mail that cannot be parsed has none. Rejects if storage fails or too many mails are
   * waiting: the sending server then keeps the mail and retries.
   */
  take(mail: IncomingMail): Promise<void>;
}

export function createBounceMail(deps: BounceMailDeps): BounceMail {
  const { database, clock, log, sealer, readReport } = deps;
  return {
    accepts: (address) => readReturnPath(sealer, address) !== null,
    async take({ recipients, raw }) {
      const reading = await readReport(raw);
      if (reading.kind === "busy") throw new Error("Too many bounce mails are waiting to be read.");
      if (reading.kind === "unreadable") return;
      const { report } = reading;
      if (report.kind === "none") {
        log.debug(
          { event: "bounce_mail.ignored", why: report.why },
          "A bounce mail was not a delivery report.",
        );
        return;
      }
      const ids = new Set(recipients.map((address) => readReturnPath(sealer, address)));
      for (const id of ids) {
        // Without a gateway, the message has been removed by retention.
        const gateway = id === null ? null : await database.run(findMessageGateway, id);
        if (id === null || gateway === null) continue;
        const { receipts, engagements } = toReports(report, id);
        const at = clock.now();
        await Promise.all([
          ...receipts.map((receipt) =>
            database.run(storeReceipts, receiptFrom(gateway.gateway_id, receipt, at)),
          ),
          ...engagements.map((engagement) =>
            database.run(storeEngagements, engagementFrom(gateway.gateway_id, engagement, at)),
          ),
        ]);
        await countRefusals(deps, { ...gateway, id: gateway.gateway_id }, receipts);
        log.info(
          { event: "bounce_mail.stored", message: id, gateway: gateway.identifier, report: report.kind },
          "The report of a bounce mail was stored.",
        );
      }
    },
  };
}
