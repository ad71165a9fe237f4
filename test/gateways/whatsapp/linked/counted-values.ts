// The values of a linked device in memory, with the sizes of the writes.

export function countedValues() {
  const stored = new Map<string, string>();
  const writes: number[] = [];
  const values = {
    value: (key: string) => stored.get(key),
    keys: (prefix: string) => [...stored.keys()].filter((key) => key.startsWith(prefix)),
    write: async (changes: readonly (readonly [string, string | null])[]) => {
      writes.push(changes.length);
      for (const [key, text] of changes) text === null ? stored.delete(key) : stored.set(key, text);
    },
  };
  return { stored, writes, values };
}
