// What was used lately, kept within a bound: of more than fits, whatever was used longest ago is forgotten.

export class LruCache<Key, Value> {
  readonly #most: number;
  /** In order of use. */
  readonly #kept = new Map<Key, { value: Value; size: number }>();
  #size = 0;

  /** `most`: how much is kept, counted as the sizes are; where none are given, how many. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What is kept under the key, which makes it the one used last. */
  get(key: Key): Value | undefined {
    const known = this.#kept.get(key);
    if (known === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, known);
    return known.value;
  }

  /** Keeps it, in place of what was under the key. One that is larger than all is not kept, and all others are. */
  set(key: Key, value: Value, size = 1): void {
    this.delete(key);
    if (size > this.#most) return;
    this.#kept.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) break;
      this.delete(oldest);
    }
  }

  /** What is kept, or else is made now and kept. A promise that rejects is not kept. */
  getOrCreate(key: Key, make: () => Value, size = 1): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value, size);
    if (value instanceof Promise)
      value.catch(() => {
        if (this.#kept.get(key)?.value === value) this.delete(key);
      });
    return value;
  }

  delete(key: Key): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
    this.#size = 0;
  }
}
