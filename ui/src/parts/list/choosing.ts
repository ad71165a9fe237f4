// The selected rows of a list: by id, so that they stay selected while the list changes.

import { useMemo, useRef, useState } from "react";
import type { Choosing } from "./table.tsx";

/** `choosable`: the rows that can be selected, by default all; it is called once for each read of the list. */
export function useChosen<T>(
  items: readonly T[],
  id: (row: T) => string,
  choosable: (row: T) => boolean = () => true,
): { choosing: Choosing; chosen: readonly T[]; clear: () => void } {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are others at each draw, and say the same
  const rows = useMemo(() => new Map(items.filter(choosable).map((row) => [id(row), row] as const)), [items]);
  const names = useMemo(() => new Set(rows.keys()), [rows]);
  const chosen = ids.size === 0 ? [] : [...rows].filter(([name]) => ids.has(name));
  return {
    chosen: chosen.map(([, row]) => row),
    clear: () => setIds(new Set()),
    choosing: {
      names,
      chosen: new Set(chosen.map(([name]) => name)),
      choose: (name, isChosen, range) => {
        const all = [...names];
        const [from, to] = [all.indexOf(anchor.current ?? ""), all.indexOf(name)].sort((a, b) => a - b);
        const changed =
          range && from !== undefined && from !== -1 ? all.slice(from, (to ?? from) + 1) : [name];
        anchor.current = name;
        const next = new Set(ids);
        for (const each of changed) {
          if (isChosen) next.add(each);
          else next.delete(each);
        }
        setIds(next);
      },
      chooseAll: (isChosen) => setIds(new Set(isChosen ? names : [])),
    },
  };
}
