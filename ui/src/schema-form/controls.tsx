// The controls of a form that have state of their own: secrets, JSON, and rows of names and values.

import { useState } from "react";
import { Button } from "#ui/parts/button.tsx";
import { Field, Hint } from "#ui/parts/form/field.tsx";
import { isMask, type ValueProps } from "./model.ts";
import { Named } from "./named.tsx";

export const emptied = (text: string) => (text === "" ? undefined : text);

/** A secret: a stored one is never shown, and is kept unless it is replaced or removed. */
export function Secret({
  label,
  schema,
  required,
  value,
  fault,
  onChange,
  long = false,
}: ValueProps & { long?: boolean }) {
  const [stored, setStored] = useState(isMask(value) ? value : null);
  if (stored !== null && value === stored)
    return (
      <div className="field">
        <strong>{label}</strong>
        <div className="row">
          <code>{String(stored)}</code>
          <Button onClick={() => onChange("")}>Replace</Button>
          {required ? null : (
            <Button
              onClick={() => {
                setStored(null);
                onChange(undefined);
              }}
            >
              Remove
            </Button>
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
          <Button onClick={() => onChange(stored)}>Keep the stored one</Button>
        </div>
      )}
    </div>
  );
}

/** A value that no other control can enter. */
export function Json({ label, schema, value, fault, onChange }: ValueProps) {
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
    <Field label={label} hint={schema.description} fault={broken ?? fault}>
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

/** An object of texts with free names. */
export function Pairs(props: ValueProps) {
  return (
    <Named {...props} empty="" verb="Add a row">
      {({ key, value, nameField, fault, remove, onChange }) => (
        <div className="row">
          <input aria-label={`Name in ${props.label}`} {...nameField} />
          {isMask(value) ? (
            <>
              <code>{value}</code>
              <Button onClick={() => onChange("")}>Replace</Button>
            </>
          ) : (
            <input
              aria-label={`Value of ${key}`}
              value={value}
              autoComplete="off"
              onChange={(event) => onChange(event.target.value)}
            />
          )}
          {fault === null ? null : <span className="fault">{fault}</span>}
          {remove}
        </div>
      )}
    </Named>
  );
}
