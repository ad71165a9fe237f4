// The rules of an SMS that need its account: the recipient's number, and the price in segments.

import type { AccountGateway } from "#accounts/account.ts";
import { type Measure, measure } from "#contract/messages/segments.ts";
import type { SmsDraft } from "#contract/messages/sms.ts";
import { findAdapter } from "#gateways/registry.ts";
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

/** Measures a text once as long as contacts repeat it on one gateway, as campaigns do. */
function createMeasurer(): (text: string, gateway: AccountGateway) => Measure {
  let last: { text: string; counting: string | undefined; measure: Measure } | null = null;
  return (text, { kind, counting }) => {
    if (last?.text !== text || last.counting !== counting)
      last = { text, counting, measure: measureFor(text, kind, counting) };
    return last.measure;
  };
}

/** The encoding that the text needs, and the parts in which the gateway sends it. */
function measureFor(text: string, kind: string, counting: string | undefined): Measure {
  const measured = measure(text);
  const adapter = counting === undefined ? null : findAdapter(kind, "sms");
  if (counting === undefined || adapter?.counting === undefined) return measured;
  return { ...measured, segments: adapter.counting.parts(text, counting) };
}
