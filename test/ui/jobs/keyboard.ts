// A person without a mouse: goes from one control to the next, and has to see each time where that leads.

import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Visit } from "../browser.ts";

/** Nothing on a page is farther than so many keys from its title. */
const maxKeys = 120;

/** What is at the focus, and why a person would not see that it is there; empty: they do. */
const unseen = `(() => {
  const at = document.activeElement;
  const name = at.tagName.toLowerCase() + " " + (at.getAttribute("aria-label") ?? at.textContent ?? "").trim().slice(0, 60);
  if (at === document.body) return "the focus is nowhere";
  const lines = [at, at.closest("label"), at.closest("tr")].filter((each) => each !== null)
    .flatMap((each) => [getComputedStyle(each), getComputedStyle(each, "::after")]);
  const isLined = lines.some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 1);
  const row = at.matches(".row-link") ? at.closest("tr") : null;
  if (!isLined && (row === null || getComputedStyle(row).backgroundColor === "rgba(0, 0, 0, 0)"))
    return name + " has the focus and does not look so";
  const { left, top, width, height } = at.getBoundingClientRect();
  const middle = [left + Math.min(width, innerWidth) / 2, Math.min(top + height / 2, innerHeight - 1)];
  if (middle[0] < 0 || middle[0] > innerWidth || top + height < 0 || top > innerHeight) return name + " is out of sight";
  const above = document.elementFromPoint(...middle);
  const isOpen = above === null || at.contains(above) || above.contains(at) || (at.closest("label, tr")?.contains(above) ?? false);
  return isOpen ? "" : name + " is covered by " + above.outerHTML.slice(0, 80);
})()`;

/** The control that has the focus is in sight, and looks like it. */
export async function expectFocusSeen({ page }: Visit): Promise<void> {
  assert.equal(await page.evaluate(unseen), "");
}

/** Presses Tab until the control has the focus; each stop on the way is seen. `back`: goes backwards. */
export async function goTo(
  at: Visit,
  control: Locator,
  { back = false }: { back?: boolean } = {},
): Promise<void> {
  await control.waitFor();
  const focused = control.and(at.page.locator(":focus"));
  for (let keys = 0; keys < maxKeys; keys++) {
    if ((await focused.count()) > 0) return expectFocusSeen(at);
    await at.page.keyboard.press(back ? "Shift+Tab" : "Tab");
  }
  assert.fail(`${maxKeys} keys did not lead to ${control}`);
}

/** Goes to the control and presses it. */
export async function press(at: Visit, control: Locator, key = "Enter"): Promise<void> {
  await goTo(at, control);
  await at.page.keyboard.press(key);
}

/** Goes to the field and writes. */
export async function write(at: Visit, field: Locator, text: string): Promise<void> {
  await goTo(at, field);
  await at.page.keyboard.press("Control+a");
  await at.page.keyboard.insertText(text);
}

/** Opens the one field that finds, and enters. */
export async function find({ page }: Visit, text: string, key = "/"): Promise<void> {
  await page.keyboard.press(key);
  await page.locator("[role=combobox]:focus").waitFor();
  await page.keyboard.insertText(text);
}

/** Goes to a page of the navigation by its letter. */
export async function goToPage({ page }: Visit, letter: string, title: string): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press(letter);
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
}

/** What was pressed may be gone: the focus is then at the page's title or on something else, and never lost. */
export async function expectFocusKept({ page }: Visit): Promise<void> {
  await page.locator("main :focus").waitFor();
}
