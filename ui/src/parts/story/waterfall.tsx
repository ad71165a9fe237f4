// Calls made one after the other, to scale: when each began, how long it took, and its outcome.

import { Status } from "#ui/parts/status.tsx";
import { duration } from "#ui/words/numbers.ts";
import type { Span } from "./span.ts";

const scale = 1_000;
/** An instantaneous call is still visible. */
const minWidth = 4;

const tones: Readonly<Record<string, string>> = {
  ok: "good",
  failed: "bad",
  unknown: "doubt",
  waiting: "faint",
};

/** `wholeMs`: the total time; time outside the spans was waiting. */
export function Waterfall({ spans, wholeMs }: { spans: readonly Span[]; wholeMs: number }) {
  const whole = Math.max(1, wholeMs, ...spans.map(({ fromMs, ms }) => fromMs + ms));
  return (
    <ol className="waterfall">
      {spans.map(({ key, status, name, note, fromMs, ms, why }) => {
        const width = Math.max(minWidth, (ms / whole) * scale);
        const x = Math.min((fromMs / whole) * scale, scale - width);
        return (
          <li key={key}>
            <span>
              <Status of={status}>{name}</Status>
              {note === undefined ? null : <div className="small soft">{note}</div>}
            </span>
            <svg
              className={`span ${tones[status] ?? "soft"}`}
              viewBox={`0 0 ${scale} 12`}
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              <rect x={x} width={width} height="12" />
            </svg>
            <span className="number">{duration(ms)}</span>
            {why ? <p className="why soft">{why}</p> : null}
          </li>
        );
      })}
      <li className="scale" aria-hidden="true">
        <span />
        <span className="row apart">
          <span>0</span>
          <span>{duration(whole)}</span>
        </span>
        <span />
      </li>
    </ol>
  );
}
