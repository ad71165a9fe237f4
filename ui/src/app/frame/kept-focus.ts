// A pressed control may disappear with its effect, such as Release with its notice, or be disabled for a moment: the focus is not lost
// then.

import { useEffect } from "react";
import { isCovered } from "#ui/parts/keys.ts";

const isOff = (element: HTMLElement) => element instanceof HTMLButtonElement && element.disabled;

/** Returns the focus to a button that is enabled again, and to the page's title if the focused control is gone. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement ? target : null;
    };
    // A click beside a control is meant to remove its focus.
    const forget = () => {
      last = null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || document.activeElement !== document.body) return;
      // A dialog that covers the page has the focus; within it, controls are treated alike.
      if (isCovered() && last.closest("dialog")?.open !== true) return;
      if (!last.isConnected)
        return document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
      if (!isOff(last)) last.focus({ preventScroll: true });
    });
    addEventListener("focusin", remember);
    addEventListener("pointerdown", forget, true);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["disabled"],
    });
    return () => {
      removeEventListener("focusin", remember);
      removeEventListener("pointerdown", forget, true);
      observer.disconnect();
    };
  }, []);
}
