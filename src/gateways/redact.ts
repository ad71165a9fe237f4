// Masks the secrets of a gateway's settings in its provider's reports: a provider may repeat a secret in an event as well as in an error.
// Adapters pass on reasons in full, because half of a secret is no longer recognised.

import { cleanText } from "#settings/redact.ts";
import type { AccountUpdate, Received } from "./callback.ts";
import type { GatewayHost, SessionHost, SessionReport } from "./session.ts";

const maxReasonChars = 300;
const maxWordChars = 100;

interface Report {
  code?: string;
  reason?: string;
}

const clean = (text: string, secrets: readonly string[]) => cleanText(text, secrets, maxReasonChars);

function redacted<T extends Report>({ code, reason, ...rest }: T, secrets: readonly string[]): T {
  return {
    ...rest,
    ...(code === undefined || clean(code, secrets) !== code ? {} : { code }),
    ...(reason === undefined || clean(reason, secrets) === "" ? {} : { reason: clean(reason, secrets) }),
  } as T;
}

/** The same with `secrets` masked in every reason, which is truncated to 300 characters. A code that contains a secret is dropped. */
export function redactReceived(received: Received, secrets: readonly string[]): Received {
  if (received.kind !== "received") return { ...received, reason: clean(received.reason, secrets) };
  return { ...received, ...redactReport(received, secrets) };
}

function redactUpdate({ notice, ...update }: AccountUpdate, secrets: readonly string[]): AccountUpdate {
  return notice === undefined ? update : { ...update, notice: clean(notice, secrets) };
}

function redactReport<T extends SessionReport>(report: T, secrets: readonly string[]): T {
  const { receipts, engagements, accountUpdates, unknownWords } = report;
  return {
    ...report,
    ...(receipts && { receipts: receipts.map((receipt) => redacted(receipt, secrets)) }),
    ...(engagements && { engagements: engagements.map((engagement) => redacted(engagement, secrets)) }),
    ...(accountUpdates && { accountUpdates: accountUpdates.map((one) => redactUpdate(one, secrets)) }),
    ...(unknownWords && { unknownWords: unknownWords.map((word) => cleanText(word, secrets, maxWordChars)) }),
  };
}

/** The same host; the reports of a session are redacted as those of a callback are. */
export function redactingReports<Host extends GatewayHost>(host: Host, secrets: readonly string[]): Host {
  return { ...host, report: (report) => host.report(redactReport(report, secrets)) };
}

/** The same, including the reasons of its status. */
export function redactingStatus(host: SessionHost, secrets: readonly string[]): SessionHost {
  return {
    ...redactingReports(host, secrets),
    status: (status) =>
      host.status("reason" in status ? { ...status, reason: clean(status.reason, secrets) } : status),
    fail: (reason) => host.fail(clean(reason, secrets)),
  };
}
