import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { useFilter } from "./filter.ts";

/** A text of a list's filter, which is in its URL. `children`: the other parts of the filter. */
export function SearchFilter({
  name = "search",
  label,
  children,
}: {
  name?: string;
  label: string;
  children?: ReactNode;
}) {
  const [filter, setFilter] = useFilter();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setFilter(name, String(new FormData(event.currentTarget).get(name)).trim());
      }}
    >
      <Field label={label} wide>
        <input key={filter[name] ?? ""} name={name} type="search" defaultValue={filter[name] ?? ""} />
      </Field>
      <button type="submit" className="button" aria-label="Find">
        <Search aria-hidden="true" />
      </button>
      {children}
    </form>
  );
}

/** A choice in a list's filter. A value that is not offered any more stays visible. */
export function FilterChoice({
  name,
  label,
  of,
}: {
  name: string;
  label: string;
  of: readonly (string | readonly [string, string])[];
}) {
  const [filter, setFilter] = useFilter();
  const value = filter[name] ?? "";
  const isOffered = value === "" || of.some((each) => [each].flat()[0] === value);
  return (
    <Choice
      label={label}
      any="any"
      of={isOffered ? of : [...of, [value, value]]}
      value={value}
      onChange={(word) => setFilter(name, word)}
    />
  );
}
