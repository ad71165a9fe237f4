// Stacked columns over time or kinds, with the same figures as a table for screen readers, keyboards and copying.

import { useId } from "react";
import { number } from "#ui/words/numbers.ts";
import { FiguresTable } from "./figures-table.tsx";
import { heights, isLabelled, stacked } from "./scale.ts";

interface Series {
  name: string;
  /** Its style: determined by its meaning, never by its position. */
  tone: "good" | "sent" | "bad" | "doubt" | "soft";
}

interface Column {
  label: string;
  values: Readonly<Record<string, number>>;
}

const width = 960;
const left = 44;
const foot = 24;
const maxLabels = 8;

/** `title`: what the figures show; `unit`: what the labels under the columns are. */
export function Columns({
  title,
  unit,
  series,
  columns,
  height = 160,
}: {
  title: string;
  unit: string;
  series: readonly Series[];
  columns: readonly Column[];
  height?: number;
}) {
  const id = useId();
  const names = series.map(({ name }) => name);
  const pieces = stacked(
    columns.map(({ values }) => values),
    names,
  );
  const max = Math.max(0, ...pieces.map((each) => each.at(-1)?.to ?? 0));
  const { y, ticks } = heights(max, height);
  const step = (width - left) / Math.max(1, columns.length);
  const gap = Math.min(8, step * 0.25);
  const toneOf = (name: string) => series.find((each) => each.name === name)?.tone ?? "soft";
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id} className="unseen">
        {title}
      </figcaption>
      <ul className="legend" aria-hidden="true">
        {series.map(({ name, tone }) => (
          <li key={name}>
            <svg viewBox="0 0 8 8" className={tone} aria-hidden="true">
              <rect width="8" height="8" rx="2" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
      <svg viewBox={`0 0 ${width} ${height + foot}`} aria-hidden="true">
        <g className="axis">
          {ticks.map((tick) => (
            <g key={tick} transform={`translate(0 ${y(tick)})`}>
              <line x1={left} x2={width} />
              <text x={left - 8} dy="0.35em" textAnchor="end">
                {number(tick)}
              </text>
            </g>
          ))}
        </g>
        {columns.map(({ label, values }, at) => {
          const x = left + at * step;
          const named = names.filter((name) => (values[name] ?? 0) > 0);
          return (
            <g key={label} className="column">
              <title>
                {[label, ...named.map((name) => `${name} ${number(values[name] ?? 0)}`)].join("\n")}
              </title>
              <rect className="hit" x={x} width={step} height={height} />
              {pieces[at]?.map(({ name, from, to }) => (
                <rect
                  key={name}
                  className={toneOf(name)}
                  x={x + gap / 2}
                  width={Math.min(48, step - gap)}
                  y={y(to)}
                  height={Math.max(1, y(from) - y(to) - 0.5)}
                  rx="1.5"
                />
              ))}
              {isLabelled(at, columns.length, maxLabels) ? (
                <g className="axis">
                  <text x={x + gap / 2} y={height + 16}>
                    {label}
                  </text>
                </g>
              ) : null}
            </g>
          );
        })}
      </svg>
      <FiguresTable
        title={title}
        unit={unit}
        names={names}
        rows={columns.map(({ label, values }) => ({ key: label, head: label, values }))}
      />
    </figure>
  );
}
