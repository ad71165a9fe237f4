// Reports posted over HTTP: a mail server that receives a gateway's bounces pipes them unchanged to the gateway's callback URL. Only the
// token authenticates it, so it is compared first, in constant time.

import type { CallbackRequest, Received } from "#gateways/callback.ts";
import { hasValidToken } from "#gateways/callback-token.ts";
import { toReports } from "./delivery-report.ts";
import type { ReadReport } from "./reader.ts";

/**
 * Reads a raw mail (`message/rfc822`) that was posted with the right token. Our id is in the headers of the mail that the report returns. A
 * mail that is not a report, or not about one of our mails, is accepted and ignored.
 */
export async function receiveReport(
  callback: CallbackRequest,
  token: string | undefined,
  read: ReadReport,
): Promise<Received> {
  if (token === undefined || token === "")
    return { kind: "not_taken", reason: "This gateway has no token for posting reports." };
  if (!hasValidToken(callback, token)) return { kind: "forbidden", reason: "The token is missing or wrong." };
  if (callback.method !== "POST" || callback.body.length === 0)
    return { kind: "malformed", reason: "Reports are posted as raw mails." };
  const reading = await read(callback.body);
  if (reading.kind === "unreadable")
    return { kind: "malformed", reason: "The mail could not be read within the time limit." };
  if (reading.kind === "busy")
    return { kind: "unavailable", reason: "Too many mails are being read at the moment." };
  const { report } = reading;
  const messageId = report.kind === "none" ? null : report.original.messageId;
  const reports = messageId === null ? { receipts: [], engagements: [] } : toReports(report, messageId);
  return { kind: "received", ...reports, inbound: [] };
}
