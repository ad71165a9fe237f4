// Gathers concurrent calls of one operation: while a group is in flight, the next calls wait and run together. If a group throws, its
// members are run again one by one, so that only the bad input fails.

import { takeGroup } from "#store/engine/group.ts";

/** How many groups of one operation may be in flight: one being flushed while the next runs. */
const groupsInFlight = 2;
const maxGroupSize = 1000;

export class GroupCommit<I, O> {
  readonly #run: (inputs: readonly I[]) => Promise<O[]>;
  readonly #mayRunAgain: (error: unknown) => boolean;
  readonly #bytesOf: (input: I) => number;
  #waiting: { input: I; resolve(output: O): void; reject(error: unknown): void }[] = [];
  #inFlight = 0;

  /** `mayRunAgain`: whether a failed group certainly stored nothing. `bytesOf`: see `Operation`. */
  constructor(
    run: (inputs: readonly I[]) => Promise<O[]>,
    mayRunAgain: (error: unknown) => boolean,
    bytesOf: (input: I) => number = () => 0,
  ) {
    this.#run = run;
    this.#mayRunAgain = mayRunAgain;
    this.#bytesOf = bytesOf;
  }

  call(input: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    if (this.#inFlight >= groupsInFlight || this.#waiting.length === 0) return;
    const group = takeGroup(this.#waiting, maxGroupSize, ({ input }) => this.#bytesOf(input));
    this.#inFlight += 1;
    try {
      const outputs = await this.#run(group.map(({ input }) => input));
      group.forEach(({ resolve }, i) => {
        resolve(outputs[i] as O);
      });
    } catch (error) {
      if (group.length === 1 || !this.#mayRunAgain(error)) for (const { reject } of group) reject(error);
      else {
        for (const { input, resolve, reject } of group) {
          await this.#run([input]).then(([output]) => resolve(output as O), reject);
        }
      }
    } finally {
      this.#inFlight -= 1;
      void this.#pump();
    }
  }
}
