import { useState } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { Limit } from "./limit.tsx";
import type { ValueProps } from "./model.ts";
import { type Unit, unitFor, unitsOf } from "./words.ts";

const plain: readonly Unit[] = [["", 1]];

/** A number, beside its unit if it is a duration or a size. `unset`: the words for no value; `none`: those for null, as a choice. */
export function Quantity({
  name,
  label,
  schema,
  required,
  value,
  fault,
  unset,
  none,
  onChange,
}: ValueProps & { name: string; unset: string; none: string | null }) {
  const units = unitsOf(name, schema) ?? plain;
  const preset = schema.default;
  const [[unit, times], setUnit] = useState(() => unitFor(value ?? preset, units));
  const bound = (limit: number | undefined) => (limit === undefined ? undefined : limit / times);
  return (
    <Field
      label={label}
      hint={schema.description}
      fault={fault}
      beside={
        units === plain && none === null ? undefined : (
          <>
            {units.length === 1 ? (
              unit
            ) : (
              <select
                aria-label={`Unit of ${label}`}
                value={unit}
                onChange={(event) => {
                  const next = units.find(([each]) => each === event.target.value) as Unit;
                  setUnit(next);
                  if (typeof value === "number") onChange(Math.round((value / times) * next[1]));
                }}
              >
                {units.map(([each]) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
            <Limit none={none} label={label} value={value} preset={preset} onChange={onChange} />
          </>
        )
      }
    >
      <input
        type="number"
        inputMode="decimal"
        min={bound(schema.minimum)}
        max={bound(schema.maximum)}
        step="any"
        required={required}
        placeholder={
          typeof preset === "number" && value !== null
            ? `${preset / times} (default)`
            : none === null
              ? unset
              : ""
        }
        value={typeof value === "number" ? String(value / times) : ""}
        onChange={(event) => {
          const entered = event.target.value;
          onChange(
            entered === "" ? undefined : times === 1 ? Number(entered) : Math.round(Number(entered) * times),
          );
        }}
      />
    </Field>
  );
}
