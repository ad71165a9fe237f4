// Makes names distinct, as vendors require for ids and documents.

/** Returns each name only once. The cost per name does not grow with the number of equal names, which a client chooses. */
export class DistinctNames {
  readonly #separator: string;
  readonly #ignoresCase: boolean;
  readonly #taken = new Set<string>();
  /** The number at which the search for a stem's next name begins. */
  readonly #next = new Map<string, number>();

  /** `separator`: between a name and its number. `ignoresCase`: names that differ only in case count as equal. */
  constructor(separator: string, { ignoresCase = false }: { ignoresCase?: boolean } = {}) {
    this.#separator = separator;
    this.#ignoresCase = ignoresCase;
  }

  /** The stem itself or, if it is taken, the stem with the next free number: 2, 3 and so on. */
  of(stem: string): string {
    const key = this.#key(stem);
    let n = this.#next.get(key) ?? 1;
    let name = "";
    do {
      name = n === 1 ? stem : `${stem}${this.#separator}${n}`;
      n += 1;
    } while (this.#taken.has(this.#key(name)));
    this.#next.set(key, n);
    this.#taken.add(this.#key(name));
    return name;
  }

  #key(name: string): string {
    return this.#ignoresCase ? name.toLowerCase() : name;
  }
}
