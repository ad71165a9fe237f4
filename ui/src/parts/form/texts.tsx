// The texts of a form: one line each, under the names of the operation's fields.

import { type ComponentProps, type ReactNode, useState } from "react";
import { Field } from "./field.tsx";

/** A line of text under its label; the other properties are the input's own. */
export function TextField({
  label,
  hint,
  fault = null,
  onChange,
  ...input
}: Omit<ComponentProps<"input">, "onChange"> & {
  label: string;
  hint?: ReactNode;
  fault?: string | null;
  onChange: (text: string) => void;
}) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      <input autoComplete="off" {...input} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}

export type Texts<T extends Readonly<Record<string, string>>> = ReturnType<typeof useTexts<T>>;

/** The texts of a form, which begins with `start`, and the state that the control of each one shows. */
export function useTexts<T extends Readonly<Record<string, string>>>(
  form: { fault: (path: string) => string | null },
  start: T,
) {
  const [texts, setTexts] = useState(start);
  const field = (name: keyof T & string) => ({
    value: texts[name] ?? "",
    fault: form.fault(name),
    onChange: (text: string) => setTexts((before) => ({ ...before, [name]: text })),
  });
  return { texts, field, clear: () => setTexts(start) };
}
