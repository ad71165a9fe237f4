// Reports handed in over HTTP: a mail server that gets a gateway's bounces pipes them to the gateway's callback URL as
// they came. The token is all that tells it from anybody else, so it is compared first, in constant time.

import { hasValidToken } from "#gateways/email/callback-token.ts";
import type { CallbackRequest, Received } from "#gateways/gateway.ts";
import { toReports } from "./delivery-report.ts";
import type { ReadReport } from "./reader.ts";

/**
 * A raw mail (`message/rfc822`) posted with the right token. The message is found by the
 * headers of the mail that the report returns. A mail that is no report, or about no mail of ours, is taken and is nothing.
 */
export async function receiveReport(
  callback: CallbackRequest,
  token: string | undefined,
  read: ReadReport,
): Promise<Received> {
  if (token === undefined || token === "")
    return { kind: "not_taken", reason: "This gateway has no token for handing in reports." };
  if (!hasValidToken(callback, token)) return { kind: "forbidden", reason: "The token is missing or wrong." };
  if (callback.method !== "POST" || callback.body.length === 0)
    return { kind: "malformed", reason: "Reports are posted as raw mails." };
  const reading = await read(callback.body);
  if (reading.kind === "unreadable")
    return { kind: "malformed", reason: "The mail could not be read in the time that there is for one." };
  if (reading.kind === "busy")
    return { kind: "unavailable", reason: "Too many mails are being read at the moment." };
  const { report } = reading;
  const messageId = report.kind === "none" ? null : report.original.messageId;
  const told = messageId === null ? { receipts: [], engagements: [] } : toReports(report, messageId);
  return { kind: "received", ...told, inbound: [] };
}
