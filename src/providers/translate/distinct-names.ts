// Makes names distinct that may be equal, as vendors require it of ids and of documents.

/** Hands out names, each once. However many are equal, each costs about the same: a client chooses how many there are. */
export class DistinctNames {
  readonly #separator: string;
  readonly #ignoresCase: boolean;
  readonly #taken = new Set<string>();
  /** The number with which the search for a stem's next name begins. */
  readonly #next = new Map<string, number>();

  /** `separator`: between a name and its number. `ignoresCase`: names that differ in case alone count as equal. */
  constructor(separator: string, { ignoresCase = false }: { ignoresCase?: boolean } = {}) {
    this.#separator = separator;
    this.#ignoresCase = ignoresCase;
  }

  /** The stem itself, or, where it is taken, with the next number that is free: 2, 3 and so on. */
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
