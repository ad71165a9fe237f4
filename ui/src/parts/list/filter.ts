// Filters are in the URL, with the API's own names, so that a link shows everyone the same rows.

import { useNavigate, useSearch } from "@tanstack/react-router";

type Filter = Readonly<Record<string, string | undefined>>;

/**
 * The filter of the page, a function that changes one part of it, where the empty text removes it, and one that changes several, where
 * undefined does.
 */
export function useFilter(): [Filter, (name: string, value: string) => void, (changes: Filter) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Filter) =>
    void navigate({ to: ".", search: { ...search, ...changes }, replace: true, resetScroll: false });
  return [search, (name, value) => change({ [name]: value === "" ? undefined : value }), change];
}
