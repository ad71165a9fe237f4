import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { useFilter } from "./filter.ts";

/** A text filter of a list and its further filters. Each is in the list's URL; `name`: the text's name there. */
export function SearchFilter({
  label,
  name = "search",
  children,
}: {
  label: string;
  name?: "search" | "from" | "recipient";
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
        <input
          key={filter[name] ?? ""}
          name={name}
          type="search"
          autoComplete="off"
          defaultValue={filter[name] ?? ""}
        />
      </Field>
      <button type="submit" className="button" aria-label="Find">
        <Search aria-hidden="true" />
      </button>
      {children}
    </form>
  );
}
