// A cache of limited size: the least recently used entries are removed first.

export class LruCache<Key, Value> {
  readonly #maxSize: number;
  /** In order of use. */
  readonly #entries = new Map<Key, { value: Value; size: number }>();
  #size = 0;

  /** `maxSize`: the sum of the sizes of all entries, at most. The default size of an entry is 1. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** The value of the key. Marks the entry as the most recently used. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Stores a value, replacing the one of the same key. A value larger than the whole cache is not stored, and removes no other. */
  set(key: Key, value: Value, size = 1): void {
    this.delete(key);
    if (size > this.#maxSize) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) break;
      this.delete(oldest);
    }
  }

  /** The value of the key, created and stored if it is missing. A promise that rejects is removed. */
  getOrCreate(key: Key, create: () => Value, size = 1): Value {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = create();
    this.set(key, value, size);
    if (value instanceof Promise)
      value.catch(() => {
        if (this.#entries.get(key)?.value === value) this.delete(key);
      });
    return value;
  }

  delete(key: Key): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }
}
