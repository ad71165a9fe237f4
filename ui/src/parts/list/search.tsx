import { Search } from "lucide-react";
import { Field } from "#ui/parts/form/field.tsx";
import { useFilter } from "./filter.ts";

/** The `search` of a list, which is in its URL. */
export function SearchFilter({ label }: { label: string }) {
  const [filter, setFilter] = useFilter();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setFilter("search", String(new FormData(event.currentTarget).get("search")).trim());
      }}
    >
      <Field label={label} wide>
        <input key={filter.search ?? ""} name="search" type="search" defaultValue={filter.search ?? ""} />
      </Field>
      <button type="submit" className="button" aria-label="Find">
        <Search aria-hidden="true" />
      </button>
    </form>
  );
}
