// The sixteen faults of Failover Bench (methodology v0.1), re-created from its description under its ids, and what
// conduct each asks of a gateway. The bench's `required` conduct decides over `fail`, its advice over `partial`.

import { isWhole, type Seen } from "./caller.ts";
import type { Profile } from "./profile.ts";
import type { Hit } from "./provider.ts";

/** The two views of one call: the caller's and the provider's. */
export interface Observed {
  seen: Seen;
  primary: readonly Hit[];
  fallback: readonly Hit[];
  /** Whether a healthy call afterwards was answered. */
  alive: boolean;
  profile: Profile;
}

export interface Check {
  what: string;
  /** Missing it makes `partial` of `pass`, and nothing worse. */
  advisory?: true;
  holds(observed: Observed): boolean;
}

export interface Scenario {
  id: string;
  title: string;
  primary: string;
  fallback: string;
  /** The call names the primary's model, so that the pool may not go elsewhere. */
  alone?: true;
  /** The right outcome is the provider's refusal. */
  ideal?: "error";
  checks: readonly Check[];
}

const atMost = (count: number): Check => ({
  what: `at most ${count} requests to the primary`,
  holds: ({ primary }) => primary.length <= count,
});
const exactlyOne: Check = {
  what: "exactly one request to that model",
  holds: ({ primary }) => primary.length === 1,
};
const hammers = (withinMs: number, count: number): Check => ({
  what: `at most ${count} requests within ${withinMs} ms`,
  holds: ({ primary }) => primary.filter(({ at }) => at - primary[0]!.at <= withinMs).length <= count,
});
const alive: Check = { what: "alive afterwards", holds: (observed) => observed.alive };
const usage: Check = {
  what: "the usage is reported",
  advisory: true,
  holds: ({ seen }) => seen.kind === "answer" && seen.usage,
};
const within = (which: keyof Profile["within"], advisory?: true): Check => ({
  what: `over in time (${which})`,
  ...(advisory && { advisory }),
  holds: ({ seen, profile }) => seen.ms <= profile.within[which],
});

export const scenarios: readonly Scenario[] = [
  {
    id: "S01",
    title: "429 once, Retry-After 2",
    primary: "fb-s01-429-retry-after",
    fallback: "fb-ok",
    checks: [
      hammers(1_500, 2),
      {
        what: "asked again after 1.8 s at the earliest, or failed over",
        advisory: true,
        holds: ({ primary, fallback }) =>
          primary.length > 1 ? primary[1]!.at - primary[0]!.at >= 1_800 : fallback.length > 0,
      },
    ],
  },
  {
    id: "S02",
    title: "429 always",
    primary: "fb-s02-429-persistent",
    fallback: "fb-ok",
    checks: [hammers(3_000, 4), atMost(6)],
  },
  {
    // Where another member can answer, the pool asks that at once instead; the bench takes this for `partial`.
    id: "S03",
    title: "500 once, no other member for the model",
    primary: "fb-s03-500-then-200",
    fallback: "fb-ok",
    alone: true,
    checks: [
      {
        what: "asked the same provider again",
        advisory: true,
        holds: ({ primary }) => primary.length === 2,
      },
    ],
  },
  {
    id: "S04",
    title: "503 always",
    primary: "fb-s04-503-persistent",
    fallback: "fb-ok",
    checks: [atMost(6)],
  },
  {
    id: "S05",
    title: "reset before the headers, once",
    primary: "fb-s05-reset",
    fallback: "fb-ok",
    checks: [atMost(6)],
  },
  {
    id: "S06",
    title: "no response",
    primary: "fb-s06-no-response",
    fallback: "fb-ok",
    checks: [
      within("silent"),
      { what: "not asked again", advisory: true, holds: ({ primary }) => primary.length === 1 },
    ],
  },
  {
    id: "S07",
    title: "slow first token",
    primary: "fb-s07-slow-ttft",
    fallback: "fb-ok",
    checks: [within("slow", true)],
  },
  { id: "S08", title: "cut after 40 of 60", primary: "fb-s08-stream-cut", fallback: "fb-ok", checks: [] },
  {
    id: "S09",
    title: "stall after 20 of 60",
    primary: "fb-s09-stream-stall",
    fallback: "fb-ok",
    checks: [within("stalled"), alive],
  },
  {
    id: "S10",
    title: "malformed event",
    primary: "fb-s10-malformed-chunk",
    fallback: "fb-ok",
    checks: [alive],
  },
  {
    id: "S11",
    title: "no [DONE]",
    primary: "fb-s11-no-done",
    fallback: "fb-ok",
    checks: [within("finished"), usage],
  },
  {
    id: "S12",
    title: "context length exceeded",
    primary: "fb-s12-context-length",
    fallback: "fb-ok",
    checks: [exactlyOne],
  },
  {
    id: "S13",
    title: "content filter",
    primary: "fb-s13-content-filter",
    fallback: "fb-ok",
    ideal: "error",
    checks: [
      exactlyOne,
      {
        what: "the provider's reason is reported",
        holds: ({ seen }) => seen.kind !== "error" || seen.code === "content_policy_violation",
      },
    ],
  },
  {
    id: "S14",
    title: "cut, and a fallback that takes no prefill",
    primary: "fb-s14-stream-cut",
    fallback: "fb-ok-noprefill",
    checks: [
      {
        what: "the fallback's refusal does not hide what went wrong",
        holds: ({ seen, fallback }) => seen.kind !== "error" || !fallback.some(({ faulty }) => faulty),
      },
    ],
  },
  // S15 is a sequence of calls: `outage.ts`.
  {
    id: "S16",
    title: "accounting of a failover",
    primary: "fb-s16-503-persistent",
    fallback: "fb-ok",
    checks: [
      atMost(6),
      usage,
      {
        what: "the model that answered is reported",
        holds: ({ seen }) => seen.kind === "answer" && seen.model === "fb-ok" && seen.servedBy === "fallback",
      },
    ],
  },
];

export type Verdict = "pass" | "partial" | "safe" | "fail";

export interface Scored {
  id: string;
  title: string;
  verdict: Verdict;
  /** What was missing, or how it ended. */
  note: string;
  ms: number;
}

/** Judges one call. */
export function score(scenario: Scenario, observed: Observed): Scored {
  const { seen, primary, fallback } = observed;
  const missed = scenario.checks.filter((check) => !check.holds(observed));
  const required = missed.filter(({ advisory }) => !advisory).map(({ what }) => what);
  if (seen.kind === "hang") required.push("hangs");
  if (seen.kind === "answer" && !isWhole(seen)) required.push("part of an answer as if it were whole");
  const rescued = scenario.ideal === "error" ? seen.kind === "error" : isWhole(seen);
  const ended =
    seen.kind === "answer"
      ? `answered by ${seen.servedBy}`
      : seen.kind === "error"
        ? `error ${seen.code}`
        : "given up";
  const noteOf = (lacks: readonly string[]) =>
    [ended, `${primary.length}+${fallback.length} requests`, ...lacks.map((one) => `lacks: ${one}`)].join(
      ", ",
    );
  const { id, title } = scenario;
  const ms = Math.round(seen.ms);
  if (required.length > 0) return { id, title, verdict: "fail", note: noteOf(required), ms };
  if (rescued) {
    const lacks = missed.map(({ what }) => what);
    return { id, title, verdict: lacks.length > 0 ? "partial" : "pass", note: noteOf(lacks), ms };
  }
  // S13 answered by another member: shopping around.
  const verdict = scenario.ideal === "error" ? "partial" : "safe";
  return { id, title, verdict, note: noteOf([]), ms };
}
