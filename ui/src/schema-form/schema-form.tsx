// A form made from a JSON Schema. Rules across fields are the API's: its messages land at the fields.

import { useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { Check, Choice, Field, faultAt } from "#ui/parts/form/field.tsx";
import {
  changed,
  controlOf,
  isMask,
  labelOf,
  placeholderOf,
  type Schema,
  scalarOf,
  type Values,
  withoutNull,
} from "./model.ts";

interface ValueProps {
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

const emptied = (text: string) => (text === "" ? undefined : text);

function Secret({
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
        {schema.description === undefined ? null : <p className="hint">{schema.description}</p>}
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

function Json({ name, path, schema, value, error, onChange }: ValueProps) {
  const [text, setText] = useState(
    value === undefined || value === null
      ? ""
      : typeof value === "string"
        ? value
        : JSON.stringify(value, null, 2),
  );
  const takesText = schema.anyOf?.some(({ type }) => type === "string") ?? false;
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
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}

function Pairs({ name, path, schema, value, error, onChange }: ValueProps) {
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
      {schema.description === undefined ? null : <p className="hint">{schema.description}</p>}
      {rows.map((row) => (
        <div key={row.id} className="row">
          <input
            aria-label={`Name in ${labelOf(name)}`}
            value={row.key}
            onChange={(event) =>
              set(rows.map((each) => (each === row ? { ...row, key: event.target.value } : each)))
            }
          />
          <input
            aria-label={`Value of ${row.key}`}
            value={row.text}
            autoComplete="off"
            onChange={(event) =>
              set(rows.map((each) => (each === row ? { ...row, text: event.target.value } : each)))
            }
          />
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

function Group({ name, path, schema, required, nullable, value, error, onChange }: ValueProps) {
  // A group that has a default is always there.
  const always = required || (!nullable && schema.default !== undefined);
  const on = always || (value !== undefined && value !== null);
  return (
    <fieldset>
      <legend>{labelOf(name)}</legend>
      {schema.description === undefined ? null : <p className="hint">{schema.description}</p>}
      {always ? null : (
        <Check label="Set" checked={on} onChange={(checked) => onChange(checked ? {} : undefined)} />
      )}
      {on ? (
        <SchemaForm
          schema={schema}
          path={path}
          values={(value as Values | null | undefined) ?? {}}
          error={error}
          onChange={onChange}
        />
      ) : null}
    </fieldset>
  );
}

function Value(input: Omit<ValueProps, "nullable">) {
  const { schema, nullable } = withoutNull(input.schema);
  const { name, path, required, value, error } = input;
  // Where null is a value, an emptied control means it.
  const onChange = (entered: unknown) => input.onChange(nullable ? (entered ?? null) : entered);
  const props = { ...input, schema, nullable, onChange };
  const preset = placeholderOf(schema) ?? (nullable ? "not set" : undefined);
  const placeholder = value === null ? "not set" : preset;
  const fault = faultAt(error, path);
  const label = labelOf(name);
  switch (controlOf(schema)) {
    case "group":
      return <Group {...props} />;
    case "pairs":
      return <Pairs {...props} />;
    case "json":
      return isMask(value) ? <Secret {...props} long /> : <Json {...props} />;
    case "secret":
      return <Secret {...props} />;
    case "long":
      return <Secret {...props} long />;
    case "switch":
      return (
        <div className="stack tight">
          <Check
            label={
              <>
                <strong>{label}</strong> {schema.description}
              </>
            }
            checked={(value ?? schema.default ?? false) === true}
            onChange={onChange}
          />
          {fault === null ? null : <p className="fault">{fault}</p>}
        </div>
      );
    case "choice":
      return (
        <div className="stack tight">
          <Choice
            label={label}
            value={String(value ?? "")}
            of={schema.enum ?? [schema.const ?? ""]}
            any={placeholder ?? (required ? "Choose…" : "not set")}
            onChange={(word) => onChange(emptied(word))}
            fault={fault}
          />
          {schema.description === undefined ? null : <p className="hint">{schema.description}</p>}
        </div>
      );
    case "lines":
      return (
        <Field label={label} hint={`${schema.description ?? ""} One per line.`} fault={fault}>
          <textarea
            defaultValue={((value as unknown[] | null | undefined) ?? []).join("\n")}
            onChange={(event) => {
              const lines = event.target.value.split("\n").filter((line) => line !== "");
              onChange(
                lines.length === 0 ? undefined : lines.map((line) => scalarOf(line, schema.items ?? {})),
              );
            }}
          />
        </Field>
      );
    case "number":
      return (
        <Field label={label} hint={schema.description} fault={fault}>
          <input
            type="number"
            inputMode="numeric"
            min={schema.minimum}
            max={schema.maximum}
            step="any"
            required={required}
            placeholder={placeholder}
            value={value === undefined || value === null ? "" : String(value)}
            onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
          />
        </Field>
      );
    case "text":
      return (
        <Field label={label} hint={schema.description} fault={fault}>
          <input
            required={required}
            maxLength={schema.maxLength}
            placeholder={placeholder}
            value={String(value ?? "")}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange(emptied(event.target.value))}
          />
        </Field>
      );
  }
}

/** The controls of an object's values. The caller has the form around them. `path`: of the object, in errors; empty: the request. */
export function SchemaForm({
  schema,
  path,
  values,
  error,
  onChange,
}: {
  schema: Schema;
  path: string;
  values: Values;
  error: ApiError | null;
  onChange: (values: Values) => void;
}) {
  const required = new Set(schema.required ?? []);
  const entries = Object.entries(schema.properties ?? {});
  const ordered = [
    ...entries.filter(([name]) => required.has(name)),
    ...entries.filter(([name]) => !required.has(name)),
  ];
  if (ordered.length === 0) return <p className="soft">This kind has no settings.</p>;
  return (
    <div className="stack">
      {ordered.map(([name, each]) => (
        <Value
          key={name}
          name={name}
          path={path === "" ? name : `${path}.${name}`}
          schema={each}
          required={required.has(name)}
          value={values[name]}
          error={error}
          onChange={(value) => onChange(changed(values, name, value))}
        />
      ))}
    </div>
  );
}
