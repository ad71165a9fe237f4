/** Those who want each value of a kind: `listen` adds one and returns what removes it, `call` passes a value on. */
export function createListeners<T = void>() {
  const all = new Set<(value: T) => void>();
  return {
    listen: (listener: (value: T) => void): (() => void) => {
      all.add(listener);
      return () => {
        all.delete(listener);
      };
    },
    call: (value: T): void => {
      for (const listener of all) listener(value);
    },
  };
}
