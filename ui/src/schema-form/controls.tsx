// The controls of a form that have a state of their own: secrets, JSON, and rows of names and values.

import { useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Field, faultAt, Hint } from "#ui/parts/form/field.tsx";
import { isMask, labelOf, type Schema } from "./model.ts";

export interface ValueProps {
  name: string;
  /** As the API names it in errors: `settings.success.path`. */
  path: string;
  schema: Schema;
  required: boolean;
  nullable: boolean;
  value: unknown;
  error: ApiError | null;
  onChange: (value: unknown) => void;
}

export const emptied = (text: string) => (text === "" ? undefined : text);

/** A secret: what is stored is never shown, and stays unless it is replaced or removed. */
export function Secret({
  name,
  path,
  schema,
  required,
  value,
  error,
  onChange,
  long = false,
}: ValueProps & { long?: boolean }) {
  const [stored, setStored] = useState(isMask(value) ? value : null);
  const label = labelOf(name);
  const fault = faultAt(error, path);
  if (stored !== null && value === stored)
    return (
      <div className="field">
        <strong>{label}</strong>
        <div className="row">
          <code>{String(stored)}</code>
          <button type="button" className="button" onClick={() => onChange("")}>
            Replace
          </button>
          {required ? null : (
            <button
              type="button"
              className="button"
              onClick={() => {
                setStored(null);
                onChange(undefined);
              }}
            >
              Remove
            </button>
          )}
        </div>
        {fault === null ? null : <p className="fault">{fault}</p>}
        {schema.description === undefined ? null : <Hint of={schema.description} />}
      </div>
    );
  const props = {
    value: String(value ?? ""),
    required,
    autoComplete: "off",
    onChange: (event: { target: { value: string } }) => onChange(emptied(event.target.value)),
  };
  return (
    <div className="stack tight">
      <Field label={label} hint={schema.description} fault={fault}>
        {long ? (
          <textarea {...props} className="mono" spellCheck={false} />
        ) : (
          <input {...props} spellCheck={false} />
        )}
      </Field>
      {stored === null ? null : (
        <div>
          <button type="button" className="button" onClick={() => onChange(stored)}>
            Keep the stored one
          </button>
        </div>
      )}
    </div>
  );
}

/** A value that no other control enters. */
export function Json({ name, path, schema, value, error, onChange }: ValueProps) {
  const [text, setText] = useState(
    value === undefined || value === null
      ? ""
      : typeof value === "string"
        ? value
        : JSON.stringify(value, null, 2),
  );
  const takesText = schema.anyOf?.some(({ type }) => type === "string") ?? false;
  const takesSwitch = schema.anyOf?.some(({ type }) => type === "boolean") ?? false;
  const [broken, setBroken] = useState<string | null>(null);
  const change = (entered: string) => {
    setText(entered);
    setBroken(null);
    if (entered.trim() === "") return onChange(undefined);
    try {
      onChange(JSON.parse(entered));
    } catch {
      if (takesText) onChange(entered);
      else setBroken("This is not JSON yet.");
    }
  };
  return (
    <Field label={labelOf(name)} hint={schema.description} fault={broken ?? faultAt(error, path)}>
      <textarea
        className="mono"
        rows={5}
        spellCheck={false}
        placeholder={takesSwitch ? "true, false, or an object as JSON" : undefined}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}

/** An object whose names are free. */
export function Pairs({ name, path, schema, value, error, onChange }: ValueProps) {
  const [rows, setRows] = useState(() =>
    Object.entries((value as Record<string, string> | null | undefined) ?? {}).map(([key, text], id) => ({
      id,
      key,
      text,
    })),
  );
  const set = (next: typeof rows) => {
    setRows(next);
    const filled = next.filter(({ key }) => key !== "");
    onChange(
      filled.length === 0 ? undefined : Object.fromEntries(filled.map(({ key, text }) => [key, text])),
    );
  };
  const nextId = Math.max(0, ...rows.map(({ id }) => id)) + 1;
  return (
    <fieldset>
      <legend>{labelOf(name)}</legend>
      {schema.description === undefined ? null : <Hint of={schema.description} />}
      {rows.map((row) => (
        <div key={row.id} className="row">
          <input
            aria-label={`Name in ${labelOf(name)}`}
            value={row.key}
            onChange={(event) =>
              set(rows.map((each) => (each === row ? { ...row, key: event.target.value } : each)))
            }
          />
          {isMask(row.text) ? (
            <>
              <code>{row.text}</code>
              <button
                type="button"
                className="button"
                onClick={() => set(rows.map((each) => (each === row ? { ...row, text: "" } : each)))}
              >
                Replace
              </button>
            </>
          ) : (
            <input
              aria-label={`Value of ${row.key}`}
              value={row.text}
              autoComplete="off"
              onChange={(event) =>
                set(rows.map((each) => (each === row ? { ...row, text: event.target.value } : each)))
              }
            />
          )}
          {faultAt(error, `${path}.${row.key}`) === null ? null : (
            <span className="fault">{faultAt(error, `${path}.${row.key}`)}</span>
          )}
          <button type="button" className="button" onClick={() => set(rows.filter((each) => each !== row))}>
            Remove
          </button>
        </div>
      ))}
      {faultAt(error, path) === null ? null : <p className="fault">{faultAt(error, path)}</p>}
      <div>
        <button
          type="button"
          className="button"
          onClick={() => set([...rows, { id: nextId, key: "", text: "" }])}
        >
          Add a row
        </button>
      </div>
    </fieldset>
  );
}
