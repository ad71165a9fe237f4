// Makes names distinct that may be equal, as vendors require it of ids and of documents.

/** Hands out names, each once. However many are equal, each costs about the same: a client chooses how many there are. */
export class DistinctNames {
  readonly #separator: string;
  readonly #taken = new Set<string>();
  /** The number with which the search for a stem's next name begins. */
  readonly #next = new Map<string, number>();

  /** `separator`: between a name and its number. */
  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The stem itself, or, where it is taken, with the next number that is free: 2, 3 and so on. */
  of(stem: string): string {
    let n = this.#next.get(stem) ?? 1;
    let name = "";
    do {
      name = n === 1 ? stem : `${stem}${this.#separator}${n}`;
      n += 1;
    } while (this.#taken.has(name));
    this.#next.set(stem, n);
    this.#taken.add(name);
    return name;
  }
}
