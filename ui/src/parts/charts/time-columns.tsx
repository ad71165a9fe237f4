// Stacked columns over spans of time. A column is a link to the events in its span; while it is pointed at, the legend shows its figures
// and the line below the chart its time; otherwise they show those of the whole range.

import { createLink, type LinkProps } from "@tanstack/react-router";
import { type ComponentProps, type KeyboardEvent, useId, useState } from "react";
import { useZone } from "#ui/parts/account.ts";
import { number } from "#ui/words/numbers.ts";
import { clockOf, dateOf, type Span, spanOf } from "#ui/words/spans.ts";
import { FiguresTable } from "./figures-table.tsx";
import { heights, type Series } from "./scale.ts";

interface TimeColumn extends Span {
  /** How many messages its page lists: those accepted in its time, also where they ended later. */
  accepted?: number;
  values: Readonly<Record<string, number>>;
}

type Place = Pick<LinkProps, "to" | "params" | "search">;

const ColumnLink = createLink((props: ComponentProps<"a">) => <a {...props} className="column" />);

const maxLabels = 8;

/** The labels under the chart: hours within a day or so, otherwise the days where they begin. */
function labelsOf(columns: readonly TimeColumn[], zone: string): { at: number; text: string }[] {
  const [first] = columns;
  const last = columns.at(-1);
  if (first === undefined || last === undefined) return [];
  const isShort = last.to - first.from <= 26 * 3_600_000;
  const isDay = (at: number) =>
    columns[at - 1] && dateOf(columns[at - 1]!.from, zone) !== dateOf(columns[at]!.from, zone);
  const begins = columns.flatMap((_each, at) => (isShort || isDay(at) ? [at] : []));
  const step = Math.ceil(begins.length / maxLabels);
  return begins
    .filter((at, place) => place % step === 0 && at / columns.length < 0.93)
    .map((at) => {
      const { from } = columns[at] as TimeColumn;
      return { at, text: isShort ? clockOf(from, zone) : dateOf(from, zone) };
    });
}

/** The arrow keys move between columns, so that the chart is a single tab stop. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(".column")];
  const next = links[links.indexOf(event.target) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function Legend({ series, values }: { series: readonly Series[]; values: Readonly<Record<string, number>> }) {
  return (
    <ul className="legend" aria-hidden="true">
      {series.map(({ name, tone, note }) => (
        <li key={name} title={note}>
          <span className={`swatch ${tone}`} />
          {name} <strong>{number(values[name] ?? 0)}</strong>
        </li>
      ))}
    </ul>
  );
}

/** `title`: what the figures show; `range`: their time range; `open`: where a column leads. */
export function TimeColumns({
  title,
  range,
  series: all,
  columns,
  height = 160,
  open,
}: {
  title: string;
  range: string;
  series: readonly Series[];
  columns: readonly TimeColumn[];
  height?: number;
  open?: (column: TimeColumn) => Place;
}) {
  const id = useId();
  const zone = useZone();
  const [pointed, setPointed] = useState<number | null>(null);
  const [stop, setStop] = useState<number | null>(null);
  const totals: Record<string, number> = {};
  for (const { name } of all)
    totals[name] = columns.reduce((sum, { values }) => sum + (values[name] ?? 0), 0);
  const series = all.filter(
    ({ name, tone }) => (tone !== "soft" && tone !== "wait") || (totals[name] ?? 0) > 0,
  );
  const sums = columns.map(({ values }) => series.reduce((sum, { name }) => sum + (values[name] ?? 0), 0));
  const { y, ticks } = heights(Math.max(0, ...sums), 100);
  const shown = pointed === null ? undefined : columns[pointed];
  const wordsOf = ({ from, to, values, accepted = 0 }: TimeColumn) => {
    const named = series.filter(({ name }) => (values[name] ?? 0) > 0);
    const figures = named.map(({ name }) => `${name} ${number(values[name] ?? 0)}`);
    if (accepted > 0) figures.unshift(`accepted ${number(accepted)}`);
    return `${spanOf(from, to, zone)}: ${figures.length === 0 ? "nothing" : figures.join(", ")}`;
  };
  const isEmpty = sums.every((sum) => sum === 0);
  const current = Math.min(stop ?? columns.length - 1, columns.length - 1);
  const events = (at: number) => ({
    onPointerEnter: () => setPointed(at),
    onPointerLeave: () => setPointed(null),
  });
  const pieces = ({ values }: TimeColumn, at: number) => (
    <span className="pieces" style={{ height: `${100 - y(sums[at] ?? 0)}%` }} aria-hidden="true">
      {series.map(({ name, tone }) =>
        (values[name] ?? 0) === 0 ? null : (
          <span key={name} className={tone} style={{ flexGrow: values[name] ?? 0 }} />
        ),
      )}
    </span>
  );
  return (
    <figure className="chart over-time" aria-labelledby={id}>
      <figcaption id={id} className="unseen">
        {title}
      </figcaption>
      <Legend series={series} values={shown?.values ?? totals} />
      <div className="plot" style={{ height }}>
        {ticks.map((tick) => (
          <span key={tick} className="tick" style={{ top: `${y(tick)}%` }} aria-hidden="true">
            <span>{number(tick)}</span>
          </span>
        ))}
        {isEmpty ? <p className="none">Nothing in this time.</p> : null}
        {/* biome-ignore lint/a11y/useSemanticElements: a group of links, no fieldset */}
        <div className="columns" role="group" aria-label={title} onKeyDown={onArrow}>
          {columns.map((column, at) =>
            open === undefined ? (
              <span key={column.from} className="column" {...events(at)}>
                {pieces(column, at)}
              </span>
            ) : (
              <ColumnLink
                key={column.from}
                {...open(column)}
                preload={false}
                aria-label={wordsOf(column)}
                tabIndex={at === current ? 0 : -1}
                onFocus={() => {
                  setStop(at);
                  setPointed(at);
                }}
                onBlur={() => setPointed(null)}
                {...events(at)}
              >
                {pieces(column, at)}
              </ColumnLink>
            ),
          )}
        </div>
      </div>
      <div className="labels" aria-hidden="true">
        {labelsOf(columns, zone).map(({ at, text }) => (
          <span key={at} style={{ left: `${(at / columns.length) * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
      <span className="span" aria-hidden="true">
        {shown === undefined
          ? range
          : `${spanOf(shown.from, shown.to, zone)}${shown.accepted === undefined ? "" : ` · accepted ${number(shown.accepted)}`}`}
      </span>
      <FiguresTable
        title={title}
        unit="Time"
        names={series.map(({ name }) => name)}
        rows={columns.map(({ from, to, values }) => ({
          key: String(from),
          head: spanOf(from, to, zone),
          values,
        }))}
      />
    </figure>
  );
}
