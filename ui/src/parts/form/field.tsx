import { cloneElement, type ReactElement, type ReactNode, useId } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { faultHere } from "#ui/words/faults.ts";

interface Control {
  id?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
}

/** The API's message about the field of this path and title, or null. */
export const faultAt = (error: ApiError | null, path: string, title?: string): string | null =>
  error?.errors[path]?.map((each) => faultHere(each, title)).join(" ") ?? null;

/** A text in which words of the API are between backticks. */
export const Coded = ({ of }: { of: string }) =>
  of.split("`").map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other names
    at % 2 === 0 ? part : <code key={at}>{part}</code>,
  );

/** The explanation of a control. */
export const Hint = ({ of }: { of: ReactNode }) => (
  <p className="hint">{typeof of === "string" ? <Coded of={of} /> : of}</p>
);

/** A control under its label, with a hint and its error. */
export function Field({
  label,
  hint,
  fault = null,
  wide = false,
  beside,
  children,
}: {
  label: string;
  hint?: ReactNode;
  fault?: string | null;
  /** What is at the right of the control, such as its unit. */
  beside?: ReactNode;
  /** In a row of filters: takes more space. */
  wide?: boolean;
  children: ReactElement<Control>;
}) {
  const id = useId();
  const notes = `${id}-notes`;
  const noted = hint !== undefined || fault !== null;
  const control = cloneElement(children, {
    id,
    ...(fault === null ? {} : { "aria-invalid": true }),
    ...(noted ? { "aria-describedby": notes } : {}),
  });
  return (
    <div className={wide ? "field wide" : "field"}>
      <label htmlFor={id}>{label}</label>
      {beside === undefined ? (
        control
      ) : (
        <div className="measured">
          {control}
          {beside}
        </div>
      )}
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
  isWrong = false,
  checked,
  onChange,
}: {
  label: ReactNode;
  isWrong?: boolean;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        aria-invalid={isWrong || undefined}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
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
