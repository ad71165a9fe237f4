// The attempts of a call on one scale: which member was asked, for how long, and what came of it.

import type { PoolCall } from "#ui/api/schema.ts";
import { duration } from "#ui/words/numbers.ts";
import { Status } from "./status.tsx";

export function Waterfall({ call }: { call: PoolCall }) {
  const longest = Math.max(1, ...call.attempts.map(({ ms }) => ms));
  if (call.attempts.length === 0) return <p className="soft">No member was asked.</p>;
  return (
    <ol className="waterfall">
      {call.attempts.map((attempt, index) => {
        const served = attempt.outcome === "ok" || attempt.member === call.member;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a member may be asked twice, and the order is fixed
          <li key={index}>
            <span className="row">
              <Status of={served ? "ok" : "failed"}>{attempt.member}</Status>
              <span className="soft">
                {attempt.model} · {attempt.outcome.replaceAll("_", " ")}
                {attempt.status === null ? "" : ` ${attempt.status}`} · {duration(attempt.ms)}
              </span>
            </span>
            <svg width="100%" height="8" aria-hidden="true" className={served ? "good" : "bad"}>
              <rect
                className="bar"
                width={`${Math.max(0.5, (100 * attempt.ms) / longest)}%`}
                height="8"
                rx="2"
              />
            </svg>
          </li>
        );
      })}
    </ol>
  );
}
