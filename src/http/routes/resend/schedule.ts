// `scheduled_at`: an instant in ISO 8601. Resend takes phrases such as "in 1 hour" too; these are refused, since two readers of one may
// mean two times.

import type { Account } from "#accounts/account.ts";
import { localTime, readSchedule } from "#runtime/time-zones.ts";
import { ResendRefusal } from "./errors.ts";

const instantShape = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** The account's wall time of a `scheduled_at`. */
export function wallTimeOf(value: unknown, { timeZone }: Pick<Account, "timeZone">, now: number): string {
  const text = typeof value === "string" ? value.trim() : "";
  const written = text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
  const parsed = instantShape.test(text) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(parsed))
    throw new ResendRefusal(
      "validation_error",
      "The `scheduled_at` must be ISO 8601 with a zone, such as 2030-01-31T09:00:00Z. Natural language is not supported.",
    );
  if (parsed <= now) throw new ResendRefusal("validation_error", "The `scheduled_at` must be in the future.");
  const at = Math.floor(parsed / 1000) * 1000;
  const local = localTime(at, timeZone);
  if (readSchedule(local, timeZone) !== at)
    throw new ResendRefusal(
      "validation_error",
      "The `scheduled_at` is in the hour that the clocks of the account's time zone repeat: give another time.",
    );
  return local;
}
