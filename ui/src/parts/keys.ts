import { preference } from "./preferences.ts";

/** Whether a dialog lies over the page: keys and focus are its own until it closes. */
export const isCovered = (): boolean =>
  document.querySelector("[role=dialog][data-open], [role=alertdialog][data-open]") !== null;

/** Whether a key of one letter acts: it never does in a field, a menu or a dialog, and a person can switch them off. */
export function lettersAct({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || preference("letters") === "off") return false;
  return (
    target instanceof HTMLElement &&
    target.closest(
      "input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog], [role=menu], [role=listbox]",
    ) === null
  );
}
