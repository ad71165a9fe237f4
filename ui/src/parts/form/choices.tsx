/** A choice among a few options, all of them visible. `of`: each value with its label. */
export function Choices<T extends string>({
  label,
  of,
  value,
  onChange,
}: {
  label: string;
  of: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of buttons, no fieldset
    <div className="choices" role="group" aria-label={label}>
      {of.map(([each, words]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {words}
        </button>
      ))}
    </div>
  );
}
