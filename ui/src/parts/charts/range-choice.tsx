import { Link } from "@tanstack/react-router";
import { useFilter } from "#ui/parts/list/filter.ts";
import { rangeOf, ranges } from "./ranges.ts";

/** Chooses the range of the page's figures, which is in the URL. */
export function RangeChoice() {
  const [filter] = useFilter();
  const chosen = rangeOf(filter.last);
  return (
    <nav className="choices" aria-label="Range of the figures">
      {ranges.map(({ name, title }) => (
        <Link
          key={name}
          to="."
          search={({ last: _last, ...rest }) => (name === "24h" ? rest : { ...rest, last: name })}
          replace
          resetScroll={false}
          title={title}
          {...(name === chosen.name ? { "aria-current": "true" as const } : { "aria-current": undefined })}
        >
          {name.replace(/\D/, " $&")}
        </Link>
      ))}
    </nav>
  );
}
