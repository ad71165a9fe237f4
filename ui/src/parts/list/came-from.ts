// The way back to a list: the row that was opened is scrolled into view and has the focus.

import { type RefObject, useEffect, useRef } from "react";
import { isCovered } from "#ui/parts/keys.ts";

const key = "opened";
/** The router scrolls to the top and moves the focus to the heading once the page is shown: the row comes after that. */
const maxFrames = 20;

/** Remembers which record was opened on a page of its own. */
export const rememberOpened = (id: string): void => sessionStorage.setItem(key, id);

/** Shows the row of the record that was opened last, once, when the list is shown again. */
export function useCameFrom<T>(
  ref: RefObject<HTMLElement | null>,
  items: readonly T[],
  id: (row: T) => string,
  show: (at: number) => void,
): void {
  const isDone = useRef(false);
  const latest = useRef({ id, show });
  useEffect(() => {
    latest.current = { id, show };
  });
  useEffect(() => {
    if (isDone.current || items.length === 0) return;
    isDone.current = true;
    const opened = sessionStorage.getItem(key);
    const at = opened === null ? -1 : items.findIndex((row) => latest.current.id(row) === opened);
    if (at === -1) return;
    sessionStorage.removeItem(key);
    let frame = 0;
    const settle = () => {
      const link = ref.current?.querySelector<HTMLElement>(`tr[data-index="${at}"] .row-link`);
      if (link === null || link === undefined) latest.current.show(at);
      else if (document.activeElement !== link && !isCovered()) link.focus();
      frame += 1;
      if (frame < maxFrames) requestAnimationFrame(settle);
    };
    requestAnimationFrame(settle);
  }, [ref, items]);
}
