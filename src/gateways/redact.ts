// Masks the secrets of a gateway's settings in what its provider reports: a provider may repeat a secret in an event as
// well as in an error. Adapters hand reasons on uncut, because a secret that was cut in half is not recognised any more.

import { cleanText } from "#settings/redact.ts";
import type { Received } from "./callback.ts";

const maxReasonChars = 300;

interface Report {
  code?: string;
  reason?: string;
}

/** The same with `secrets` masked in every reason, which is cut to 300 characters. A code that contains a secret is dropped. */
export function redactReceived(received: Received, secrets: readonly string[]): Received {
  const clean = (text: string) => cleanText(text, secrets, maxReasonChars);
  const redacted = <T extends Report>(report: T): T => {
    const { code, reason, ...rest } = report;
    return {
      ...rest,
      ...(code === undefined || clean(code) !== code ? {} : { code }),
      ...(reason === undefined || clean(reason) === "" ? {} : { reason: clean(reason) }),
    } as T;
  };
  if (received.kind !== "received") return { ...received, reason: clean(received.reason) };
  const { receipts, engagements } = received;
  return {
    ...received,
    receipts: receipts.map(redacted),
    ...(engagements === undefined ? {} : { engagements: engagements.map(redacted) }),
  };
}
