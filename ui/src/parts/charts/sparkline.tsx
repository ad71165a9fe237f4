import { linePath } from "./scale.ts";

const width = 120;
const height = 24;

/** A line of values without an axis; `words` describes it. */
export function Sparkline({ values, words }: { values: readonly number[]; words: string }) {
  return (
    <svg className="sparkline" viewBox={`0 -1 ${width} ${height + 2}`} preserveAspectRatio="none" role="img">
      <title>{words}</title>
      <path d={linePath(values, width, height)} />
    </svg>
  );
}
