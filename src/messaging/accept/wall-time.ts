// Instants of clients of other services, which write times in ISO 8601 with a zone where a contact has the account's wall time.

import { localTime, readSchedule } from "#runtime/time-zones.ts";

const instantShape = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** Why an instant is no time to send at. `repeated`: it is in the hour that the clocks of the time zone repeat. */
type TimeFault = "malformed" | "past" | "repeated";

/** The wall time of an instant, whole seconds; or why there is no such time. `now`: epoch ms. */
export function readWallTime(
  text: string,
  { timeZone, now }: { timeZone: string; now: number },
): { local: string } | { fault: TimeFault } {
  const written = text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
  const parsed = instantShape.test(text) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(parsed)) return { fault: "malformed" };
  if (parsed <= now) return { fault: "past" };
  const at = Math.floor(parsed / 1000) * 1000;
  const local = localTime(at, timeZone);
  return readSchedule(local, timeZone) === at ? { local } : { fault: "repeated" };
}
