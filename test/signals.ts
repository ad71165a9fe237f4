// Signals for a test: real ones with the test's own listeners.

import { createSignals, type SignalName, type Signals, type SignalTypes } from "#core/signals.ts";
import { memoryLog } from "./log.ts";

type Listeners = { [Name in SignalName]?: (...args: SignalTypes[Name]) => void };

/** Signals that these listeners have subscribed to; the others are heard by no one. */
export function signalsTo(listeners: Listeners = {}): Signals {
  const signals = createSignals(memoryLog());
  for (const name of Object.keys(listeners) as SignalName[])
    signals.subscribe(name, listeners[name] as () => void);
  return signals;
}
