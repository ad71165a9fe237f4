import { useId } from "react";
import { Coded, Hint } from "./field.tsx";

/** A choice among a few options with a sentence each. `of`: the value, the label and the sentence of each. */
export function Tiles({
  label,
  hint,
  of,
  value,
  fault,
  onChange,
}: {
  label: string;
  hint: string;
  of: readonly (readonly [value: string, label: string, sentence: string])[];
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field tight" role="radiogroup" aria-labelledby={id} aria-invalid={fault !== null}>
      <strong id={id}>{label}</strong>
      {fault === null ? null : <p className="fault">{fault}</p>}
      {hint === "" ? null : <Hint of={hint} />}
      <div className="options">
        {of.map(([word, title, sentence]) => (
          <label key={word} className="check">
            <input type="radio" name={id} checked={word === value} onChange={() => onChange(word)} />
            <span>
              <strong>{title}</strong>
              <span className="hint">
                <Coded of={sentence} />
              </span>
            </span>
          </label>
        ))}
      </div>
    </div>
  );
}
