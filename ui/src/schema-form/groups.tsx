// An object of groups under free names, such as prices by model.

import { type ReactNode, useState } from "react";
import { Field, faultAt, Hint } from "#ui/parts/form/field.tsx";
import type { ValueProps } from "./controls.tsx";
import { labelOf, type Schema, type Values } from "./model.ts";

interface Group {
  schema: Schema;
  path: string;
  values: Values;
  onChange: (values: Values) => void;
}

/** `children`: draws the form of one group. */
export function Groups({
  name,
  path,
  schema,
  value,
  error,
  onChange,
  children,
}: ValueProps & { children: (group: Group) => ReactNode }) {
  const [groups, setGroups] = useState(() =>
    Object.entries((value as Record<string, Values> | null | undefined) ?? {}).map(([key, values], id) => ({
      id,
      key,
      values,
    })),
  );
  const set = (next: typeof groups) => {
    setGroups(next);
    const named = next.filter(({ key }) => key !== "");
    onChange(
      named.length === 0 ? undefined : Object.fromEntries(named.map(({ key, values }) => [key, values])),
    );
  };
  const change = (group: (typeof groups)[number], more: Partial<(typeof groups)[number]>) =>
    set(groups.map((each) => (each === group ? { ...each, ...more } : each)));
  const nextId = Math.max(0, ...groups.map(({ id }) => id)) + 1;
  const fault = faultAt(error, path);
  return (
    <fieldset>
      <legend>{labelOf(name)}</legend>
      {schema.description === undefined ? null : <Hint of={schema.description} />}
      {groups.map((group) => (
        <fieldset key={group.id}>
          <legend>{group.key === "" ? "New" : group.key}</legend>
          <Field label="Name" fault={faultAt(error, `${path}.${group.key}`)}>
            <input
              value={group.key}
              spellCheck={false}
              onChange={(event) => change(group, { key: event.target.value })}
            />
          </Field>
          {children({
            schema: schema.additionalProperties as Schema,
            path: `${path}.${group.key}`,
            values: group.values,
            onChange: (values) => change(group, { values }),
          })}
          <div>
            <button
              type="button"
              className="button"
              onClick={() => set(groups.filter((each) => each !== group))}
            >
              Remove
            </button>
          </div>
        </fieldset>
      ))}
      {fault === null ? null : <p className="fault">{fault}</p>}
      <div>
        <button
          type="button"
          className="button"
          onClick={() => set([...groups, { id: nextId, key: "", values: {} }])}
        >
          Add one
        </button>
      </div>
    </fieldset>
  );
}
