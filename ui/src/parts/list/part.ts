// Only the visible rows of a long list are rendered; the window scrolls, not a box in it.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import type { Part } from "./table.tsx";

/** Shorter lists are rendered as a whole. */
const minRows = 40;
const defaultHeight = 41;
const overscan = 12;

/** The height of a row, including the heading above it. */
function heightOf(row: HTMLTableRowElement): number {
  const before = row.previousElementSibling;
  const heading = before?.classList.contains("group") ? (before as HTMLElement).offsetHeight : 0;
  return row.offsetHeight + heading;
}

/** `last`: the last rendered row; `isPlaced`: whether the position of the list is known. `show`: scrolls a row into view. */
export function usePart<T>(
  ref: RefObject<HTMLElement | null>,
  items: readonly T[],
  id: (row: T) => string,
): { part: Part | undefined; last: number; isPlaced: boolean; show: (at: number) => void } {
  const isLong = items.length > minRows;
  // Before the list is rendered its position is unknown; it would be taken for longer than the viewport.
  const [placed, setTop] = useState<number | null>(null);
  const top = placed ?? 0;
  const [widths, setWidths] = useState<readonly number[] | null>(null);
  // A new function would have all rows measured anew at each draw.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `id` is another function at each draw, and says the same
  const keyOf = useCallback((at: number) => id(items[at] as T), [items]);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: isLong ? items.length : 0,
    estimateSize: () => defaultHeight,
    overscan,
    measureElement: heightOf,
    scrollMargin: top,
    getItemKey: keyOf,
  });
  useLayoutEffect(() => {
    const body = ref.current?.querySelector("tbody");
    if (!isLong || body === null || body === undefined) return;
    const place = () => setTop(Math.round(body.getBoundingClientRect().top + scrollY));
    place();
    // Columns keep the widths that the first rows gave them; otherwise rows that come and go would move them.
    const heads = [...(ref.current?.querySelectorAll<HTMLElement>("thead th") ?? [])];
    if (widths === null && heads.some(({ offsetWidth }) => offsetWidth > 1))
      setWidths(heads.map(({ offsetWidth }) => offsetWidth));
    const anew = () => {
      place();
      setWidths(null);
    };
    addEventListener("resize", anew);
    return () => removeEventListener("resize", anew);
  }, [ref, isLong, widths]);
  if (!isLong)
    return {
      part: undefined,
      last: items.length - 1,
      isPlaced: true,
      show: (at) =>
        ref.current?.querySelector(`tr[data-index="${at}"]`)?.scrollIntoView({ block: "nearest" }),
    };
  const seen = virtualizer.getVirtualItems();
  const first = seen[0];
  const final = seen.at(-1);
  return {
    part: {
      from: first?.index ?? 0,
      above: (first?.start ?? top) - top,
      below: virtualizer.getTotalSize() - ((final?.end ?? top) - top),
      measure: virtualizer.measureElement,
      widths,
    },
    last: final?.index ?? -1,
    isPlaced: placed !== null,
    show: (at) => virtualizer.scrollToIndex(at),
  };
}
