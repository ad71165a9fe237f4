import { useId } from "react";
import { Check, Hint } from "#ui/parts/form/field.tsx";
import type { OneValue } from "./model.ts";

/**
 * A list of known words: a checkbox for each. If null is a value, it has a checkbox of its own, since none ticked differs from all ticked.
 */
export function Boxes({ label, schema, nullable, value, fault, onChange }: OneValue) {
  const notes = useId();
  const { enum: items = [], words = {} } = schema.items ?? {};
  const isAll = nullable && (value === undefined || value === null);
  // If nothing is entered, the default applies.
  const preset = Array.isArray(schema.default) ? (schema.default as readonly string[]) : [];
  const chosen = new Set((value as readonly string[] | null | undefined) ?? preset);
  const turn = (item: string, on: boolean) =>
    onChange(items.filter((each) => (each === item ? on : chosen.has(each))));
  return (
    <fieldset aria-describedby={notes}>
      <legend>{label}</legend>
      <div id={notes}>
        {fault === null ? null : <p className="fault">{fault}</p>}
        {schema.description === undefined ? null : <Hint of={schema.description} />}
      </div>
      {nullable ? (
        <Check
          label={schema.all ?? "Not bound"}
          checked={isAll}
          onChange={(checked) => onChange(checked ? null : [])}
        />
      ) : null}
      {isAll
        ? null
        : items.map((item) => (
            <Check
              key={item}
              label={words[item] ?? item}
              isWrong={fault !== null}
              checked={chosen.has(item)}
              onChange={(on) => turn(item, on)}
            />
          ))}
    </fieldset>
  );
}
