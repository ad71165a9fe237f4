// What a provider reports, without the secrets of its gateway's settings: whoever was told a secret may repeat it, in an
// event as well as in an error. Adapters hand words on whole, because half a secret that was cut is not known any more.

import type { Received } from "./gateway.ts";
import { cleanText } from "./http-outcome.ts";

const longestReason = 300;

interface Told {
  code?: string;
  reason?: string;
}

/** The same with `secrets` masked in every reason, which is cut to 300 characters. A code with a secret in it is left out. */
export function redactReceived(received: Received, secrets: readonly string[]): Received {
  const hide = (text: string) => cleanText(text, secrets, longestReason);
  const hidden = <Report extends Told>(report: Report): Report => {
    const { code, reason, ...rest } = report;
    return {
      ...rest,
      ...(code === undefined || hide(code) !== code ? {} : { code }),
      ...(reason === undefined || hide(reason) === "" ? {} : { reason: hide(reason) }),
    } as Report;
  };
  if (received.kind !== "received") return { ...received, reason: hide(received.reason) };
  const { receipts, engagements } = received;
  return {
    ...received,
    receipts: receipts.map(hidden),
    ...(engagements === undefined ? {} : { engagements: engagements.map(hidden) }),
  };
}
