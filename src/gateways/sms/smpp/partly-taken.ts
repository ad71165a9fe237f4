// The outcome of a long text of which the SMSC accepted some parts, while another was not sent or is in doubt.

import type { Outcome } from "#gateways/outcome.ts";

/** Parts without an id have none, and an SMSC may give several parts the same. */
export function referencesOf(taken: readonly (string | null)[]): string[] {
  return [...new Set(taken.filter((reference) => reference !== null))];
}

/** The outcome if a part was not sent. `outcome`: if no part was. */
export function incomplete(taken: readonly (string | null)[], of: number, outcome: Outcome): Outcome {
  if (taken.length === 0) return outcome;
  const references = referencesOf(taken);
  const why = outcome.kind === "accepted" ? "" : ` ${outcome.reason}`;
  const reason = `The SMSC took ${taken.length} of ${of} parts.${why}`;
  return {
    kind: "accepted",
    reference: references[0] ?? null,
    ...(references.length > 1 && { parts: { references, each: true } }),
    receipt: { status: "undelivered", code: "partial", reason },
  };
}

/** The outcome if a part may have been sent, after others were accepted. */
export function inDoubt(
  how: "silent" | "lost",
  { taken, each, of }: { taken: readonly (string | null)[]; each: boolean; of: number },
): Outcome {
  const which = of === 1 ? "the message" : `part ${taken.length + 1} of ${of}`;
  const references = referencesOf(taken);
  const parts = references.length === 0 ? {} : { parts: { references, each, of } };
  return how === "silent"
    ? { kind: "unknown", code: "timeout", reason: `The SMSC did not answer ${which} in time.`, ...parts }
    : {
        kind: "unknown",
        code: "connection_lost",
        reason: `The connection to the SMSC was lost before it answered ${which}.`,
        ...parts,
      };
}
