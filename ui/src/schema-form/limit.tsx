import { useRef, useState } from "react";
import { Check } from "#ui/parts/form/field.tsx";
import { capital } from "./words.ts";

/**
 * "No limit" beside a number, as a choice: without it the number is required. `none`: the words for null; null if that is no value.
 * `preset`: the schema's default.
 */
export function Limit({
  none,
  label,
  value,
  preset,
  onChange,
}: {
  none: string | null;
  label: string;
  value: unknown;
  preset: unknown;
  onChange: (value: unknown) => void;
}) {
  const ref = useRef<HTMLSpanElement>(null);
  const [isLimited, setLimited] = useState(false);
  if (none === null) return null;
  const isNone = value === null || (value === undefined && typeof preset !== "number");
  const choose = (chosen: boolean) => {
    setLimited(!chosen);
    onChange(chosen ? null : undefined);
    const field = ref.current?.parentElement?.querySelector("input");
    if (!field) return;
    field.required = !chosen;
    if (!chosen) field.focus();
  };
  return (
    <span ref={ref}>
      <Check
        label={
          <>
            {capital(none)}
            <span className="unseen">: {label}</span>
          </>
        }
        checked={isNone && !isLimited}
        onChange={choose}
      />
    </span>
  );
}
