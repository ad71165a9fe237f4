// A person's preferences for the dashboard, stored in the browser.

import { useSyncExternalStore } from "react";
import { createListeners } from "#ui/api/listeners.ts";

/** The options of each preference; the first one is the default. */
const choices = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  side: ["wide", "narrow"],
  letters: ["on", "off"],
  live: ["on", "off"],
  steps: ["shown", "hidden"],
} as const;

type Name = keyof typeof choices;
type Choice<N extends Name> = (typeof choices)[N][number];

const changes = createListeners();

/** The preference; an unknown word counts as the default. */
export function preference<N extends Name>(name: N): Choice<N> {
  const stored = localStorage.getItem(name);
  const known: readonly string[] = choices[name];
  return (stored !== null && known.includes(stored) ? stored : choices[name][0]) as Choice<N>;
}

/** Sets what the style sheets read from the document: scheme, density and width of the navigation. */
export function applyPreferences(): void {
  for (const name of ["theme", "density", "side"] as const)
    document.documentElement.dataset[name] = preference(name);
}

export function setPreference<N extends Name>(name: N, value: Choice<N>): void {
  localStorage.setItem(name, value);
  applyPreferences();
  changes.call();
}

/** A preference that the component follows. */
export const usePreference = <N extends Name>(name: N): Choice<N> =>
  useSyncExternalStore(changes.listen, () => preference(name));
