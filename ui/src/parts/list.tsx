// A list of records as a table: what it is while it is empty, waits or was refused, and how it goes on.

import type { ReactNode } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Empty, More, Waiting } from "./page.tsx";

interface Column<T> {
  head: string;
  cell: (row: T) => ReactNode;
  /** `number`: right-aligned; `text`: of one line, cut; `wrap`: long words, such as ids and addresses, are broken. */
  look?: "number" | "text" | "wrap";
}

export function Table<T>({
  label,
  rows,
  id,
  columns,
}: {
  label: string;
  rows: readonly T[];
  id: (row: T) => string;
  columns: readonly Column<T>[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
    <section className="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ head, look }) => (
              <th key={head} scope="col" className={look === "number" ? "number" : ""}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              {columns.map(({ head, cell, look }) => (
                <td key={head} className={look ?? ""}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Pages<T> {
  items: readonly T[];
  data: unknown;
  error: ApiError | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** A list that is read page by page. `empty`: what it shows without entries. */
export function List<T>({
  pages,
  empty,
  ...table
}: {
  pages: Pages<T>;
  empty: ReactNode;
  label: string;
  id: (row: T) => string;
  columns: readonly Column<T>[];
}) {
  if (pages.data === undefined) return <Waiting error={pages.error} />;
  return (
    <>
      {pages.items.length === 0 ? <Empty>{empty}</Empty> : <Table rows={pages.items} {...table} />}
      <div>
        <More pages={pages} />
      </div>
    </>
  );
}
