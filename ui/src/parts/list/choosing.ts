// The selected rows of a list: by id, so that they stay selected while the list changes.

import { useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { type ReadFrom, readAll } from "./read-all.ts";
import type { Choosing } from "./table.tsx";

/** How many rows of the whole list are selected at most: each of them is kept, and changed by itself. */
const maxFound = 10_000;

const nothing = { ids: new Set<string>(), found: new Map<string, never>(), search: null };

interface Choice<T> {
  ids: ReadonlySet<string>;
  found: ReadonlyMap<string, T>;
  /** How many rows of the whole list were found so far, or how far that got; null if it was not asked for. */
  search: number | string | null;
}

/**
 * The selected rows of those that were read and, once that is asked for, of the whole list. They are none after a change of the filter or
 * the account. `choosable`: the rows that can be selected, by default all; it is called once for each read of the list.
 */
export function useChosen<T>(
  { items, readFrom }: { items: readonly T[]; readFrom: ReadFrom<T> },
  id: (row: T) => string,
  choosable: (row: T) => boolean = () => true,
) {
  const of = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  const [state, setState] = useState<Choice<T> & { of: string }>({ of, ...nothing });
  if (state.of !== of) setState({ of, ...nothing });
  /** What arrives for an earlier filter changes nothing. */
  const set = (changes: Partial<Choice<T>>) =>
    setState((before) => (before.of === of ? { ...before, ...changes } : before));
  const stop = useRef<AbortController | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter stops the search for this one
  useEffect(() => () => stop.current?.abort(), [of]);
  const { ids, found, search } = state;
  const anchor = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are others at each draw, and say the same
  const rows = useMemo(() => new Map(items.filter(choosable).map((row) => [id(row), row] as const)), [items]);
  const names = useMemo(() => new Set(rows.keys()), [rows]);
  // What was found stays as it was then, so that the number that a person confirms does not change meanwhile.
  const chosen = useMemo(
    () => new Map([...rows, ...found].filter(([name]) => ids.has(name))),
    [rows, found, ids],
  );
  const chooseMatching = async () => {
    stop.current = new AbortController();
    const all = new Map<string, T>();
    set({ search: 0 });
    const end = await readAll(readFrom, maxFound, stop.current.signal, (page) => {
      for (const row of page) all.set(id(row), row);
      set({ search: all.size });
      return all.size;
    });
    set({ ids: ids.union(all), found: all, search: end });
  };
  const choosing: Choosing = {
    names,
    chosen: ids,
    isAll: chosen.size > 0 && names.isSubsetOf(ids),
    choose: (name, isChosen, range) => {
      const all = [...names];
      const [from, to] = [all.indexOf(anchor.current ?? ""), all.indexOf(name)].sort((a, b) => a - b);
      const isRange = range && from !== undefined && from !== -1;
      const changed = new Set(isRange ? all.slice(from, (to ?? from) + 1) : [name]);
      anchor.current = name;
      set({ ids: isChosen ? ids.union(changed) : ids.difference(changed) });
    },
    chooseAll: (isChosen) => {
      if (!isChosen) set(nothing);
      else if (names.size === 0) void chooseMatching();
      else set({ ids: ids.union(names) });
    },
  };
  return {
    choosing,
    chosen: [...chosen.values()],
    search,
    chooseMatching,
    stop: () => stop.current?.abort(),
    clear: (left: readonly string[] = []) => set(left.length === 0 ? nothing : { ids: new Set(left) }),
  };
}
