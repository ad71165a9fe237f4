// The rules of an SMS that need its account: the recipient's number, and the price in segments.

import { type Measure, measure } from "#contract/messages/segments.ts";
import type { SmsDraft } from "#contract/messages/sms.ts";
import { toRecipient } from "./phone.ts";
import { createPreparer } from "./prepare.ts";

export const prepareSms = createPreparer<SmsDraft>({
  channel: "sms",
  partsOf: ({ number, message }, country) => ({
    written: number,
    recipient: number === undefined ? undefined : (toRecipient(number, country)?.recipient ?? null),
    content: "text",
    body: message,
  }),
  createMeasurer,
});

/** Measures a text once as long as contacts repeat it, as campaigns do. */
function createMeasurer(): (text: string) => Measure {
  let last: { text: string; measure: Measure } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, measure: measure(text) };
    return last.measure;
  };
}
