import { type ReactNode, useState } from "react";
import { number } from "#ui/words/numbers.ts";

/** The figures of a chart as a table, for screen readers, keyboards and copying. `unit`: what the rows are. */
export function FiguresTable({
  title,
  unit,
  names,
  rows,
}: {
  title: string;
  unit: string;
  names: readonly string[];
  rows: readonly { key: string; head: ReactNode; values: Readonly<Record<string, number>> }[];
}) {
  const [open, setOpen] = useState(false);
  const table = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
    <section className="table" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {names.map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, values }) => (
            <tr key={key}>
              <td>{head}</td>
              {names.map((name) => (
                <td key={name} className="number">
                  {number(values[name] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
  return (
    <details className="small soft" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Figures</summary>
      {open ? table : null}
    </details>
  );
}
