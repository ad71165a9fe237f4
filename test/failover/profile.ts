// How long the bench's faults last, and how long the pools under test wait: the full timings of the published
// bench, and short ones for every day.

export interface Profile {
  name: "full" | "fast";
  /** Between two words of an answer. */
  tokenMs: number;
  /** S06: how long nothing is said. */
  silenceMs: number;
  /** S07: until the first word. */
  firstTokenMs: number;
  /** S09: the silence inside an answer. */
  stallMs: number;
  /** S15: how long the primary is down, how often it is asked, and what more than the outage is watched. */
  outageMs: number;
  everyMs: number;
  /** The pools' own limits: until the head, until the first word, between words. */
  patienceMs: number;
  /** Within which S06 has to be over, S07 has to have failed over, S09 has to be noticed, and S11 has to finish. */
  within: { silent: number; slow: number; stalled: number; finished: number };
  /** No call may take longer. */
  maxMs: number;
}

export const full: Profile = {
  name: "full",
  tokenMs: 15,
  silenceMs: 120_000,
  firstTokenMs: 20_000,
  stallMs: 30_000,
  outageMs: 60_000,
  everyMs: 4_000,
  patienceMs: 10_000,
  within: { silent: 100_000, slow: 15_000, stalled: 45_000, finished: 8_000 },
  maxMs: 110_000,
};

export const fast: Profile = {
  name: "fast",
  tokenMs: 3,
  silenceMs: 15_000,
  firstTokenMs: 8_000,
  stallMs: 8_000,
  outageMs: 6_000,
  everyMs: 400,
  patienceMs: 2_000,
  within: { silent: 12_500, slow: 7_500, stalled: 7_500, finished: 7_500 },
  maxMs: 14_000,
};
