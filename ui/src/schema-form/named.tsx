// An object whose names are free: rows, each with a name that a person enters.

import { type ComponentProps, Fragment, type ReactNode, useState } from "react";
import { Button } from "#ui/parts/button.tsx";
import { faultAt, Hint } from "#ui/parts/form/field.tsx";
import type { ValueProps } from "./model.ts";

/** One row, as its form is rendered. */
interface Row<T> {
  key: string;
  value: T;
  /** The path of the name's field. */
  nameField: ComponentProps<"input">;
  /** The error of the name, or of the row as a whole; null if there is none. */
  fault: string | null;
  remove: ReactNode;
  onChange: (value: T) => void;
}

/** `empty`: the value of a new row; `verb`: the label of the button that adds one; `children`: renders a row. */
export function Named<T>({
  label,
  path,
  schema,
  value,
  fault,
  error,
  onChange,
  empty,
  verb,
  children,
}: ValueProps & { empty: T; verb: string; children: (row: Row<T>) => ReactNode }) {
  const [rows, setRows] = useState(() =>
    Object.entries((value as Record<string, T> | null | undefined) ?? {}).map(([key, each], id) => ({
      id,
      key,
      value: each,
    })),
  );
  // Names in an object are unique: while two rows have the same name, the form is not sent, and the first row counts.
  const isRepeated = ({ key }: { key: string }, at: number, all: readonly { key: string }[]) =>
    key !== "" && all.findIndex((each) => each.key === key) < at;
  const set = (next: typeof rows) => {
    setRows(next);
    const named = next.filter((row, at) => row.key !== "" && !isRepeated(row, at, next));
    onChange(
      named.length === 0 ? undefined : Object.fromEntries(named.map((each) => [each.key, each.value])),
    );
  };
  const nextId = Math.max(0, ...rows.map(({ id }) => id)) + 1;
  return (
    <fieldset>
      <legend>{label}</legend>
      {schema.description === undefined ? null : <Hint of={schema.description} />}
      {rows.map((row, at) => {
        const change = (more: Partial<typeof row>) =>
          set(rows.map((each) => (each === row ? { ...row, ...more } : each)));
        const repeated = isRepeated(row, at, rows) ? `Another row has the name ${row.key}.` : null;
        return (
          <Fragment key={row.id}>
            {children({
              key: row.key,
              value: row.value,
              nameField: {
                value: row.key,
                spellCheck: false,
                ref: (field) => field?.setCustomValidity(repeated ?? ""),
                onChange: (event) => change({ key: event.target.value }),
                ...(repeated === null ? {} : { "aria-invalid": true }),
              },
              fault: repeated ?? faultAt(error, `${path}.${row.key}`),
              remove: <Button onClick={() => set(rows.filter((each) => each !== row))}>Remove</Button>,
              onChange: (entered) => change({ value: entered }),
            })}
          </Fragment>
        );
      })}
      {fault === null ? null : <p className="fault">{fault}</p>}
      <div>
        <Button onClick={() => set([...rows, { id: nextId, key: "", value: empty }])}>{verb}</Button>
      </div>
    </fieldset>
  );
}
