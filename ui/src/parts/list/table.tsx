// Rows of records as a table, and as cards on a phone.

import { Fragment, type ReactNode, type Ref } from "react";

export interface Column<T> {
  head: string;
  cell: (row: T) => ReactNode;
  /**
   * `number`: right-aligned, labelled on a card; `text`: one line, truncated; `whole`: one line where there is room; `act`: buttons; `when`: at the end of a card's first line;
   * `also`: a card's last line; `wide`: not on a card.
   */
  look?: "number" | "text" | "whole" | "act" | "when" | "also" | "wide";
}

/** The selected rows, by id. */
export interface Choosing {
  /** The rows that can be selected. */
  names: ReadonlySet<string>;
  chosen: ReadonlySet<string>;
  isAll: boolean;
  choose: (id: string, isChosen: boolean, range: boolean) => void;
  chooseAll: (isChosen: boolean) => void;
}

/** Rows under headings: the title of the group that a row is in. Rows of one group are adjacent. */
export type GroupOf<T> = (row: T) => { key: string; title: ReactNode };

/** Which rows are rendered, and the height of the others, px. */
export interface Part {
  from: number;
  above: number;
  below: number;
  measure: (row: HTMLTableRowElement | null) => void;
  widths: readonly number[] | null;
}

const gap = (height: number, columns: number) =>
  height === 0 ? null : (
    <tr className="gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );

/** `part`: set if a long list renders only the visible rows, of `total`; they start at `part.from`. */
export function Table<T>({
  label,
  rows,
  id,
  columns,
  choosing,
  group,
  part,
  total = rows.length,
  grows = false,
  ref,
}: {
  label: string;
  rows: readonly T[];
  id: (row: T) => string;
  columns: readonly Column<T>[];
  choosing?: Choosing;
  group?: GroupOf<T>;
  part?: Part;
  total?: number;
  /** Its head stays visible while the page scrolls. */
  grows?: boolean;
  ref?: Ref<HTMLElement>;
}) {
  const from = part?.from ?? 0;
  const count = columns.length + (choosing === undefined ? 0 : 1);
  const widths = part?.widths ?? null;
  return (
    <section
      ref={ref}
      className={`table cards${grows ? " grows" : ""}`}
      aria-label={label}
      tabIndex={grows ? -1 : 0}
    >
      <table
        aria-rowcount={total + 1}
        {...(widths === null ? {} : { style: { tableLayout: "fixed" as const } })}
      >
        {widths === null ? null : (
          <colgroup>
            {widths.map((width, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other names
              <col key={at} style={{ width }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {choosing === undefined ? null : (
              <th scope="col" className="tick">
                <input
                  type="checkbox"
                  aria-label={`Choose all that ${choosing.names.size === 0 ? "match" : "are shown"}`}
                  checked={choosing.isAll}
                  onChange={(event) => choosing.chooseAll(event.target.checked)}
                />
              </th>
            )}
            {columns.map(({ head, look }) => (
              <th key={head} scope="col" className={look ?? ""}>
                {look === "act" ? <span className="unseen">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {gap(part?.above ?? 0, count)}
          {rows.map((row, at) => {
            const name = id(row);
            const isChosen = choosing?.chosen.has(name) ?? false;
            const heading = group?.(row);
            const above = rows[at - 1];
            const begins =
              heading !== undefined && (above === undefined || group?.(above).key !== heading.key);
            return (
              <Fragment key={name}>
                {begins ? (
                  <tr className="group">
                    <th scope="rowgroup" colSpan={count}>
                      {heading.title}
                    </th>
                  </tr>
                ) : null}
                <tr
                  ref={part?.measure}
                  data-index={from + at}
                  aria-rowindex={from + at + 2}
                  className={isChosen ? "chosen" : ""}
                >
                  {choosing === undefined ? null : (
                    <td className="tick">
                      {choosing.names.has(name) ? (
                        <input
                          type="checkbox"
                          aria-label={`Choose row ${from + at + 1}`}
                          checked={isChosen}
                          onChange={(event) =>
                            choosing.choose(
                              name,
                              event.target.checked,
                              (event.nativeEvent as MouseEvent).shiftKey,
                            )
                          }
                        />
                      ) : null}
                    </td>
                  )}
                  {columns.map(({ head, cell, look }) => (
                    <td
                      key={head}
                      className={look ?? ""}
                      {...(look === "number" ? { "data-head": head } : {})}
                    >
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              </Fragment>
            );
          })}
          {gap(part?.below ?? 0, count)}
        </tbody>
      </table>
    </section>
  );
}
