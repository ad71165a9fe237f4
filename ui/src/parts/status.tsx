// A state is a shape, a word and a colour, so that none of them has to be recognised alone.

interface Look {
  tone: "good" | "bad" | "warn" | "doubt" | "info" | "soft";
  /** Strokes in a box of 12 by 12. */
  path: string;
}

const circle = "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9";
const disc = "M6 3a3 3 0 1 0 0 6a3 3 0 1 0 0-6M6 4.5v3M4.5 6h3";
const cross = "M2.5 2.5l7 7M9.5 2.5l-7 7";
const tick = "M1.5 6.5l3 3l6-7";
const ticks = "M.5 6.5l3 3l5-7M6 9.5l5.5-7";
const pause = "M4 2v8M8 2v8";
const looks: Readonly<Record<string, Look>> = {
  queued: { tone: "info", path: circle },
  scheduled: { tone: "info", path: `${circle}M6 3.5v2.5h2.5` },
  sending: { tone: "info", path: "M1 6h9M7 3l3 3l-3 3" },
  sent: { tone: "info", path: tick },
  delivered: { tone: "good", path: ticks },
  read: { tone: "good", path: "M.8 6q5.2-7 10.4 0q-5.2 7-10.4 0M6 4.8v2.4" },
  failed: { tone: "bad", path: cross },
  undelivered: { tone: "bad", path: "M6 1.5l5 9h-10z" },
  bounced: { tone: "bad", path: "M4 2l-3 3l3 3M1 5h6a3 3 0 0 1 0 6h-2" },
  expired: { tone: "warn", path: "M2.5 1h7l-7 10h7z" },
  cancelled: { tone: "soft", path: "M2 6h8" },
  suppressed: { tone: "warn", path: "M6 1l4.5 1.5v3.5q-.5 3.5-4.5 5q-4-1.5-4.5-5v-3.5z" },
  unknown: { tone: "doubt", path: "M6 1l5 5l-5 5l-5-5zM6 4v2.5M6 8v.5" },
  active: { tone: "good", path: disc },
  up: { tone: "good", path: disc },
  paused: { tone: "warn", path: pause },
  stopped: { tone: "bad", path: "M2.5 2.5h7v7h-7z" },
  off: { tone: "soft", path: circle },
  ready: { tone: "soft", path: disc },
  half_open: { tone: "warn", path: `${circle}M6 1.5v9` },
  open: { tone: "bad", path: cross },
  cooling_down: { tone: "warn", path: `${circle}M6 3.5v2.5h2.5` },
  unauthorized: { tone: "bad", path: `${circle}M3 9l6-6` },
  pending: { tone: "info", path: circle },
  ok: { tone: "good", path: tick },
  missing: { tone: "bad", path: cross },
  wrong: { tone: "bad", path: cross },
  doubtful: { tone: "warn", path: "M6 1.5l5 9h-10z" },
  unlinked: { tone: "bad", path: cross },
  waiting: { tone: "warn", path: `${circle}M6 3.5v2.5h2.5` },
  connected: { tone: "good", path: disc },
};

/** The colour of a status, which is also a class of the style sheets. */
export const toneOf = (word: string): Look["tone"] => looks[word]?.tone ?? "soft";

export function Status({ of, children }: { of: string; children?: React.ReactNode }) {
  const { tone, path } = looks[of] ?? { tone: "soft", path: circle };
  return (
    <span className={`status ${tone}`}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" />
      </svg>
      {children ?? of.replaceAll("_", " ")}
    </span>
  );
}
