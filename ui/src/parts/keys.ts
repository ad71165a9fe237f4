import { preference } from "./preferences.ts";

/** Whether a dialog covers the page: it has the keys and the focus until it closes. */
export const isCovered = (): boolean => document.querySelector("dialog[open]") !== null;

/** Whether a single-letter shortcut is active: never in a field, a menu or a dialog, and a person can disable them. */
export function lettersAct({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || preference("letters") === "off") return false;
  return (
    target instanceof HTMLElement &&
    target.closest("input:not([type=checkbox]), textarea, select, dialog, [role=menu], [role=listbox]") ===
      null
  );
}
