// What a person pressed may go with what it did, such as Release with its notice, or be off for a moment: the focus is not lost with it.

import { useEffect } from "react";
import { isCovered } from "#ui/parts/keys.ts";

const isOff = (element: HTMLElement) => element instanceof HTMLButtonElement && element.disabled;

/** Gives the focus back to a button that is on again, and to the page's title when what had it is gone. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement ? target : null;
    };
    // Who presses beside a control wants it to lose the focus.
    const forget = () => {
      last = null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || document.activeElement !== document.body) return;
      const dialog = last.closest("[role=dialog], [role=alertdialog]");
      // A dialog that closes gives the focus back by itself.
      if (dialog === null ? isCovered() : dialog.hasAttribute("data-closed")) return;
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
