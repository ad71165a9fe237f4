// Keys in a list: j and k move from row to row, Enter opens the focused one, x selects it.

import { type RefObject, useEffect } from "react";
import { lettersAct } from "#ui/parts/keys.ts";

const rowOf = (element: Element | null) => element?.closest<HTMLElement>("tr[data-index]") ?? null;

export function useRowKeys(
  ref: RefObject<HTMLElement | null>,
  count: number,
  show: (at: number) => void,
): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const list = ref.current;
      if (list === null || !lettersAct(event)) return;
      // Of several lists in a page, the first one has the keys.
      if (document.querySelector(".table.grows") !== list) return;
      const row = rowOf(document.activeElement);
      const at = row === null || !list.contains(row) ? -1 : Number(row.dataset.index);
      if (event.key === "x") return row?.querySelector<HTMLElement>("input[type=checkbox]")?.click();
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      const next = at === -1 && step === -1 ? -1 : at + step;
      if (step === 0 || next < 0 || next >= count) return;
      show(next);
      // A row that was out of view is rendered after the next frame.
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          list
            .querySelector<HTMLElement>(`tr[data-index="${next}"] :is(.row-link, a, button)`)
            ?.focus({ preventScroll: true }),
        ),
      );
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [ref, count, show]);
}
