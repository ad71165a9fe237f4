import { cloneElement, type ReactElement, type ReactNode, useId } from "react";
import type { ApiError } from "#ui/api/client.ts";

interface Control {
  id?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
}

/** The API's message about the field of this path, or null. */
export const faultAt = (error: ApiError | null, path: string): string | null =>
  error?.errors[path]?.join(" ") ?? null;

/** The explanation of a control; text between backticks is a word of the API. */
export function Hint({ of }: { of: ReactNode }) {
  if (typeof of !== "string") return <p className="hint">{of}</p>;
  return (
    <p className="hint">
      {of.split("`").map((part, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other names
        at % 2 === 0 ? part : <code key={at}>{part}</code>,
      )}
    </p>
  );
}

/** A control under its label, with a hint and its error. */
export function Field({
  label,
  hint,
  fault = null,
  wide = false,
  children,
}: {
  label: string;
  hint?: ReactNode;
  fault?: string | null;
  /** In a row of filters: takes more space. */
  wide?: boolean;
  children: ReactElement<Control>;
}) {
  const id = useId();
  const notes = `${id}-notes`;
  const noted = hint !== undefined || fault !== null;
  return (
    <div className={wide ? "field wide" : "field"}>
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        ...(fault === null ? {} : { "aria-invalid": true }),
        ...(noted ? { "aria-describedby": notes } : {}),
      })}
      {noted ? (
        <div id={notes}>
          {fault === null ? null : <p className="fault">{fault}</p>}
          {hint === undefined ? null : <Hint of={hint} />}
        </div>
      ) : null}
    </div>
  );
}

/** A checkbox with its sentence. */
export function Check({
  label,
  checked,
  onChange,
}: {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A choice among words of the API. `any`: the option for none, which is the empty text. */
export function Choice({
  label,
  value,
  of,
  any,
  onChange,
  fault = null,
}: {
  label: string;
  value: string;
  of: readonly (string | readonly [string, string])[];
  any?: string;
  onChange: (value: string) => void;
  fault?: string | null;
}) {
  return (
    <Field label={label} fault={fault}>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {any === undefined ? null : <option value="">{any}</option>}
        {of.map((option) => {
          const [word, shown] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={word} value={word}>
              {shown}
            </option>
          );
        })}
      </select>
    </Field>
  );
}
