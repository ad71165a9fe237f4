// `scheduled_at`: an instant in ISO 8601. Resend takes phrases such as "in 1 hour" too; these are refused, since two readers of one may
// mean two times.

import type { Account } from "#accounts/account.ts";
import { readWallTime } from "#messaging/accept/wall-time.ts";
import { ResendRefusal } from "./errors.ts";

const faults = {
  malformed: "must be ISO 8601 with a zone, such as 2030-01-31T09:00:00Z. Natural language is not supported.",
  past: "must be in the future.",
  repeated: "is in the hour that the clocks of the account's time zone repeat: give another time.",
};

/** The account's wall time of a `scheduled_at`. */
export function wallTimeOf(value: unknown, { timeZone }: Pick<Account, "timeZone">, now: number): string {
  const read = readWallTime(typeof value === "string" ? value.trim() : "", { timeZone, now });
  if ("local" in read) return read.local;
  throw new ResendRefusal("validation_error", `The \`scheduled_at\` ${faults[read.fault]}`);
}
