// Filters are in the URL, with the API's own names, so that a link shows everyone the same rows.

import { useNavigate, useSearch } from "@tanstack/react-router";

/** The filter of the page, and a function that changes one part of it; the empty text removes it. */
export function useFilter(): [
  Readonly<Record<string, string | undefined>>,
  (name: string, value: string) => void,
] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (name: string, value: string) => {
    const { [name]: _old, ...rest } = search;
    void navigate({
      to: ".",
      search: value === "" ? rest : { ...rest, [name]: value },
      replace: true,
      resetScroll: false,
    });
  };
  return [search, set];
}
