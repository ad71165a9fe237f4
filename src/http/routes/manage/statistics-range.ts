// The range of a statistics query: its defaults, its limits, and where its first point begins.

import { validationFailed } from "#contract/problem.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import { startOfDay } from "#runtime/time-zones.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const maxDays = { minute: 1, hour: 31, day: 366 } as const;

type Step = keyof typeof maxDays;

/** `from`: the beginning of the step that contains the start of the range; `end`: the range ends before it. Epoch ms. */
interface StatisticsRange {
  from: number;
  end: number;
}

const invalid = (message: string) => new ProblemError(validationFailed([{ path: ["after"], message }]));

/**
 * The range of a query whose fields are individually valid. Throws a `ProblemError` for one that ends before it begins, or is too long for
 * its step.
 */
export function rangeOf(
  { after, before, step }: { after?: string | undefined; before?: string | undefined; step: Step },
  { now, timeZone }: { now: number; timeZone: string },
): StatisticsRange {
  const last = before === undefined ? now : Date.parse(before);
  // What happened in this millisecond counts.
  const end = before === undefined ? now + 1 : last;
  const begin = after === undefined ? last - dayMs : Date.parse(after);
  if (begin >= end) throw invalid("is not before `before`");
  const days = maxDays[step];
  if (last - begin > days * dayMs)
    throw invalid(`is more than ${days === 1 ? "a day" : `${days} days`} before \`before\``);
  const from =
    step === "day" ? startOfDay(begin, timeZone) : begin - (begin % (step === "minute" ? minuteMs : hourMs));
  return { from, end };
}
