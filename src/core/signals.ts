// Signals between the components of one process: the component that changes something emits, and those that cache it or
// wait for it subscribe. Delivery is synchronous, in the order of subscribing. A signal is a hint: other processes do
// not get it, so no guarantee depends on one.

import type { Topic } from "#contract/manage/account-events.ts";
import type { Log } from "#runtime/runtime.ts";

/** The signals, each with its arguments. */
export interface SignalTypes {
  /** Events were recorded in the outbox. */
  eventsRecorded: [];
  /** Work is due on a lane: now, or at `dueAt` (epoch ms). */
  laneDue: [laneId: string, dueAt?: number];
  /** Lanes were added, changed or removed. */
  lanesChanged: [];
  /** A lane was paused or resumed: messages may have to move. */
  pausesChanged: [];
  /** Accounts, their gateways or their keys changed: cached ones are stale. */
  accountsChanged: [];
  /** Pools, members or pool keys changed: cached ones are stale. */
  poolsChanged: [];
  /** Something changed for those who watch an account. `subject`: the id of the account, or of its gateway or webhook endpoint. */
  changed: [subject: string, topic: Topic];
}
export type SignalName = keyof SignalTypes;
type Listener<Name extends SignalName> = (...args: SignalTypes[Name]) => void;

export interface Signals {
  /** Calls every listener of the signal. Never throws: a listener that throws is logged, and the others are called. */
  emit<Name extends SignalName>(name: Name, ...args: SignalTypes[Name]): void;
  /** Returns the function that ends the subscription. */
  subscribe<Name extends SignalName>(name: Name, listener: Listener<Name>): () => void;
}

export function createSignals(log: Log): Signals {
  const listeners = new Map<SignalName, Listener<SignalName>[]>();
  return {
    emit: (name, ...args) => {
      // Each change of a list makes a new one, so that a listener may subscribe or unsubscribe during a call.
      for (const listener of listeners.get(name) ?? []) {
        try {
          (listener as Listener<typeof name>)(...args);
        } catch (error) {
          log.error(
            { event: "signal.listener_failed", signal: name, error },
            "A listener of a signal threw.",
          );
        }
      }
    },
    subscribe: (name, listener) => {
      // A function of its own for each subscription, by which its end finds it.
      const added: Listener<SignalName> = (...args) => (listener as Listener<SignalName>)(...args);
      listeners.set(name, [...(listeners.get(name) ?? []), added]);
      return () =>
        void listeners.set(
          name,
          (listeners.get(name) ?? []).filter((current) => current !== added),
        );
    },
  };
}
