// Which rows a person chose: by their ids, so that they stay chosen while the list changes around them.

import { useRef, useState } from "react";
import type { Choosing } from "./table.tsx";

export function useChosen<T>(
  items: readonly T[],
  id: (row: T) => string,
): { choosing: Choosing; chosen: readonly T[]; clear: () => void } {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string | null>(null);
  const chosen = ids.size === 0 ? [] : items.filter((row) => ids.has(id(row)));
  return {
    chosen,
    clear: () => setIds(new Set()),
    choosing: {
      names: new Set(items.map(id)),
      chosen: new Set(chosen.map(id)),
      choose: (name, isChosen, range) => {
        const names = items.map(id);
        const [from, to] = [names.indexOf(anchor.current ?? ""), names.indexOf(name)].sort((a, b) => a - b);
        const changed =
          range && from !== undefined && from !== -1 ? names.slice(from, (to ?? from) + 1) : [name];
        anchor.current = name;
        const next = new Set(ids);
        for (const each of changed) {
          if (isChosen) next.add(each);
          else next.delete(each);
        }
        setIds(next);
      },
      chooseAll: (isChosen) => setIds(new Set(isChosen ? items.map(id) : [])),
    },
  };
}
